import { databaseKindNames, type DatabaseKindName } from '../../domain/database-kind.ts';
import { notYet } from '../../domain/errors.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { Router } from '../../procedure/registry.ts';
import { databaseRef } from '../../domain/service-ref.ts';
import type { Queue } from '../../ports/queue.ts';
import type { Accepting, Deployments } from '../deployment/deployment.ts';
import type { Members } from '../organization/member.ts';
import type { EnvironmentOfService } from '../service/service.ts';
import { connectionOf } from './connection.ts';
import { databaseContracts, type DatabaseContracts } from './contract.ts';
import { requireDeployed, requireOwnName, type DatabaseInput, type Databases, type NewDatabase } from './database.ts';
import { databaseKind } from './kinds.ts';
import type { DatabaseRecord } from '../../db/tables.ts';

export interface DatabaseDesk {
  databases: Databases;
  members: Members;
  deployments: Deployments;
  queue: Queue;
  /** BAD_REQUEST when a new service needs a server of its own and names none. */
  requireServer(serverId: string | null | undefined): Promise<void>;
  environment(environmentId: string): Promise<EnvironmentOfService>;
  mounts(databaseId: string, organizationId: string): Promise<object[]>;
  backups(databaseId: string, organizationId: string): Promise<object[]>;
  /** The address of the server that the database runs on, as the outside knows it. */
  serverAddress(serverId: string | null, organizationId: string): Promise<string | null>;
}

/** A router for each row of the table of kinds. */
export function databaseRouters(desk: DatabaseDesk): Router[] {
  return databaseKindNames.map((kind) => ({ name: kind, contract: databaseContracts[kind], handlers: atTheDoor(kind, databaseHandlers(kind, desk)) }));
}

/** What the handlers take, whatever the kind; `databaseId` is what the door calls `<kind>Id`. */
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
  start: Named;
  stop: Named;
  reload: Named & { appName: string };
  remove: Named & { deleteBackups: boolean };
}

type DatabaseHandlers = { [P in keyof Inputs]: (context: CallContext, input: Inputs[P]) => Promise<DatabaseRecord> };

const running = 'Running databases';

function databaseHandlers(kind: DatabaseKindName, desk: DatabaseDesk): DatabaseHandlers {
  const { databases, members } = desk;
  const found = ({ actor }: CallContext, { databaseId }: Named): Promise<DatabaseRecord> => databases.one(databaseId, actor.organizationId);
  const save = ({ actor, write }: CallContext, { databaseId, ...input }: Inputs['update']): Promise<DatabaseRecord> => write(() => databases.update(databaseId, actor.organizationId, input));
  async function accept(context: CallContext, input: Named, accepting: Accepting): Promise<DatabaseRecord> {
    const { databaseId } = await found(context, input);
    await context.write(() => desk.deployments.accept(databaseRef(databaseId), accepting));
    desk.queue.wake();
    return found(context, input);
  }

  return {
    async create({ actor, write }, input) {
      await desk.requireServer(input.serverId);
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
        desk.environment(environmentId), desk.mounts(databaseId, organizationId), desk.backups(databaseId, organizationId), desk.deployments.recent(databaseRef(databaseId)), desk.serverAddress(serverId, organizationId),
      ]);
      return { ...database, environment, mounts, backups, deployments, connection: connectionOf(database, host) };
    },
    update: save,
    saveEnvironment: save,
    saveExternalPort: save,
    changeStatus: ({ actor, write }, { databaseId, applicationStatus }) => write(() => databases.changeStatus(databaseId, actor.organizationId, applicationStatus)),
    move: ({ actor, write }, { databaseId, targetEnvironmentId }) => write(() => databases.move(databaseId, actor.organizationId, targetEnvironmentId)),
    deploy: (context, input) => accept(context, input, { kind: 'deploy', title: 'Manual deployment', description: '' }),
    rebuild: (context, input) => accept(context, input, { kind: 'redeploy', title: 'Rebuild', description: 'The container made anew; the data stays' }),
    async start(context, input) {
      requireDeployed(await found(context, input));
      throw notYet(running);
    },
    async stop() {
      throw notYet(running);
    },
    async reload(context, input) {
      const database = await found(context, input);
      requireOwnName(database, input.appName);
      requireDeployed(database);
      throw notYet(running);
    },
    async remove(context, { databaseId, deleteBackups }) {
      if (deleteBackups && (await desk.backups(databaseId, context.actor.organizationId)).length > 0) throw notYet('Removing what backups have stored');
      return context.write(() => databases.remove(databaseId, context.actor.organizationId));
    },
  };
}

type Handler = (context: CallContext, input: Record<string, unknown>) => Promise<object>;

/** The same handlers with the id under the kind's own name, which is all that the door sees of the difference. */
function atTheDoor(kind: DatabaseKindName, handlers: DatabaseHandlers): Record<string, Handler> {
  const { id } = databaseKind(kind);
  const renamed = (handler: Handler): Handler => async (context, { [id]: databaseId, ...input }) => {
    const answer = await handler(context, { ...input, databaseId });
    return { [id]: Reflect.get(answer, 'databaseId'), ...answer };
  };
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, renamed(asHandler(handler))]));
}

/** The guard has parsed the input by the contract of the kind, whose fields are these. */
function asHandler(handler: unknown): Handler {
  return handler as Handler;
}
