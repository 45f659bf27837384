import { databaseKindNames, type DatabaseKindName } from '../../domain/database-kind.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { databaseRef } from '../../domain/names/service-ref.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { LogLine } from '../../ports/engine/engine.ts';
import type { Queue } from '../../ports/queue.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { LogEvent } from '../../procedure/log-event.ts';
import type { StreamEvent } from '../../procedure/procedure.ts';
import type { Router } from '../../procedure/registry.ts';
import { acceptAsked, startedBy, type Accepting, type Deployments } from '../deployment/deployment.ts';
import type { Interruption } from '../interruption/interruption.ts';
import type { Mount } from '../mount/mount.ts';
import type { Members } from '../organization/member.ts';
import type { EnvironmentOfService, LiveReader } from '../service/service.ts';
import type { Turns } from '../service/turns.ts';
import { connectionOf } from './connection.ts';
import { databaseContracts, type DatabaseContracts } from './contract.ts';
import {
  requireDeployed,
  requireOwnName,
  type DatabaseInput,
  type Databases,
  type NewDatabase,
} from './database.ts';
import { databaseKind } from './kinds.ts';
import { requireDataInVolume } from '../../domain/data-place.ts';
import type { Admission } from './passwords.ts';
import { portTaken, type DatabaseRuntime } from './runtime.ts';
import { parseEnv } from '../../domain/variables/dotenv.ts';
import { majorOf, refuseMajorJump } from './version.ts';
import { outputEvents } from '../service/output-events.ts';
import { askedDeletion, type UnfinishedDeletions } from '../unfinished-deletion/unfinished-deletion.ts';

export interface DatabaseDesk {
  unfinished: Pick<UnfinishedDeletions, 'keep'>;
  databases: Databases;
  runtime: DatabaseRuntime;
  admission: Admission;
  turns: Turns;
  members: Members;
  deployments: Deployments;
  interruption: Interruption;
  queue: Queue;
  logs: DeploymentLogs;
  liveOf: LiveReader;
  pendingChanges(database: DatabaseRecord): Promise<string[]>;
  /** BAD_REQUEST when a new service needs a server of its own and names none. */
  requireServer(serverId: string | null | undefined, organizationId: string): Promise<void>;
  environment(environmentId: string): Promise<EnvironmentOfService>;
  mounts(databaseId: string, organizationId: string): Promise<Mount[]>;
  backups(databaseId: string, organizationId: string): Promise<object[]>;
  /** Removes every object that its backups have stored. */
  removeStoredBackups(databaseId: string, organizationId: string): Promise<void>;
  /** The address of the server that the database runs on, as the outside knows it. */
  serverAddress(serverId: string | null, organizationId: string): Promise<string | null>;
  /** Whether nothing of the database's server listens on the port. */
  isPortFree(database: DatabaseRecord, port: number): Promise<boolean>;
  /** Refuses a server that the database may not go to; gives how sentences name it. */
  requireMovable(
    database: DatabaseRecord,
    serverId: string | null,
    by: Pick<CallContext, 'hasHostReach'>,
  ): Promise<string>;
  /** The major version that an image brings on the database's server, as far as it can be known. */
  majorOf(database: DatabaseRecord, image: string): Promise<number | undefined>;
}

/** A router for each row of the table of kinds. */
export function databaseRouters(desk: DatabaseDesk): Router[] {
  return databaseKindNames.map((kind) => ({
    name: kind,
    contract: databaseContracts[kind],
    handlers: atTheDoor(kind, databaseHandlers(kind, desk)),
  }));
}

/** What the handlers take, whatever the kind; `databaseId` is what the interface calls `<kind>Id`. */
interface Named {
  databaseId: string;
}
interface Inputs extends Record<keyof DatabaseContracts['postgres'], object> {
  create: NewDatabase;
  one: Named;
  update: Named & DatabaseInput;
  saveEnvironment: Named & Pick<DatabaseInput, 'env'>;
  saveExternalPort: Named & Pick<DatabaseRecord, 'externalPort'>;
  changeStatus: Named & Pick<DatabaseRecord, 'applicationStatus'>;
  move: Named & { targetEnvironmentId: string };
  deploy: Named;
  rebuild: Named;
  upgrade: Named & { containerImage: string };
  moveToServer: Named & { serverId: string | null };
  removeFormerVolume: Named & { volumeName: string };
  start: Named;
  stop: Named;
  reload: Named & { appName: string };
  remove: Named & { deleteBackups: boolean };
  readLogs: Named & { tail: number; since?: string | undefined; search?: string | undefined };
  logs: Named & { tail: number };
}
interface Answers
  extends Record<Exclude<keyof Inputs, 'moveToServer' | 'readLogs' | 'logs'>, Promise<DatabaseRecord>> {
  moveToServer: Promise<{ deploymentId: string | null }>;
  readLogs: Promise<LogLine[]>;
  logs: AsyncIterable<StreamEvent<LogEvent>>;
}

type DatabaseHandlers = { [P in keyof Inputs]: (context: CallContext, input: Inputs[P]) => Answers[P] };

function databaseHandlers(kind: DatabaseKindName, desk: DatabaseDesk): DatabaseHandlers {
  const { databases, members, runtime } = desk;
  const found = ({ actor }: CallContext, { databaseId }: Named): Promise<DatabaseRecord> =>
    databases.one(databaseId, actor.organizationId);
  const save = (context: CallContext, { databaseId, ...input }: Inputs['update']): Promise<DatabaseRecord> =>
    change(desk, context, databaseId, input);
  async function accept(context: CallContext, input: Named, accepting: Accepting): Promise<DatabaseRecord> {
    const database = await found(context, input);
    const image = accepting.image ?? database.containerImage;
    if (accepting.kind !== 'upgrade') refuseMajorJump(database, image, await desk.majorOf(database, image));
    await acceptAsked(desk, context, databaseRef(database.databaseId), accepting);
    return found(context, input);
  }

  /** Ends a deployment that is under way, then does it to the database as it is then. */
  async function byHand(
    context: CallContext,
    input: Named,
    operation: 'start' | 'stop',
  ): Promise<DatabaseRecord> {
    const { databaseId } = await found(context, input);
    await desk.interruption.endThen(
      databaseRef(databaseId),
      { operation, userId: context.actor.userId },
      async () => runtime[operation](await found(context, input)),
    );
    return found(context, input);
  }

  return {
    async create({ actor, write }, input) {
      await desk.requireServer(input.serverId, actor.organizationId);
      return write(async () => {
        const created = await databases.create(actor.organizationId, kind, input);
        await members.grantCreated(actor, 'accessedServices', created.databaseId);
        return created;
      });
    },
    async one(context, input) {
      const database = await found(context, input);
      const { databaseId, organizationId, environmentId, serverId } = database;
      const [environment, mounts, backups, deployments, host] = await Promise.all([
        desk.environment(environmentId),
        desk.mounts(databaseId, organizationId),
        desk.backups(databaseId, organizationId),
        desk.deployments.recent(databaseRef(databaseId)),
        desk.serverAddress(serverId, organizationId),
      ]);
      return {
        ...database,
        live: desk.liveOf(databaseRef(databaseId)),
        pendingChanges: await desk.pendingChanges(database),
        environment,
        mounts,
        backups,
        deployments,
        connection: connectionOf(database, host),
      };
    },
    update: save,
    saveEnvironment: save,
    saveExternalPort: save,
    changeStatus: ({ actor, write }, { databaseId, applicationStatus }) =>
      write(() => databases.changeStatus(databaseId, actor.organizationId, applicationStatus)),
    move: ({ actor, write }, { databaseId, targetEnvironmentId }) =>
      write(() => databases.move(databaseId, actor.organizationId, targetEnvironmentId)),
    deploy: (context, input) =>
      accept(context, input, { kind: 'deploy', title: 'Manual deployment', description: '' }),
    rebuild: (context, input) =>
      accept(context, input, {
        kind: 'redeploy',
        title: 'Rebuild',
        description: 'The container is recreated; the data stays',
      }),
    async upgrade(context, { databaseId, containerImage }) {
      const database = await found(context, { databaseId });
      requireDeployed(database);
      await requireNewerMajor(desk, database, containerImage);
      return accept(
        context,
        { databaseId },
        {
          kind: 'upgrade',
          title: 'Upgrade',
          description: `From ${database.containerImage} to ${containerImage}`,
          image: containerImage,
        },
      );
    },
    moveToServer: (context, input) => moveToServer(desk, context, input),
    removeFormerVolume: (context, { databaseId, volumeName }) =>
      desk.turns.take(databaseId, async () => {
        const database = await found(context, { databaseId });
        const { formerVolumes } = database;
        const left = formerVolumes.filter((former) => former.volumeName !== volumeName);
        if (left.length === formerVolumes.length)
          throw badField('volumeName', 'is not one of the former volumes of this database');
        await runtime.removeVolume(database, volumeName);
        await context.write(() => databases.patch(databaseId, { formerVolumes: left }));
        return found(context, { databaseId });
      }),
    async start(context, input) {
      requireDeployed(await found(context, input));
      return byHand(context, input, 'start');
    },
    stop: (context, input) => byHand(context, input, 'stop'),
    async reload(context, input) {
      const database = await found(context, input);
      requireOwnName(database, input.appName);
      requireDeployed(database);
      return desk.interruption.unlessDeploying(databaseRef(database.databaseId), async () =>
        runtime.reload(await found(context, input)),
      );
    },
    remove: (context, input) => remove(desk, context, input),
    readLogs: async (context, { tail, since, search, databaseId }) =>
      runtime.readLogs(await found(context, { databaseId }), { tail, since, search }),
    async *logs(context, { tail, databaseId }) {
      const database = await found(context, { databaseId });
      yield* outputEvents(context, {
        read: (options) => runtime.readLogs(database, { tail, ...options }),
        follow: (options) => runtime.followLogs(database, { tail, ...options }),
      });
    },
  };
}

/**
 * Settings wait for the next deployment; names and passwords change in the running server with the record,
 * the port right after it.
 */
async function change(
  desk: DatabaseDesk,
  { actor, write }: CallContext,
  databaseId: string,
  input: DatabaseInput,
): Promise<DatabaseRecord> {
  const { databases } = desk;
  const { present, changed } = await desk.turns.take(databaseId, async () => {
    const draft = await databases.draft(databaseId, actor.organizationId, input);
    if (draft.patch.containerImage !== undefined)
      refuseMajorJump(
        draft.present,
        draft.patch.containerImage,
        await desk.majorOf(draft.present, draft.patch.containerImage),
      );
    await requireFreePort(desk, draft.present, draft.changed);
    if (input.env !== undefined || input.args !== undefined) await requireKeptData(desk, draft.changed);
    const takeBack = await desk.admission.change(draft.present, draft.changed);
    try {
      return {
        present: draft.present,
        changed: await write(() => databases.update(databaseId, actor.organizationId, draft.patch)),
      };
    } catch (error) {
      await takeBack();
      throw error;
    }
  });
  if (changed.externalPort === present.externalPort) return changed;
  try {
    await desk.runtime.applyPort(changed);
  } catch (error) {
    // A server that is only slow to come has the port when it is there.
    const isLate = error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
    if (!isLate) await databases.patch(databaseId, { externalPort: present.externalPort });
    throw error;
  }
  return changed;
}

/** References to other variables are judged at the deployment, which knows their values. */
async function requireKeptData({ mounts }: DatabaseDesk, database: DatabaseRecord): Promise<void> {
  const { databaseId, organizationId, kind, env, args, dataVersion } = database;
  const { server } = databaseKind(kind);
  const places = (await mounts(databaseId, organizationId)).filter(({ type }) => type !== 'file');
  const plain = parseEnv(env).filter(({ value }) => !value.includes('${{'));
  requireDataInVolume({
    kind,
    env: Object.fromEntries(plain.map(({ name, value }) => [name, value])),
    args,
    folders: [
      server.dataPath(dataVersion === null ? undefined : majorOf(dataVersion)),
      server.dataPath(dataVersion === null ? Number.MAX_SAFE_INTEGER : majorOf(dataVersion)),
      ...places.map(({ mountPath }) => mountPath),
    ],
  });
}

async function moveToServer(
  desk: DatabaseDesk,
  context: CallContext,
  { databaseId, serverId }: Inputs['moveToServer'],
): Promise<{ deploymentId: string | null }> {
  const database = await desk.databases.one(databaseId, context.actor.organizationId);
  const to = await desk.requireMovable(database, serverId, context);
  const deployment = await context.write(async () => {
    if (database.liveDeploymentId === null) return desk.databases.patch(databaseId, { serverId });
    return desk.deployments.accept(databaseRef(databaseId), {
      kind: 'move',
      title: `Move to ${to}`,
      description: '',
      move: { from: serverKeyOf(database), to: serverKeyOf({ serverId }) },
      startedBy: startedBy(context.actor),
    });
  });
  desk.queue.wake();
  if (deployment) context.announce(deployment.deploymentId);
  return { deploymentId: deployment?.deploymentId ?? null };
}

async function requireFreePort(
  { isPortFree }: DatabaseDesk,
  present: DatabaseRecord,
  { externalPort }: DatabaseRecord,
): Promise<void> {
  if (externalPort === null || externalPort === present.externalPort) return;
  if (!(await isPortFree(present, externalPort))) throw portTaken(externalPort);
}

async function requireNewerMajor(
  { majorOf: majorOfImage }: DatabaseDesk,
  database: DatabaseRecord,
  image: string,
): Promise<void> {
  const { kind, dataVersion, name } = database;
  const [wanted, present] = [await majorOfImage(database, image), majorOf(dataVersion ?? '')];
  if (wanted === undefined || present === undefined || wanted > present) return;
  const why =
    wanted === present
      ? `Set it with ${kind}.update and deploy: its version ${wanted} reads the data as it is.`
      : `The data is of version ${present}, and a server cannot run on data of a newer version than its own.`;
  throw new AppError('PRECONDITION_FAILED', `${image} is not an upgrade for ${name}. ${why}`);
}

async function remove(
  desk: DatabaseDesk,
  context: CallContext,
  { databaseId, deleteBackups }: Inputs['remove'],
): Promise<DatabaseRecord> {
  const { organizationId, userId } = context.actor;
  const service = databaseRef(databaseId);
  const database = await desk.databases.one(databaseId, organizationId);
  if (deleteBackups) await desk.interruption.requireReach(service);
  // First of all: a destination that cannot be reached refuses the whole removal, and nothing is forgotten.
  if (deleteBackups) await desk.removeStoredBackups(databaseId, organizationId);
  const by = { serviceId: databaseId, userId, deleteVolumes: true };
  // In its turn: the reconciler would make a service again whose record still stands.
  const past = await desk.interruption.endThen(service, { operation: 'remove', userId }, async () => {
    const all = await desk.deployments.all(service);
    const stays = (why: string) => desk.unfinished.keep(askedDeletion('database', database, by), why);
    if (all.length > 0) await desk.runtime.remove(database, { stays });
    await context.write(() => desk.databases.remove(databaseId, organizationId));
    return all;
  });
  for (const { deploymentId } of past) await desk.logs.remove(deploymentId);
  return database;
}

type Handler = (context: CallContext, input: Record<string, unknown>) => unknown;

/**
 * The same handlers with the id under the kind's own name, which is all that callers see of the difference.
 */
function atTheDoor(kind: DatabaseKindName, handlers: DatabaseHandlers): Record<string, Handler> {
  const { id } = databaseKind(kind);
  const shown = (answer: unknown): unknown =>
    typeof answer === 'object' && answer !== null && 'databaseId' in answer
      ? { [id]: answer.databaseId, ...answer }
      : answer;
  const renamed =
    (handler: Handler): Handler =>
    (context, { [id]: databaseId, ...input }) => {
      const answer = handler(context, { ...input, databaseId });
      return answer instanceof Promise ? answer.then(shown) : answer;
    };
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [name, renamed(asHandler(handler))]),
  );
}

/** The guard has parsed the input by the contract of the kind, whose fields are these. */
function asHandler(handler: unknown): Handler {
  return handler as Handler;
}
