/** Makes the engine and the proxy follow the database: at start, after every change, every minute. One run at a time; requests meanwhile become one more run. */
import { AppError, sentenceOf } from '../domain/errors.ts';
import type { ChangeRoutes, Proxy, Route } from '../ports/proxy.ts';

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
  let routing: Promise<unknown> = Promise.resolve();

  /** One after another, so that an older picture never replaces a newer one. */
  function applyRoutes(): Promise<{ changed: boolean }> {
    const next = routing.then(async () => proxy.apply(await options.routes()));
    routing = next.catch(() => undefined);
    return next;
  }

  async function loop(): Promise<void> {
    do {
      again = false;
      await reconcileOnce(options, applyRoutes);
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

  const ready = (): Promise<void> => Promise.race([firstRun.promise, new Promise<void>((resolve) => setTimeout(resolve, readyLimitMs).unref())]);

  return {
    run,
    ready,
    applyRoutes: async () => {
      await applyRoutes();
    },
    async changeRoutes(write, change, { mayWait = false } = {}) {
      const apply = mayWait ? () => applyRoutes().catch(unlessAbsent) : applyRoutes;
      await ready();
      const changed = await write(async () => {
        const result = await change();
        await apply();
        return result;
      });
      // Once more with what is committed: another change may have been on its way at the same time.
      await apply();
      return changed;
    },
    start() {
      timers.push(setInterval(() => void run(), options.intervalMs ?? 60_000), setInterval(() => void lookAtProxy(), proxyWatchMs));
      void run();
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      again = false;
      await current;
    },
  };
}

/** A proxy that does not answer is given its routes when it does (`lookAtProxy`, and each run). */
function unlessAbsent(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
}

/** Each part by itself, so that one that cannot be put right holds up no other. */
async function reconcileOnce(options: ReconcilerOptions, applyRoutes: () => Promise<{ changed: boolean }>): Promise<void> {
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
  await step('routes', async () => ((await applyRoutes()).changed ? ['routes: the proxy differed from the database; loaded them'] : []));
  if (found.length > 0) options.onDrift(found);
}
