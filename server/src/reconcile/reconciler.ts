/** Makes the engine and the proxy follow the database: at start, after every change, every minute. One run at a time; requests meanwhile become one more run. */
import { sentenceOf } from '../domain/errors.ts';
import type { ChangeRoutes, Proxy, Route } from '../ports/proxy.ts';
import { createRouteChanges, type RouteChangesOptions } from './route-changes.ts';

export interface ReconcilerOptions {
  proxy: Proxy;
  /** Makes platform network and proxy service as they should be. */
  ensurePlatform(): Promise<string[]>;
  /** Puts services right and gives what it found. */
  services(): Promise<string[]>;
  /** Attaches the proxy to every network it must reach; gives what it found. */
  attachProxy(): Promise<string[]>;
  /** The routes as they should be. */
  routes(): Promise<Route[]>;
  database: Pick<RouteChangesOptions, 'transaction' | 'attempt'>;
  /** Told what differed, and what could not be put right. */
  onDrift(lines: string[]): void;
  intervalMs?: number;
}

const readyLimitMs = 30_000;
const proxyWatchMs = 3000;

export interface Reconciler {
  /** Everything once; problems are reported, never thrown. */
  run(): Promise<void>;
  /** The routes alone; throws when the proxy does not answer or refuses them. */
  applyRoutes(): Promise<void>;
  changeRoutes: ChangeRoutes;
  /** Resolves when the first run since the start is over (the proxy is there then), at the latest after 30 s. */
  ready(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { proxy } = options;
  const timers: NodeJS.Timeout[] = [];
  const firstRun = Promise.withResolvers<void>();
  let current: Promise<void> | undefined;
  let again = false;

  const ready = (): Promise<void> =>
    Promise.race([
      firstRun.promise,
      new Promise<void>((resolve) => setTimeout(resolve, readyLimitMs).unref()),
    ]);
  const changes = createRouteChanges({
    ...options.database,
    ready,
    apply: () => proxy.apply(options.routes),
  });

  async function loop(): Promise<void> {
    do {
      again = false;
      await reconcileOnce(options, changes.applyRoutes);
      firstRun.resolve();
    } while (again);
  }

  function run(): Promise<void> {
    if (current) again = true;
    current ??= loop().finally(() => {
      current = undefined;
    });
    return current;
  }

  /** A proxy that was restarted knows no routes and answers 503 until it is given them; a minute would be too long. */
  async function lookAtProxy(): Promise<void> {
    if (current) return;
    const answered = await proxy.current().catch(() => undefined);
    if (answered === '') void run();
  }

  return {
    run,
    ready,
    applyRoutes: async () => {
      await changes.applyRoutes();
    },
    changeRoutes: changes.changeRoutes,
    start() {
      timers.push(
        setInterval(() => void run(), options.intervalMs ?? 60_000),
        setInterval(() => void lookAtProxy(), proxyWatchMs),
      );
      void run();
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      again = false;
      await current;
    },
  };
}

/** Each part by itself, so that one that cannot be put right holds up no other. */
async function reconcileOnce(
  options: ReconcilerOptions,
  applyRoutes: () => Promise<{ changed: boolean }>,
): Promise<void> {
  const found: string[] = [];
  const step = async (name: string, work: () => Promise<string[]>): Promise<void> => {
    try {
      found.push(...(await work()));
    } catch (error) {
      found.push(`${name}: ${sentenceOf(error)}`);
    }
  };
  await step('platform', options.ensurePlatform);
  await step('services', options.services);
  await step('networks', options.attachProxy);
  await step('routes', async () =>
    (await applyRoutes()).changed ? ['routes: the proxy differed from the database; loaded them'] : [],
  );
  if (found.length > 0) options.onDrift(found);
}
