/**
 * The databases: one contract for each row of the table of kinds (interface document, Databases; decisions
 * 6).
 */
import {
  appName,
  block,
  description,
  givenRevision,
  id,
  line,
  runtimeFields,
  serverId,
  serviceStatus,
  trimmedLine,
} from '../service/contract-fields.ts';
import { z } from 'zod';
import { controlCharacters } from '../../domain/text/control-characters.ts';
import { databaseKindNames, type DatabaseKindName } from '../../domain/database-kind.ts';
import { parseImageReference } from '../../domain/names/image-reference.ts';
import { logEvent } from '../../procedure/log-event.ts';
import { mutation, query, subscription } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { named, only, partial } from '../../procedure/input/shape.ts';
import { databaseKinds, type DatabaseKind, type DatabaseKinds } from './kinds.ts';
import { createdRecordOf, databaseRecordOf, wholeDatabaseOf } from './record.ts';

type Text = 'name' | 'databaseName' | 'databaseUser' | 'databasePassword' | 'databaseRootPassword';

const image = ruled(line(500), parseImageReference);
const port = z
  .number()
  .int()
  .min(1)
  .max(65_535)
  .nullable()
  .describe('Port of the server on which the database is published; null removes it');
const passwords = {
  documented: z
    .string()
    .max(200)
    .regex(
      /^[a-zA-Z0-9@#%^&*()_+\-=[\]{}|;:,.<>?~]*$/,
      'may have only letters, digits and @#%^&*()_+-=[]{}|;:,.<>?~',
    ),
  line: line(200),
} as const;

/** What is the same for every kind is made once, and not once for each. */
const shared = {
  runtime: partial(runtimeFields),
  image: image.optional(),
  newImage: image.nullish(),
  description: description.optional(),
  port: port.optional(),
  env: block.nullish().describe('KEY=VALUE lines; absent: they stay, null: none'),
  status: serviceStatus,
  formerVolume: line(200).min(1).describe('One of `formerVolumes`'),
  server: line(100).min(1).nullable(),
  moved: z.object({ deploymentId: z.string().nullable() }),
  ownName: line(100).min(1).describe('Must be its own appName'),
  reading: {
    tail: z.number().int().min(1).max(10_000).default(200),
    since: z.iso.datetime({ offset: true }).optional(),
    search: z.string().max(500).optional(),
  },
  lines: z.array(z.object({ at: z.string(), stream: z.enum(['stdout', 'stderr']), text: z.string() })),
  tail: z.number().int().min(0).max(10_000).default(200),
} as const;

/**
 * Name of a database or of its user. Programs that people open it with would read a name that begins with
 * `-` as an option, and one with `=` or `://` as a connection to somewhere else.
 */
const accountName = z
  .string()
  .max(64)
  .regex(
    new RegExp(`^([^-=${controlCharacters}][^=${controlCharacters}]*)?$`),
    'must be one line, must not begin with "-", and must not contain "=" or "://"',
  )
  .refine((name) => !name.includes('://'), 'must not contain "://"');

/** Texts of a kind with the least lengths that the document states. */
function textsOf(row: DatabaseKind, isFilled: (field: Text) => boolean) {
  const text = (schema: z.ZodString, field: Text): z.ZodString => (isFilled(field) ? schema.min(1) : schema);
  const password = passwords[row.password];
  return {
    name: text(trimmedLine, 'name'),
    appName: appName.describe('Its name on the network; unique in the installation'),
    databaseName: text(accountName, 'databaseName'),
    databaseUser: text(accountName, 'databaseUser'),
    databasePassword: text(password, 'databasePassword'),
    databaseRootPassword: text(password, 'databaseRootPassword'),
  };
}

/** What `create` and `update` take of a kind. */
function inputsOf<const R extends DatabaseKind>(row: R) {
  const onCreate = textsOf(row, (field) => row.filled.create.some((filled) => filled === field));
  const onUpdate = partial(textsOf(row, () => row.filled.update));
  const ownOnCreate = {
    databaseName: onCreate.databaseName,
    databaseUser: onCreate.databaseUser,
    databaseRootPassword: onCreate.databaseRootPassword,
    replicaSets: z.boolean().default(false),
  };
  const ownOnUpdate = {
    databaseName: onUpdate.databaseName,
    databaseUser: onUpdate.databaseUser,
    databaseRootPassword: onUpdate.databaseRootPassword,
    replicaSets: z.boolean().optional(),
  };
  return {
    create: {
      name: onCreate.name,
      appName: onCreate.appName,
      ...only<typeof ownOnCreate, R['fields']>(ownOnCreate, row.fields),
      databasePassword: onCreate.databasePassword,
      environmentId: id,
      containerImage: shared.newImage.describe(`Absent: ${row.image}`),
      description: shared.description,
      serverId,
    },
    update: {
      name: onUpdate.name,
      appName: onUpdate.appName,
      ...only<typeof ownOnUpdate, R['fields']>(ownOnUpdate, row.fields),
      databasePassword: onUpdate.databasePassword,
      containerImage: shared.image,
      description: shared.description,
      ...shared.runtime,
      externalPort: shared.port,
    },
  };
}

const hostReach = [{ field: 'externalPort', when: 'below1024' }] as const;

/** What the procedures of a kind share. */
function partsOf<const R extends DatabaseKind>(row: R, kind: DatabaseKindName) {
  const own = { class: 'protected', resources: [{ kind, field: row.id }] } as const;
  return {
    own,
    running: { ...own, action: 'deploy' } as const,
    byId: z.object(named<R['id'], z.ZodString>(row.id, id)),
    record: databaseRecordOf(row, kind),
  };
}

type Parts<R extends DatabaseKind> = ReturnType<typeof partsOf<R>>;

function contractOf<const R extends DatabaseKind>(row: R, kind: DatabaseKindName) {
  const parts = partsOf(row, kind);
  return {
    ...recordContractOf(row, kind, parts),
    ...changesContractOf(row, kind, parts),
    ...deploymentContractOf(parts),
    ...moveContractOf(row, kind, parts),
    ...serverContractOf(parts),
  };
}

function recordContractOf<const R extends DatabaseKind>(
  row: R,
  kind: DatabaseKindName,
  { own, byId, record }: Parts<R>,
) {
  const inputs = inputsOf(row);
  return {
    create: mutation({
      summary: `Creates a ${row.title} database; nothing runs until deploy`,
      description: 'An empty password is replaced by a generated one, which `one` shows.',
      access: {
        class: 'protected',
        resources: [
          { kind: 'environment', field: 'environmentId' },
          { kind: 'server', field: 'serverId' },
        ],
        grant: 'canCreateServices',
      },
      input: z.object(inputs.create),
      output: createdRecordOf(row),
      refusals: ['CONFLICT'],
    }),
    one: query({
      summary: `One ${row.title} database with its environment, mounts, backups and addresses`,
      access: own,
      input: byId,
      output: wholeDatabaseOf(record, kind),
    }),
    update: mutation({
      summary: `Changes settings of a ${row.title} database; they take effect at its next deploy`,
      description:
        'Absent fields stay; null clears. An empty password, where it is taken, is replaced by a ' +
        'generated one. If there is data already, a password is changed inside the running server at ' +
        'once, and another user or database name is accepted only if the server accepts it: otherwise ' +
        '412, and nothing is changed. An image of another major version than the data is refused with 412; ' +
        '`upgrade` moves the data to it. `externalPort` takes effect at once.',
      access: { ...own, hostReach },
      input: byId.extend({ ...inputs.update, revision: givenRevision }),
      output: record,
      refusals: ['CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    }),
  };
}

/** Changes of one thing each, and the removal. */
function changesContractOf<const R extends DatabaseKind>(
  row: R,
  kind: DatabaseKindName,
  { own, byId, record }: Parts<R>,
) {
  return {
    saveEnvironment: mutation({
      summary: 'Sets its variables; they take effect at its next deploy',
      access: own,
      input: byId.extend({
        env: shared.env,
        revision: givenRevision,
      }),
      output: record,
      refusals: ['CONFLICT'],
    }),
    saveExternalPort: mutation({
      summary: 'Opens the database on a port of its server, or closes it',
      description:
        'At once: a running database gets a new container for it, and its connections are closed. A ' +
        'reserved or taken port is refused with 409.',
      access: { ...own, hostReach },
      input: byId.extend({ externalPort: port }),
      output: record,
      refusals: ['CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    }),
    changeStatus: mutation({
      summary: 'Sets its status by hand',
      access: own,
      input: byId.extend({ applicationStatus: shared.status }),
      output: record,
    }),
    move: mutation({
      summary: 'Moves the database to another environment of the organization',
      description:
        'It keeps its data. A running one stays on the network of its former environment until its next ' +
        'deploy, rebuild or reload.',
      access: {
        class: 'protected',
        resources: [
          { kind, field: row.id },
          { kind: 'environment', field: 'targetEnvironmentId' },
        ],
      },
      input: byId.extend({ targetEnvironmentId: id }),
      output: record,
    }),
    remove: mutation({
      summary: 'Removes the database with its volumes, backups and schedules; irreversible',
      description: 'Objects that backups stored at their destinations stay unless deleteBackups is true.',
      access: { ...own, grant: 'canDeleteServices' },
      input: byId.extend({ deleteBackups: z.boolean().default(false) }),
      output: record,
      refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    }),
  };
}

/** What brings another version of the server. */
function deploymentContractOf<const R extends DatabaseKind>({ own, running, byId, record }: Parts<R>) {
  return {
    deploy: mutation({
      summary: 'Queues a deployment of the database: its server with the current settings on its data',
      description:
        "The status is `running` until the server has answered a query as the record's user, then " +
        '`done`; else `error`, with the reason in the deployment (`deployment.all`, `deployment.logs`). ' +
        'The image is pulled when it is not on the server.',
      access: running,
      input: byId,
      output: record,
      refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    }),
    rebuild: mutation({
      summary: 'Queues the recreation of its container from the record; the data stays',
      description:
        'Like deploy, but the former container is removed first, and a newer image of the same name is ' +
        'pulled.',
      access: running,
      input: byId,
      output: record,
      refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    }),
    upgrade: mutation({
      summary: 'Queues moving the data to an image of a newer major version',
      description:
        'The database cannot be reached meanwhile. Its data is dumped by the old server and read by the ' +
        'new one into a new volume, both are compared, and then the new one replaces the old. A failure ' +
        'before that leaves the old one running as it was. The old volume stays, listed in ' +
        '`formerVolumes`, until `removeFormerVolume`.',
      access: running,
      input: byId.extend({ containerImage: image }),
      output: record,
      refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    }),
    removeFormerVolume: mutation({
      summary: 'Removes a volume that an upgrade, a restore or a move kept, with its data; irreversible',
      access: { ...own, grant: 'canDeleteServices' },
      input: byId.extend({ volumeName: shared.formerVolume }),
      output: record,
      refusals: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
    }),
  };
}

/** What takes it to another machine. */
function moveContractOf<const R extends DatabaseKind>(
  row: R,
  kind: DatabaseKindName,
  { running, byId }: Parts<R>,
) {
  return {
    moveToServer: mutation({
      summary: 'Queues moving the database with its data to another server',
      description:
        'A deployment of the kind `move`. The database is not reached meanwhile: it is closed, its ' +
        'volume is copied there and compared, and a server on the copy must answer. Then the record ' +
        'follows, the server is removed where it was, and the former volume stays there, listed in ' +
        '`formerVolumes`. Whatever fails before that leaves the database running where it was. Before a ' +
        'first deployment the record alone changes, and `deploymentId` is null. `serverId` null means the ' +
        'own machine of Berth. Refused with 412 while it has volumes or binds besides its data. With an ' +
        'external port below 1024 it needs host reach, as the port itself did.',
      access: {
        ...running,
        decidesHostReach: true,
        resources: [
          { kind, field: row.id },
          { kind: 'server', field: 'serverId' },
        ],
      },
      input: byId.extend({ serverId: shared.server }),
      output: shared.moved,
      refusals: ['CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    }),
  };
}

/** What becomes of the running server. */
function serverContractOf<const R extends DatabaseKind>({ own, byId, record }: Parts<R>) {
  return {
    start: mutation({
      summary: 'Starts the stopped database',
      description: 'Waits until it is healthy, at most 60 s.',
      access: own,
      input: byId,
      output: record,
      refusals: ['PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    }),
    stop: mutation({
      summary: 'Stops the database; its data stays',
      description: 'Waits until its server has ended, at most 60 s.',
      access: own,
      input: byId,
      output: record,
      refusals: ['SERVICE_UNAVAILABLE'],
    }),
    reload: mutation({
      summary: 'Restarts the database with its current settings',
      description: 'Refused with 409 while a deployment of it is under way.',
      access: own,
      input: byId.extend({ appName: shared.ownName }),
      output: record,
      refusals: ['CONFLICT', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
    }),
    readLogs: query({
      summary: 'The output of its server',
      access: own,
      input: byId.extend(shared.reading),
      output: shared.lines,
      refusals: ['SERVICE_UNAVAILABLE'],
    }),
    logs: subscription({
      summary: 'The output of its server as a live stream',
      access: own,
      input: byId.extend({ tail: shared.tail }),
      output: logEvent,
      refusals: ['SERVICE_UNAVAILABLE'],
    }),
  };
}

export type DatabaseContract<R extends DatabaseKind> = ReturnType<typeof contractOf<R>>;
export type DatabaseContracts = { [K in DatabaseKindName]: DatabaseContract<DatabaseKinds[K]> };

export const databaseContracts = asContracts(
  Object.fromEntries(databaseKindNames.map((kind) => [kind, contractOf(databaseKinds[kind], kind)])),
);

/** A walk over the table; the compiler cannot follow names through entries. */
function asContracts(contracts: Record<string, unknown>): DatabaseContracts {
  return contracts as DatabaseContracts;
}
