/**
 * Berth as it runs, put together by the product's own composition on a machine in memory. It listens nowhere;
 * its HTTP server is asked by `inject`.
 */
import { proxyServiceName } from '../../server/src/domain/names/names.ts';
import type { FastifyInstance } from 'fastify';
import { noOwnHost } from '../http/any-host.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createEndedOutputs } from '../../server/src/adapters/ended-output/files.ts';
import { createEndedOutput, type EndedOutput } from '../../server/src/reconcile/observing/stopped-output.ts';
import { createLego } from '../../server/src/adapters/acme/lego.ts';
import { createAccessLog } from '../../server/src/adapters/access-log/access-log.ts';
import { createUploads } from '../../server/src/adapters/archive/uploads.ts';
import { createNameResolver } from '../../server/src/adapters/dns/name-resolver.ts';
import { createGitApis } from '../../server/src/adapters/git-api/git-apis.ts';
import { createMailer } from '../../server/src/adapters/mail/smtp.ts';
import { createObjectStores } from '../../server/src/adapters/object-store/stores.ts';
import { createOutgoing } from '../../server/src/adapters/outgoing/outgoing.ts';
import { createCaddyStore } from '../../server/src/adapters/proxy/caddy-store.ts';
import { sshKeyPairs } from '../../server/src/adapters/ssh/key-pairs.ts';
import { composeFoldersOf, type Adapters } from '../../server/src/composition/adapters.ts';
import { hostReachOn, walledEngine } from '../../server/src/composition/installation/host-reach.ts';
import { diskQuotasOf } from '../../server/src/deploy/disk-quotas.ts';
import { imageAccessOf } from '../../server/src/composition/services/image-access.ts';
import { walls as builtWalls, type Walls } from '../../server/src/composition/hosts/walls.ts';
import type { Ground } from '../../server/src/composition/ground.ts';
import { claimedEngine } from '../../server/src/reconcile/ownership/host-claims.ts';
import { hostClaimsOf } from '../../server/src/composition/hosts/claims.ts';
import { createKeeping } from '../../server/src/composition/upkeep/keeping.ts';
import type { Machines } from '../../server/src/composition/hosts/machines.ts';
import { createDeployed } from '../../server/src/composition/services/previewing.ts';
import { createProduct, type Product } from '../../server/src/composition/product.ts';
import { createSwarmPorts } from '../../server/src/reconcile/packet-filter/swarm-ports.ts';
import { createObserving } from '../../server/src/composition/hosts/observing.ts';
import { createProxyWatch } from '../../server/src/composition/hosts/proxy-watch.ts';
import { createReleasing, type Releasing } from '../../server/src/composition/services/releasing.ts';
import { createApp } from '../../server/src/composition/routers.ts';
import { createStores, type Stores } from '../../server/src/composition/stores.ts';
import { createWatching } from '../../server/src/composition/upkeep/watching.ts';
import { createWorking } from '../../server/src/composition/services/working.ts';
import { createProxySocket } from '../../server/src/transport/proxy-socket.ts';
import { readConfig, type Config } from '../../server/src/config.ts';
import type { Database } from '../../server/src/db/database.ts';
import { createNetworks } from '../../server/src/deploy/spec/networks.ts';
import type { ContainerState } from '../../server/src/ports/engine/engine.ts';
import { localServer } from '../../server/src/domain/names/server-key.ts';
import type { Deployments } from '../../server/src/modules/deployment/deployment.ts';
import type { Interruption } from '../../server/src/modules/interruption/interruption.ts';
import type { PreviewDeployments } from '../../server/src/modules/preview-deployment/preview-deployment.ts';
import { createRegistries } from '../../server/src/modules/registry/registry.ts';
import { createSettings } from '../../server/src/modules/settings/settings.ts';
import { systemClock as clock } from '../../server/src/ports/clock.ts';
import type { Events } from '../../server/src/modules/event/event.ts';
import type { ImageIntake } from '../../server/src/ports/engine/builder.ts';
import type { Outgoing } from '../../server/src/ports/outgoing.ts';
import type { HostConnection } from '../../server/src/ports/host/host-connection.ts';
import type { Host, Hosts } from '../../server/src/ports/host/host.ts';
import type { Reconciler } from '../../server/src/reconcile/reconciler.ts';
import type { EngineInMemory } from '../engine-in-memory/engine-in-memory.ts';
import { worldInstallation } from '../installation.ts';
import {
  builderOf,
  filesOf,
  gitOf,
  intakeOf,
  logOf,
  logsOf,
  noStanding,
  proxyOf,
  type Machine,
} from './neighbours.ts';
import { goByTheClock, unobserved } from './by-the-clock.ts';
import { guardDatabase, type Reaper } from './reaper.ts';

export interface World
  extends Pick<Product, 'applications' | 'databases' | 'composes' | 'domains' | 'environments'> {
  stores: Stores;
  previews: PreviewDeployments;
  deployments: Deployments;
  hosts: Hosts;
  reconciler: Reconciler;
  interruption: Interruption;
  pending: Releasing['pending'];
  runtime: Releasing['runtime'];
  running: Releasing['running'];
  events: Events;
  /** What the reconciler found different, since the start. */
  drift: string[];
  /** What nobody expected. */
  faults: string[];
  /** Does what a start of Berth does, and takes jobs from then on. */
  start(): Promise<void>;
  wake(): void;
  /** Watches the engines and does from now on what comes back by the clock, until what it gives is called. */
  goByTheClock(): Promise<() => Promise<void>>;
  /** The HTTP server, which listens nowhere; made when it is asked for. */
  http(): FastifyInstance;
}

export interface WorldOptions {
  walls?: Walls | undefined;
  /** The way out of this process; without it there is none. */
  outgoing?: Outgoing;
  /** Whose the world is; all of a test are one installation's when absent. */
  installation?: Ground['installation'];
  adopts?: boolean;
  /** Observers look at the engines, as in the product; else nothing is seen of what runs. */
  observes?: boolean;
}

export async function createWorld(
  machine: Machine,
  plain: Database,
  folder: string,
  reaper: Reaper,
  options: WorldOptions = {},
): Promise<World> {
  const { walls = builtWalls, outgoing = nowhere } = options;
  const [drift, faults]: [string[], string[]] = [[], []];
  const config = readConfig({ BERTH_DATA: folder, BERTH_PROXY_IMAGE: 'caddy:2' });
  const database = guardDatabase(reaper, plain);
  const adapters = adaptersOf(machine, config, reaper, outgoing);
  const local = connectionOf(machine, config, reaper);
  const ground = groundOf({ config, log: logOf(drift, faults), database, adapters, local }, options);
  const product = await createProduct(ground, walls);
  const ending = { ...product, endedOutput: createEndedOutput(ground) };
  const hosts = hostsOn(machine, (place) => hostOf(place, ground, ending, reaper, walls));
  const machines = machinesOf(ground, ending, hosts);
  const observing = createObserving(ground, machines, product.accounts.events);
  const releasing = createReleasing(ground, product, machines, walls);
  const reconciler = createKeeping(ground, product, machines, releasing, walls);
  const working = createWorking(ground, product, machines, releasing, reconciler);
  const { interruption, worker } = working;
  const sight = options.observes ? observing : unobserved;
  const besides = {
    reconciler,
    members: product.accounts.members,
    version: 'in memory',
    ...sight,
    ...createWatching(ground, product, machines, sight),
    proxySocket: createProxySocket(),
  };
  const served = once(() =>
    createApp({ ...ground, ...product, ...machines, ...releasing, ...working, ...besides }),
  );
  return {
    ...product,
    ...machines,
    ...releasing,
    stores: ground.stores,
    events: product.accounts.events,
    reconciler,
    interruption,
    drift,
    faults,
    wake: product.queue.wake,
    goByTheClock: () =>
      goByTheClock({ ground, product, working, observing, besides, registry: () => served().registry }),
    http: () => served().app,
    async start() {
      await ground.claims.requireAtStart(hosts.own);
      await ground.stores.jobs.releaseAll();
      await tidyFolders(machine, machines.deployments);
      reconciler.start();
      worker.start();
      await reconciler.run();
    },
  };
}

function groundOf(
  parts: Pick<Ground, 'config' | 'log' | 'database' | 'adapters' | 'local'>,
  { installation = worldInstallation, adopts = false }: WorldOptions,
): Ground {
  const made = { ...parts, installation };
  const stores = createStores(made.database);
  // Some images were loaded by hand; the others come from a registry.
  const settings = createSettings(stores.settings, { sharedImages: ['redis', 'local/'] });
  return {
    ...made,
    clock,
    stores,
    settings,
    claims: hostClaimsOf({ ...made, adopts, stores }),
    applied: [],
    letGo: async () => undefined,
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

type Ending = Product & { endedOutput: EndedOutput };

interface HostPlace {
  key: string;
  name: string;
  machine: Machine;
  engineAt(socket: string): EngineInMemory;
}

/** Berth's own machine, and the servers beside it. */
function hostsOn(own: Machine, make: (place: HostPlace) => Host): Hosts & { own: Host } {
  const made = new Map<string, Host>();
  const machineOf = (key: string): Machine | undefined => (key === localServer ? own : own.others.get(key));
  const engineAt = (socket: string): EngineInMemory => {
    const key = [localServer, ...own.others.keys()].find((one) => intakeOf(one) === socket);
    const machine = machineOf(key ?? '');
    if (!machine) throw new Error(`No engine listens on ${socket}.`);
    return machine.memory;
  };
  const hostAt = (key: string): Host | undefined => {
    const machine = machineOf(key);
    const name = key === localServer ? 'this server' : `the server ${key}`;
    const host = made.get(key) ?? (machine && make({ key, name, machine, engineAt }));
    if (host) made.set(key, host);
    return host;
  };
  const of = (key: string): Host => {
    const host = hostAt(key);
    if (!host) throw new Error(`There is no machine ${key}.`);
    return host;
  };
  return {
    own: of(localServer),
    find: async (key) => hostAt(key),
    of: async (key) => of(key),
    all: async () => [localServer, ...own.others.keys()].map(of),
    nodes: async () => [],
  };
}

function machinesOf(ground: Ground, product: Ending, hosts: Hosts & { own: Host }): Machines {
  const { stores } = ground;
  const host = hosts.own;
  const portGuard = builtWalls.portGuard(ground.config.port);
  const watch = createProxyWatch({
    ...ground,
    settings: product.settings,
    tell: product.notifying.tell,
    counters: product.counters,
  });
  const deployed = createDeployed({
    ...ground,
    ...product,
    hosts,
    wildcard: async () => '*.192-0-2-10.sslip.io',
    commented: async () => undefined,
  });
  return {
    hosts,
    servers: {
      reset: () => undefined,
      shell: () => Promise.reject(new Error('there is no other server')),
    },
    watch,
    ownHost: noOwnHost,
    portGuard,
    swarmPorts: createSwarmPorts({ hosts, servers: stores.servers, portGuard }),
    hostReach: hostReachOn(product.approvals, hosts, host),
    endedOutput: product.endedOutput,
    registries: createRegistries(
      stores.registries,
      host.engine.checkRegistry,
      ground.adapters.outgoing.registry,
      clock,
    ),
    ...deployed,
  };
}

/** Work folders that a killed Berth left, but those of deployments that go on. */
async function tidyFolders(machine: Machine, deployments: Deployments): Promise<void> {
  const files = filesOf(machine);
  const unfinished = new Set((await deployments.unfinished()).map(({ deploymentId }) => deploymentId));
  for (const name of await files.names('/work'))
    if (!unfinished.has(name)) await files.remove(`/work/${name}`);
}

function made(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Nothing leaves this process, and no name is asked for. */
export const nowhere = createOutgoing({
  policyOf: async () => ({ reachesPrivate: true, allowed: [], platform: [] }),
  lookUp: async () => ['1.1.1.1'],
});

function adaptersOf(machine: Machine, config: Config, reaper: Reaper, outgoing: Outgoing): Adapters {
  const folders = {
    work: '/work',
    composes: '/composes',
    builders: '/builders',
    backup: '/backup',
    proxy: '/proxy',
    git: '/git',
  };
  const scratch = made(config.data, 'scratch');
  return {
    folders,
    accessLog: createAccessLog({ folder: made(config.data, 'access') }),
    objectStores: createObjectStores({ rclonePath: config.rclonePath, scratch, outgoing }),
    git: reaper.guard('git', gitOf(machine)),
    gitApis: createGitApis(clock, outgoing),
    keyPairs: sshKeyPairs,
    names: createNameResolver(),
    lego: createLego({ legoPath: config.legoPath, scratch, outgoing }),
    outgoing,
    mailer: createMailer(outgoing),
    files: reaper.guard('files', filesOf(machine)),
    endedOutputs: createEndedOutputs(made(config.data, 'ended'), async () => 2 ** 20),
    logs: logsOf(machine, () => reaper.note('log.line')),
    uploads: createUploads({
      root: made(config.data, 'uploads'),
      freeBytes: async () => 2 ** 40,
      rules: async () => ({ unpackedBytes: 2 ** 30, entries: 1000, keptFree: 0 }),
    }),
  };
}

function connectionOf(machine: Machine, config: Config, reaper: Reaper): HostConnection {
  return {
    engineSocket: config.engineSocket,
    proxyFolder: '/proxy',
    buildersFolder: '/builders',
    buildLimiter: () => {
      throw new Error('The builder in memory limits nothing.');
    },
    proxyPorts: { http: config.httpPort, https: config.httpsPort },
    files: reaper.guard('files', filesOf(machine)),
    folders: { data: '/data', proxy: '/proxy', composes: '/composes', builders: '/builders' },
    probePath: config.probePath,
    protectedPaths: [],
    realPath: async (path) => path,
    facts: async () => ({
      kernel: '6.1.0',
      hasRoutingMesh: true,
      hasProbe: true,
      address: '192.0.2.10',
      addresses: ['192.0.2.10'],
      hostName: 'one',
    }),
    routes: async () => [],
    isPortFree: async () => true,
  };
}

function hostOf(
  { key, name, machine, engineAt }: HostPlace,
  ground: Ground,
  product: Ending,
  reaper: Reaper,
  walls: Walls,
): Host {
  const { config, local, stores } = ground;
  const { engine: bare, view: engineView } = machine.memory.connect(
    (request) => reaper.pass(`engine ${request.method} ${request.path.split('/')[1] ?? ''}`),
    ground.installation.installationId,
  );
  const { settings } = product;
  const onAvoided = (sentence: string): void => ground.log.warn(sentence);
  const proxyContainers = async (): Promise<ContainerState[]> =>
    walls.findProxy(bare, await stores.platformServices.idOf(key, proxyServiceName));
  const pool = async (): Promise<string> => (await settings.get()).networkPool;
  const bareHost = {
    ...local,
    key,
    name,
    reachable: async (waiting: Parameters<NonNullable<Host['reachable']>>[0]) => machine.reachable?.(waiting),
    engine: bare,
    engineView,
    standing: noStanding,
    builder: reaper.guard('builder', builderOf(machine, engineAt)),
    imageIntake: { name, socket: intakeOf(key) },
    copyImage: async (from: ImageIntake, reference: string) => {
      const found = [...engineAt(from.socket).state.images.values()].find(({ tags }) => tags.has(reference));
      await reaper.pass('engine POST images');
      if (found) machine.memory.addImage(reference, found.content);
      return found !== undefined;
    },
    proxy: reaper.guard('proxy', proxyOf(machine)),
    proxyStore: createCaddyStore(made(config.data, `caddy-${key}`)),
  };
  const disk = diskQuotasOf(stores, ground.clock, composeFoldersOf(ground.adapters));
  const parts = { approvals: product.approvals, stores, images: imageAccessOf(ground, walls), disk };
  const walled = product.endedOutput.keeping(bareHost, walledEngine(bareHost, parts, walls));
  const engine = claimedEngine({ ...bareHost, engine: walled }, ground.claims);
  const own = { engine, proxyContainers, pool, serverName: name, onAvoided };
  return {
    ...bareHost,
    engine,
    networks: createNetworks({ ...product, ...bareHost, ...own }),
  };
}
