/**
 * Databases as records: creating, changing, moving, removing (decisions 6). What runs is the deployment's and
 * the runtime's business.
 */
import { requireRevision, revised } from '../../domain/states/revision.ts';
import { AppError, badField } from '../../domain/errors.ts';
import type { DatabaseKindName } from '../../domain/database-kind.ts';
import { parseEnv } from '../../domain/variables/dotenv.ts';
import { checkReservations } from '../../domain/resources/resources.ts';
import { splitWords } from '../../domain/text/words.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { PublishedPorts } from '../port/port.ts';
import type { ServiceNames } from '../service-name/service-name.ts';
import { databaseKind } from './kinds.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import type { DatabaseStore } from './store.ts';
import { notDeployedYet } from '../../domain/not-deployed.ts';

/** Settings that a person can change. */
type Setting =
  | 'name'
  | 'appName'
  | 'description'
  | 'databaseName'
  | 'databaseUser'
  | 'databasePassword'
  | 'databaseRootPassword'
  | 'containerImage'
  | 'replicaSets'
  | 'memoryLimit'
  | 'memoryReservation'
  | 'cpuLimit'
  | 'cpuReservation'
  | 'pidsLimit'
  | 'command'
  | 'args'
  | 'env'
  | 'externalPort';

/** Settings as they come in; null where a person clears one. */
export type DatabaseInput = { [K in Setting]?: DatabaseRecord[K] | null | undefined } & {
  /** The one that was read before the change. */
  revision?: number | undefined;
};

export interface NewDatabase extends DatabaseInput {
  name: string;
  appName: string;
  databasePassword: string;
  environmentId: string;
  serverId?: string | null | undefined;
}

export interface Databases {
  /** CONFLICT when the name is taken. An empty password is replaced by a generated one. */
  create(organizationId: string, kind: DatabaseKindName, input: NewDatabase): Promise<DatabaseRecord>;
  one(databaseId: string, organizationId: string): Promise<DatabaseRecord>;
  /**
   * The record as such an update would make it, by the rules of one; nothing is stored. CONFLICT when its
   * port is taken. An empty password is replaced by a generated one, which stands in the patch.
   */
  draft(
    databaseId: string,
    organizationId: string,
    input: DatabaseInput,
  ): Promise<{ present: DatabaseRecord; changed: DatabaseRecord; patch: Partial<DatabaseRecord> }>;
  /** Absent fields stay, null becomes the field's empty value. CONFLICT when a name or port is taken. */
  update(databaseId: string, organizationId: string, input: DatabaseInput): Promise<DatabaseRecord>;
  changeStatus(
    databaseId: string,
    organizationId: string,
    applicationStatus: DatabaseRecord['applicationStatus'],
  ): Promise<DatabaseRecord>;
  move(databaseId: string, organizationId: string, environmentId: string): Promise<DatabaseRecord>;
  /** Without an organization: for jobs and the reconciler, which act for the installation. */
  find(databaseId: string): Promise<DatabaseRecord | undefined>;
  all(): Promise<DatabaseRecord[]>;
  /** Changes that Berth makes itself (status, live deployment). */
  patch(databaseId: string, patch: Partial<DatabaseRecord>): Promise<void>;
  /** Removes the record with its mounts, backups and names. */
  remove(databaseId: string, organizationId: string): Promise<DatabaseRecord>;
}

export interface DatabaseNeighbours {
  names: ServiceNames;
  published: PublishedPorts;
}

const passwordLength = 32;
const emptied = { description: '', args: [], env: '' } as const;

interface Parts extends DatabaseNeighbours {
  store: DatabaseStore;
  clock: Clock;
}

export function createDatabases(
  store: DatabaseStore,
  neighbours: DatabaseNeighbours,
  clock: Clock,
): Databases {
  const parts: Parts = { store, ...neighbours, clock };
  return {
    one: (databaseId, organizationId) => one(store, databaseId, organizationId),
    find: (databaseId) => store.find({ databaseId }),
    all: () => store.list({}),
    patch: (databaseId, patch) =>
      store.transaction(async () => {
        await store.update({ databaseId }, patch);
        if (patch.releasedAppName === undefined) return;
        const record = await store.find({ databaseId });
        if (record) await parts.names.keep(databaseId, [record.appName, record.releasedAppName]);
      }),
    create: (organizationId, kind, input) =>
      store.transaction(() => create(parts, organizationId, kind, input)),
    draft: (databaseId, organizationId, input) => draft(parts, databaseId, organizationId, input),
    update: (databaseId, organizationId, input) =>
      store.transaction(async () => {
        const { revision: given, ...settings } = input;
        const { present, patch } = await draft(parts, databaseId, organizationId, settings);
        requireRevision(given, present, 'the database');
        await revised(given, 'the database', {
          read: () => one(store, databaseId, organizationId),
          change: (where) => store.revise({ databaseId, organizationId, ...where }, patch),
        });
        const changed = await one(store, databaseId, organizationId);
        if (patch.appName !== undefined)
          await parts.names.keep(databaseId, [changed.appName, changed.releasedAppName]);
        return changed;
      }),
    changeStatus: (databaseId, organizationId, applicationStatus) =>
      change(store, databaseId, organizationId, { applicationStatus }),
    move: (databaseId, organizationId, environmentId) =>
      change(store, databaseId, organizationId, { environmentId }),
    remove: (databaseId, organizationId) =>
      store.transaction(async () => {
        const present = await one(store, databaseId, organizationId);
        await store.remove({ databaseId, organizationId });
        await parts.names.keep(databaseId, []);
        return present;
      }),
  };
}

async function create(
  { store, names, clock }: Parts,
  organizationId: string,
  kind: DatabaseKindName,
  { environmentId, serverId, ...input }: NewDatabase,
): Promise<DatabaseRecord> {
  const record = newDatabase(
    {
      databaseId: randomId(),
      organizationId,
      kind,
      environmentId,
      serverId: serverId ?? null,
      createdAt: isoTime(clock),
    },
    input,
  );
  await store.insert(record);
  await names.keep(record.databaseId, [record.appName]);
  return record;
}

async function draft(
  { store, published }: Parts,
  databaseId: string,
  organizationId: string,
  input: DatabaseInput,
): ReturnType<Databases['draft']> {
  const present = await one(store, databaseId, organizationId);
  const patch = cleaned(input);
  const changed = { ...present, ...patch };
  check(changed);
  const { externalPort: port, serverId } = changed;
  if (port !== null && patch.externalPort !== undefined)
    await published.requireFree({
      port,
      protocol: 'tcp',
      field: 'externalPort',
      organizationId,
      serverId,
      holderId: databaseId,
    });
  return { present, changed, patch };
}

async function one(
  store: DatabaseStore,
  databaseId: string,
  organizationId: string,
): Promise<DatabaseRecord> {
  const record = await store.find({ databaseId, organizationId });
  if (!record) throw new AppError('NOT_FOUND', 'There is no such database. It may have been removed.');
  return record;
}

async function change(
  store: DatabaseStore,
  databaseId: string,
  organizationId: string,
  patch: Partial<DatabaseRecord>,
): Promise<DatabaseRecord> {
  await store.update({ databaseId, organizationId }, patch);
  return one(store, databaseId, organizationId);
}

type Identity = Pick<
  DatabaseRecord,
  'databaseId' | 'organizationId' | 'kind' | 'environmentId' | 'serverId' | 'createdAt'
>;

/** A database that has never run. Its volume is named by its id, so that a rename keeps it (decisions 4). */
export function neverRan(databaseId: string) {
  return {
    releasedAppName: null,
    isStopped: false,
    liveDeploymentId: null,
    dataVolume: `berth-data-${databaseId}`,
    dataVersion: null,
    formerVolumes: [],
    previewDeploymentId: null,
  } satisfies Partial<DatabaseRecord>;
}

/** The fields that the kind does not have stay empty. */
function newDatabase(
  identity: Identity,
  input: Omit<NewDatabase, 'environmentId' | 'serverId'>,
): DatabaseRecord {
  const row = databaseKind(identity.kind);
  const own = <T>(field: (typeof row.fields)[number], value: T): T | null =>
    row.fields.includes(field) ? value : null;
  return {
    ...identity,
    revision: 0,
    name: input.name,
    appName: input.appName,
    description: input.description ?? '',
    databaseName: own('databaseName', input.databaseName ?? ''),
    databaseUser: own('databaseUser', input.databaseUser ?? ''),
    databasePassword: given(input.databasePassword),
    databaseRootPassword: own('databaseRootPassword', given(input.databaseRootPassword ?? '')),
    containerImage: input.containerImage ?? row.image,
    replicaSets: input.replicaSets ?? false,
    applicationStatus: 'idle',
    memoryLimit: null,
    memoryReservation: null,
    cpuLimit: null,
    cpuReservation: null,
    pidsLimit: null,
    command: null,
    args: [],
    env: '',
    externalPort: null,
    ...neverRan(identity.databaseId),
  };
}

export const newPassword = (): string => randomId(passwordLength);

/** The password, or a generated one for an empty one (decisions 4). */
function given(password: string): string {
  return password === '' ? newPassword() : password;
}

function cleaned(input: DatabaseInput): Partial<DatabaseRecord> {
  const changes = Object.entries(input).filter(([, value]) => value !== undefined);
  const patch: Partial<DatabaseRecord> = Object.fromEntries(
    changes.map(([name, value]) => [name, value ?? Reflect.get(emptied, name) ?? null]),
  );
  for (const field of ['databasePassword', 'databaseRootPassword'] as const)
    if (patch[field] === '') patch[field] = given('');
  return patch;
}

/** Rules on the record as it will be (decisions 4, Updates). */
function check(record: DatabaseRecord): void {
  if (record.env) parseEnv(record.env);
  if (record.command) splitWords(record.command, 'command');
  checkReservations(record);
}

/** `reload` names the service by its appName too (interface document, Databases). */
export function requireOwnName({ appName }: DatabaseRecord, given: string): void {
  if (given !== appName) throw badField('appName', 'is not the name of this database');
}

/** PRECONDITION_FAILED before the first deployment. */
export function requireDeployed({ name, releasedAppName }: DatabaseRecord): void {
  if (releasedAppName === null) throw notDeployedYet(name);
}
