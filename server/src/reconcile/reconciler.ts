/**
 * Makes the engines and proxies of all hosts follow the database: at start, after every change, every minute.
 * Each host goes at its own pace.
 */
import { AppError } from '../domain/errors.ts';
import { everyServer, type ChangeRoutes } from '../ports/proxy.ts';
import {
  createHostReconciler,
  type HostReconciler,
  type HostReconcilerOptions,
  type KeptHost,
} from './host-reconciler.ts';
import { unlessAbsent } from './route-changes.ts';

export interface ReconciledHosts {
  find(serverKey: string): Promise<KeptHost | undefined>;
  /** Berth's own machine first; nodes of clusters last. */
  all(): Promise<KeptHost[]>;
  /** Keys of the servers that are nodes of its cluster: their proxies have its routes, too. */
  nodesOf(serverKey: string): Promise<readonly string[]>;
}

export interface ReconcilerOptions {
  hosts: ReconciledHosts;
  database: HostReconcilerOptions['database'];
  /** Told what differed on a host, and what could not be put right. */
  onDrift(host: KeptHost, lines: string[]): void;
  intervalMs?: number;
}

const usualIntervalMs = 60_000;

export interface Reconciler {
  /** Everything once, on one host or on all; problems are reported, never thrown. */
  run(serverKey?: string): Promise<void>;
  /**
   * The routes of a server alone; throws when its proxy does not answer or refuses them, except where they
   * may wait: the run that finds the proxy again gives it them then. Nothing to do for one that is not
   * connected.
   */
  applyRoutes(serverKey: string, options?: { mayWait?: boolean }): Promise<void>;
  changeRoutes: ChangeRoutes;
  /** The host has another swarm from now on, or none: what was kept of it is begun anew when it is met. */
  forget(serverKey: string): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export function createReconciler(options: ReconcilerOptions): Reconciler {
  const keeping = keepHosts(options);
  let looking: NodeJS.Timeout | undefined;
  /** Nobody waits for them: a node that does not answer gets the routes when it does. */
  async function nodesFollow(serverKey: string): Promise<void> {
    if (serverKey === everyServer) return;
    for (const key of await options.hosts.nodesOf(serverKey))
      void keeping.find(key).then(
        (node) => node?.run(),
        () => undefined,
      );
  }

  return {
    async run(serverKey) {
      const found = serverKey === undefined ? await keeping.all() : [await keeping.find(serverKey)];
      await Promise.all(found.map(async (host) => host?.run()));
    },
    async applyRoutes(serverKey, { mayWait = false } = {}) {
      const host = await keeping.find(serverKey);
      if (mayWait) {
        await host?.applyRoutes().catch(unlessAbsent);
        return nodesFollow(serverKey);
      }
      // One that was connected just now has no proxy yet.
      await host?.settled();
      await host?.applyRoutes();
      await nodesFollow(serverKey);
    },
    async changeRoutes(serverKey, write, change, options) {
      const hosts = serverKey === everyServer ? await keeping.all() : [await keeping.find(serverKey)];
      const [first, ...others] = hosts.filter((host) => host !== undefined);
      const changed = await (first ? changeOn(first, others, { write, change, ...options }) : write(change));
      await nodesFollow(serverKey);
      return changed;
    },
    forget: keeping.forget,
    start() {
      // Those that are connected later are found here; each then goes at its own pace.
      looking = setInterval(() => void keeping.startAll(), options.intervalMs ?? usualIntervalMs);
      void keeping.startAll();
    },
    async stop() {
      clearInterval(looking);
      await keeping.stopAll();
    },
  };
}

interface KeptHosts {
  find(serverKey: string): Promise<HostReconciler | undefined>;
  all(): Promise<HostReconciler[]>;
  forget(serverKey: string): Promise<void>;
  startAll(): Promise<void>;
  stopAll(): Promise<void>;
}

/** One reconciler for each host, made when the host is first met. */
function keepHosts({ hosts, database, onDrift, intervalMs = usualIntervalMs }: ReconcilerOptions): KeptHosts {
  const kept = new Map<string, HostReconciler>();
  let isStarted = false;
  let isStopped = false;
  function keep(host: KeptHost): HostReconciler {
    const present = kept.get(host.key);
    if (present) return present;
    const made = createHostReconciler({
      host,
      database,
      intervalMs,
      onDrift: (lines) => onDrift(host, lines),
    });
    kept.set(host.key, made);
    return made;
  }
  const all = async (): Promise<HostReconciler[]> => (await hosts.all()).map(keep);
  return {
    all,
    async find(serverKey) {
      const found = await hosts.find(serverKey);
      const host = found && keep(found);
      // One that was connected since is not left to the next look at all.
      if (isStarted && !isStopped) host?.start();
      return host;
    },
    async forget(serverKey) {
      const former = kept.get(serverKey);
      kept.delete(serverKey);
      await former?.stop();
    },
    async startAll() {
      isStarted = true;
      for (const host of await all().catch(() => [])) if (!isStopped) host.start();
    },
    async stopAll() {
      isStopped = true;
      await Promise.all([...kept.values()].map((host) => host.stop()));
    },
  };
}

interface Change<T> {
  write<R>(work: () => Promise<R>): Promise<R>;
  change(): Promise<T>;
  mayWait?: boolean | undefined;
}

/**
 * A proxy that does not answer is found out before the transaction, which holds up every other writer. Of
 * several hosts the first decides; the others take the change too or refuse it for all, and those that do not
 * answer follow when they do.
 */
async function changeOn<T>(
  first: HostReconciler,
  others: readonly HostReconciler[],
  { write, change, mayWait = false }: Change<T>,
): Promise<T> {
  if (!(await first.hasProxy())) {
    if (mayWait) return write(change);
    // What is wrong with the change itself is said first; nothing of it stays.
    return write(async () => {
      await change();
      throw silentProxy(first.host);
    });
  }
  const taken: HostReconciler[] = [];
  const everywhere = async (): Promise<T> => {
    const result = await change();
    for (const host of others) {
      if (!(await host.hasProxy())) continue;
      taken.push(host);
      await host.applyNow().catch(unlessUnavailable);
    }
    return result;
  };
  try {
    return await first.changeRoutes(write, everywhere, { mayWait });
  } finally {
    // After the commit as after a refusal: what they were given then may not be what stands now.
    for (const host of taken) void host.applyRoutes().catch(() => undefined);
  }
}

function silentProxy({ name }: KeptHost): AppError {
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The proxy of ${name} does not answer, so nothing was changed. Berth restarts it; try again in a ` +
      'minute, and see the service berth-proxy if this persists.',
  );
}

function unlessUnavailable(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
}
