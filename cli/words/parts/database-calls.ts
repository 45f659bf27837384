/** The procedures that the five kinds of database share, by kind. */
import type { Client } from '../../../client/client.ts';
import type { FollowOptions } from '../../../client/follow.ts';
import type { LogEvent } from '../../../server/src/procedure/log-event.ts';
import type { StreamEvent } from '../../../server/src/procedure/procedure.ts';
import { newAccount, type DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { fieldsOf } from '../../connection/config.ts';
import { UsageError } from '../../usage-error.ts';
import { isDatabase, type Service } from './services.ts';

/** One kind's calls, with the id under the kind's own name. */
export interface DatabaseCalls {
  one(): Promise<DatabaseView>;
  deploy(): Promise<unknown>;
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
  reload(appName: string): Promise<unknown>;
  moveToServer(serverId: string | null): Promise<{ deploymentId: string | null }>;
  saveEnvironment(env: string, revision: number | undefined): Promise<unknown>;
  readLogs(options: LogOptions): Promise<LogLine[]>;
  logs(options: { tail: number }, how: FollowOptions): AsyncIterable<StreamEvent<LogEvent>>;
}

export interface LogOptions {
  tail?: number;
  since?: string | undefined;
  search?: string | undefined;
}

export interface LogLine {
  at: string;
  stream: 'stdout' | 'stderr';
  text: string;
}

/** What the words read of a database of any kind. */
export interface DatabaseView {
  name: string;
  appName: string;
  env: string;
  connection: { internal: string; external: string | null };
  externalPort: number | null;
  /** Redis and MongoDB have none. */
  databaseName?: string | null;
}

/** Its id. */
export async function createDatabase(
  client: Client,
  kind: DatabaseKindName,
  at: { name: string; appName: string; environmentId: string; containerImage?: string },
): Promise<string> {
  const input = asInput({ ...at, ...newAccount(kind, at.name) });
  return String(fieldsOf(await asAnyKind(client[kind]).create(input))[`${kind}Id`]);
}

/** Which kind is called is decided while it runs; one stands for all to the compiler. */
type AnyKind = Client['postgres'];

export function databaseCalls(client: Client, service: Service): DatabaseCalls {
  if (!isDatabase(service)) throw new UsageError(`${service.name} is not a database.`);
  const calls = asAnyKind(client[service.kind]);
  const id = asId({ [`${service.kind}Id`]: service.id });
  return {
    one: () => calls.one(id),
    deploy: () => calls.deploy(id),
    start: () => calls.start(id, waiting),
    stop: () => calls.stop(id, waiting),
    reload: (appName) => calls.reload({ ...id, appName }, waiting),
    moveToServer: (serverId) => calls.moveToServer({ ...id, serverId }),
    saveEnvironment: (env, revision) => calls.saveEnvironment({ ...id, env, revision }),
    readLogs: (options) => calls.readLogs({ ...id, ...options }),
    logs: (options, how) => calls.logs({ ...id, ...options }, how),
  };
}

/** What waits for the engine may take a minute there. */
export const waiting = { limitMs: 180_000 };

/** Kinds differ in the name of their id only, as far as these calls go (interface document, Databases). */
function asAnyKind(calls: unknown): AnyKind {
  return calls as AnyKind;
}

function asId(id: Record<string, string>): { postgresId: string } {
  return id as { postgresId: string };
}

function asInput(fields: Record<string, unknown>): Parameters<AnyKind['create']>[0] {
  return fields as Parameters<AnyKind['create']>[0];
}
