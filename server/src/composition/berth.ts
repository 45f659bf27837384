/** The whole program from its parts; nothing else creates anything. */
import type { FastifyInstance } from 'fastify';
import { join } from 'node:path';
import { berthSocketName } from '../adapters/proxy/config/caddy-upstreams.ts';
import type { Config } from '../config.ts';
import type { Worker } from '../jobs/worker.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import { createProxySocket } from '../transport/proxy-socket.ts';
import { tidyUp } from '../jobs/after-crash.ts';
import { openGround, type Ground } from './ground.ts';
import { hostReachAtUpgrade } from '../deploy/unapproved-at-upgrade.ts';
import type { Connect } from './hosts/hosts.ts';
import { createKeeping } from './upkeep/keeping.ts';
import type { Log } from './installation/log.ts';
import { forgetNextStart } from '../shell/next-start.ts';
import { localServer } from '../domain/names/server-key.ts';
import { createMachines, type Machines } from './hosts/machines.ts';
import { createObserving } from './hosts/observing.ts';
import { createProduct } from './product.ts';
import { nameReleasedServices } from '../deploy/compose/name-released.ts';
import { createReleasing } from './services/releasing.ts';
import { createApp } from './routers.ts';
import { startTimers } from '../jobs/timers.ts';
import { version } from './installation/version.ts';
import { finishDeletions } from '../jobs/finish-deletions.ts';
import { endBranches } from '../jobs/end-branches.ts';
import { createDiskWatch } from './upkeep/disk-writers.ts';
import { createWatching } from './upkeep/watching.ts';
import { walls as builtWalls, type Walls } from './hosts/walls.ts';
import { createWorking } from './services/working.ts';

export interface Berth {
  app: FastifyInstance;
  worker: Worker;
  reconciler: Reconciler;
  /** Answers the proxy, which reaches Berth by a socket. */
  listenForProxy(): Promise<void>;
  close(): Promise<void>;
}

const stopLimitMs = 8000;

export interface BerthOptions {
  /** Gives the connections of servers besides Berth's own machine, in the place of SSH. */
  connect?: Connect | undefined;
  walls?: Walls;
  /**
   * Told when another Berth has taken over the database, which this one may change no more. Without it the
   * database is not held against others.
   */
  onTakenOver?: (sentence: string) => void;
}

export async function createBerth(
  config: Config,
  log: Log,
  { connect, walls = builtWalls, onTakenOver }: BerthOptions = {},
): Promise<Berth> {
  const ground = await openGround(config, log, walls, onTakenOver);
  await nameReleasedServices(ground.stores);
  const product = await createProduct(ground, walls);
  const machines = createMachines(ground, product, { connect, walls });
  await claimOwnMachine(ground, machines);
  const releasing = createReleasing(ground, product, machines, walls);
  const reconciler = createKeeping(ground, product, machines, releasing, walls);
  const working = createWorking(ground, product, machines, releasing, reconciler);
  const observing = createObserving(ground, machines, product.accounts.events);
  const watching = createWatching(ground, product, machines, observing);
  await Promise.all([tidyUp(ground, machines), product.notifying.tellUpgrade()]);
  const proxySocket = createProxySocket();
  const { app, registry } = createApp({
    ...ground,
    ...product,
    ...machines,
    ...releasing,
    ...working,
    ...watching,
    ...observing,
    reconciler,
    proxySocket,
    members: product.accounts.members,
    version,
  });
  const timers = startTimers({
    ...ground,
    notifying: product.notifying,
    ...working,
    ...watching,
    ...createDiskWatch(ground, product, machines, releasing),
    finishDeletions: () => finishDeletions({ ...ground, ...product, ...product.accounts, registry }),
    endBranches: () => endBranches({ ...ground, ...product, ...product.accounts, registry }),
    schedules: working.backingUp.schedules,
    recovery: working.backingUp.recovery,
    previews: { watch: working.previewing.watch, everyMs: config.previewWatchMs },
  });
  return {
    app,
    worker: working.worker,
    reconciler: alsoStarting(reconciler, () => {
      observing.start();
      watching.ownCollector.start();
    }),
    listenForProxy: () => proxySocket.listen(app, join(ground.local.proxyFolder, berthSocketName)),
    async close() {
      await Promise.all([machines.watch.stop(), watching.ownCollector.stop(), timers.stop()]);
      await proxySocket.close();
      await app.close();
      await Promise.all([working.worker.stop(stopLimitMs), reconciler.stop(), observing.stop()]);
      await ground.letGo();
      await ground.database.close();
    },
  };
}

const alsoStarting = (reconciler: Reconciler, start: () => void): Reconciler => ({
  ...reconciler,
  start() {
    reconciler.start();
    start();
  },
});

/** Before anything on it is changed; Berth does not start where the machine is another's. */
async function claimOwnMachine(ground: Ground, machines: Machines): Promise<void> {
  await ground.claims.requireAtStart(await machines.hosts.of(localServer));
  forgetNextStart(ground.config.data);
  await hostReachAtUpgrade({ ...ground, ...machines });
}
