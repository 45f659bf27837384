/**
 * A real server for tests: real accounts, guard and audit on a database, any routers, listening on 127.0.0.1.
 */
import { createAccounts } from '../../server/src/composition/installation/accounts.ts';
import { createStores } from '../../server/src/composition/stores.ts';
import type { Database } from '../../server/src/db/database.ts';
import type { AppError } from '../../server/src/domain/errors.ts';
import { systemClock, type Clock } from '../../server/src/ports/clock.ts';
import { createRegistry, type Router } from '../../server/src/procedure/registry.ts';
import { addAuthRoutes } from '../../server/src/transport/entrance/auth-routes.ts';
import { toAppError } from '../../server/src/transport/envelope.ts';
import { cookieJar } from '../../server/src/transport/entrance/cookies.ts';
import { createHttpServer, type HttpOptions } from '../../server/src/transport/http.ts';
import { createOpenapi } from '../../server/src/transport/openapi/openapi.ts';
import type { StreamLimits } from '../../server/src/transport/streams/stream.ts';
import { trustProxies } from '../../server/src/transport/entrance/trusted-proxies.ts';
import type { FirstSignUp } from '../../server/src/modules/user/sign-in/entrance.ts';

export interface ServeOptions {
  clock?: Clock;
  uploadLimit?: number;
  /** Cookies as below https; the server itself still speaks http. */
  isHttps?: boolean;
  trustedProxies?: string[];
  firstSignUp?: FirstSignUp;
  streamLimits?: StreamLimits;
  liveStreamLimit?: number;
  answerLimit?: number;
  terminals?: HttpOptions['terminals'];
  /** The https address of Berth. */
  secureAddress?(): Promise<string | undefined>;
  /** Further routes; called once the routers are made. */
  addRoutes?(
    app: ReturnType<typeof createHttpServer>,
    toError: (error: unknown, path: string | undefined) => AppError,
  ): void;
}

export interface TestServer {
  url: string;
  /** What an operator would find in the log. */
  faults: { id: string; error: unknown; path: string | undefined }[];
  close(): Promise<void>;
}

export async function serve(
  database: Database,
  routers: readonly Router[],
  options: ServeOptions = {},
): Promise<TestServer> {
  const clock = options.clock ?? systemClock;
  const accounts = createAccounts(createStores(database), database, clock, options);
  const registry = createRegistry(routers);
  const cookies = cookieJar(() => options.isHttps ?? false);
  const faults: TestServer['faults'] = [];
  const log = {
    fault: (id: string, error: unknown, path: string | undefined) => void faults.push({ id, error, path }),
  };
  const app = createHttpServer({
    registry,
    log,
    version: 'test',
    guard: accounts.guard,
    authenticate: accounts.authentication.authenticate,
    cookies,
    ...(options.trustedProxies ? { trustProxy: trustProxies(options.trustedProxies) } : {}),
    uploadLimit: async () => options.uploadLimit ?? 1024 * 1024,
    liveStreamLimit: async () => options.liveStreamLimit ?? 50,
    answerLimit: async () => options.answerLimit ?? 8 * 1024 * 1024,
    openapi: () => JSON.stringify(createOpenapi([...registry.values()], 'test')),
    terminals: options.terminals,
    ...(options.streamLimits ? { streamLimits: options.streamLimits } : {}),
  });
  let ids = 0;
  const toError = (error: unknown, path: string | undefined): AppError =>
    toAppError(error, path, log, () => `fault-${(ids += 1)}`);
  addAuthRoutes(app, accounts.door, { cookies, secureAddress: options.secureAddress, toError });
  options.addRoutes?.(app, toError);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, faults, close: () => app.close() };
}
