/** A real server for tests: real accounts, guard and audit on a database, any routers, listening on 127.0.0.1. */
import { createStores } from '../../server/src/composition/stores.ts';
import type { Database } from '../../server/src/db/database.ts';
import { createAudit } from '../../server/src/modules/audit/audit.ts';
import { createAuthentication } from '../../server/src/modules/user/authentication.ts';
import { userSession } from '../../server/src/modules/user/session.ts';
import { createUsers } from '../../server/src/modules/user/user.ts';
import { systemClock, type Clock } from '../../server/src/ports/clock.ts';
import { createGuard } from '../../server/src/procedure/guard.ts';
import { createRegistry, type Router } from '../../server/src/procedure/registry.ts';
import { addAuthRoutes } from '../../server/src/transport/auth-routes.ts';
import { toAppError } from '../../server/src/transport/envelope.ts';
import { createHttpServer } from '../../server/src/transport/http.ts';
import { createOpenapi } from '../../server/src/transport/openapi.ts';
import type { StreamLimits } from '../../server/src/transport/stream.ts';

export interface ServeOptions {
  clock?: Clock;
  uploadLimit?: number;
  streamLimits?: StreamLimits;
}

export interface TestServer {
  url: string;
  /** What an operator would find in the log. */
  faults: { id: string; error: unknown; path: string | undefined }[];
  close(): Promise<void>;
}

export async function serve(database: Database, routers: readonly Router[], options: ServeOptions = {}): Promise<TestServer> {
  const clock = options.clock ?? systemClock;
  const stores = createStores(database);
  const audit = createAudit(stores.audit, clock);
  const registry = createRegistry(routers);
  const faults: TestServer['faults'] = [];
  const log = { fault: (id: string, error: unknown, path: string | undefined) => void faults.push({ id, error, path }) };
  const app = createHttpServer({
    registry, log, version: 'test',
    guard: createGuard({ findScope: stores.findScope, findPlace: stores.users.findPlace, transaction: (work) => database.transaction(work), recordAudit: (entry) => audit.record(entry) }),
    authenticate: createAuthentication(stores.users, clock).authenticate,
    uploadLimit: async () => options.uploadLimit ?? 1024 * 1024,
    openapi: () => JSON.stringify(createOpenapi([...registry.values()], 'test')),
    ...(options.streamLimits ? { streamLimits: options.streamLimits } : {}),
  });
  let ids = 0;
  addAuthRoutes(app, { ...createUsers(stores.users, clock), session: userSession(stores.users, clock) }, { isHttps: false, toError: (error, path) => toAppError(error, path, log, () => `fault-${(ids += 1)}`) });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, faults, close: () => app.close() };
}
