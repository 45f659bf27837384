/**
 * Makes the engine and the proxy of one host follow the database. One run at a time; requests meanwhile
 * become one more run. A host that cannot be reached is left as it is, and looked at again soon at first,
 * then at the usual pace: its silence costs the other hosts nothing, and nothing is concluded from it.
 */
import { AppError, sentenceOf } from '../domain/errors.ts';
import type { Proxy, Route } from '../ports/proxy.ts';
import { createRouteChanges, type RouteChanges, type RouteChangesOptions } from './route-changes.ts';

/** A host as the reconciler keeps it. */
export interface KeptHost {
  key: string;
  /** As sentences name it. */
  name: string;
  proxy: Proxy;
  /** Throws SERVICE_UNAVAILABLE while the engine does not answer. */
  reach(): Promise<unknown>;
  /** Claims the host; undefined when it is ours, else what is new to tell, and nothing there is changed. */
  claim(): Promise<string[] | undefined>;
  /** Keeps containers from ports of the machine; gives what it had to do. */
  guardPorts(): Promise<string[]>;
  /** Makes platform network and proxy service as they should be. */
  ensurePlatform(): Promise<string[]>;
  /** Puts services right and gives what it found. */
  services(): Promise<string[]>;
  /** Attaches the proxy to every network it must reach; gives what it found. */
  attachProxy(): Promise<string[]>;
  /** The routes as they should be. */
  routes(): Promise<Route[]>;
}

export interface HostReconcilerOptions {
  host: KeptHost;
  database: Pick<RouteChangesOptions, 'transaction' | 'attempt'>;
  /** Told what differed, and what could not be put right. */
  onDrift(lines: string[]): void;
  intervalMs: number;
}

export interface HostReconciler extends RouteChanges {
  host: KeptHost;
  /** Everything once; problems are reported, never thrown. */
  run(): Promise<void>;
  /**
   * Whether the proxy answers, as far as is known: at once where it did when it was last asked, else by
   * asking it now.
   */
  hasProxy(): Promise<boolean>;
  /** Puts the routes as they are now onto the proxy, in whatever transaction the caller is. */
  applyNow(): Promise<{ changed: boolean }>;
  /** Once it is started: resolves when it was put right for the first time, or after a while. */
  settled(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const readyLimitMs = 30_000;
const proxyWatchMs = 3000;
const firstRetryMs = 5000;
const longestRetryMs = 30_000;

export function createHostReconciler(options: HostReconcilerOptions): HostReconciler {
  const { host, database, intervalMs } = options;
  const firstRun = Promise.withResolvers<void>();
  const reach = createReach(options);
  const proxy = watchedProxy(host);
  const ready = (): Promise<void> => Promise.race([firstRun.promise, after(readyLimitMs)]);
  const changes = createRouteChanges({
    ...database,
    ready,
    apply: proxy.apply,
  });
  let isStarted = false;
  let watching: NodeJS.Timeout | undefined;
  let next: NodeJS.Timeout | undefined;
  const runs = oneAtATime(
    async () => {
      const isReached = await reach.attempt(() => reconcileOnce(host, changes.applyRoutes));
      // Whoever changes routes asks the proxy first then.
      if (!isReached) proxy.doubt();
      firstRun.resolve();
    },
    () => {
      clearTimeout(next);
      if (isStarted) next = setTimeout(() => void runs.run(), Math.min(reach.retryMs(), intervalMs));
    },
  );
  /**
   * A proxy that was restarted knows no routes and answers 503 until it is given them; a minute would be too
   * long.
   */
  async function watch(): Promise<void> {
    if (!runs.isRunning() && (await proxy.look()) === '') void runs.run();
    if (isStarted) watching = setTimeout(() => void watch(), proxyWatchMs);
  }
  return {
    host,
    ...changes,
    run: runs.run,
    applyNow: proxy.apply,
    hasProxy: proxy.isThere,
    settled: async () => (isStarted ? ready() : undefined),
    start() {
      if (isStarted) return;
      isStarted = true;
      watching = setTimeout(() => void watch(), proxyWatchMs);
      void runs.run();
    },
    async stop() {
      isStarted = false;
      clearTimeout(watching);
      clearTimeout(next);
      await runs.stop();
    },
  };
}

/** Runs that are asked for while one is under way become one more. */
function oneAtATime(work: () => Promise<void>, ended: () => void) {
  let current: Promise<void> | undefined;
  let again = false;
  async function loop(): Promise<void> {
    do {
      again = false;
      await work();
    } while (again);
  }
  return {
    isRunning: () => current !== undefined,
    run(): Promise<void> {
      if (current) again = true;
      current ??= loop().finally(() => {
        current = undefined;
        ended();
      });
      return current;
    },
    async stop(): Promise<void> {
      again = false;
      await current;
    },
  };
}

/** The proxy, and whether it answered when it was last asked. */
function watchedProxy({ proxy, routes }: KeptHost) {
  let isAnswering = true;
  async function look(): Promise<string | undefined> {
    const answered = await proxy.current().catch(() => undefined);
    isAnswering = answered !== undefined;
    return answered;
  }
  return {
    look,
    isThere: async () => isAnswering || (await look()) !== undefined,
    doubt() {
      isAnswering = false;
    },
    async apply(): Promise<{ changed: boolean }> {
      try {
        const answer = await proxy.apply(routes);
        isAnswering = true;
        return answer;
      } catch (error) {
        if (isUnavailable(error)) isAnswering = false;
        throw error;
      }
    },
  };
}

/** Whether the host answers, and when it is asked again. */
function createReach({ host, onDrift }: Pick<HostReconcilerOptions, 'host' | 'onDrift'>) {
  let since: string | undefined;
  let retryMs = Infinity;
  return {
    retryMs: () => retryMs,
    /**
     * Works while the host can be reached, and gives whether it could; tells once that it cannot, and once
     * that it can again.
     */
    async attempt(work: () => Promise<string[]>): Promise<boolean> {
      const silence = await host.reach().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (isUnavailable(silence)) {
        if (since === undefined)
          onDrift([`${sentenceOf(silence)} Nothing on ${host.name} is changed until it answers.`]);
        since ??= new Date().toISOString();
        retryMs = retryMs === Infinity ? firstRetryMs : Math.min(retryMs * 2, longestRetryMs);
        return false;
      }
      const found = await work();
      if (since !== undefined)
        found.unshift(`${host.name} answers again; it could not be reached since ${since}`);
      since = undefined;
      retryMs = Infinity;
      if (found.length > 0) onDrift(found);
      return true;
    },
  };
}

/** Each part by itself, so that one that cannot be put right holds up no other. */
async function reconcileOnce(host: KeptHost, applyRoutes: RouteChanges['applyRoutes']): Promise<string[]> {
  const refused = await host.claim();
  if (refused !== undefined) return refused;
  const found: string[] = [];
  const step = async (name: string, work: () => Promise<string[]>): Promise<void> => {
    try {
      found.push(...(await work()));
    } catch (error) {
      found.push(`${name}: ${sentenceOf(error)}`);
    }
  };
  await step('ports', host.guardPorts);
  await step('platform', host.ensurePlatform);
  await step('services', host.services);
  await step('networks', host.attachProxy);
  await step('routes', async () =>
    (await applyRoutes()).changed ? ['routes: the proxy differed from the database; loaded them again'] : [],
  );
  return found;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
