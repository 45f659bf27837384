/** The adapters of one machine over its connection; the same for Berth's own and for all others. */
import { join } from 'node:path';
import { localServer } from '../../domain/names/server-key.ts';
import { AppError } from '../../domain/errors.ts';
import type { Builder } from '../../ports/engine/builder.ts';
import type { BuildEngines, BuilderWalls } from '../../ports/engine/build-engine.ts';
import type { ProxyStore } from '../../ports/certificates/certificate-news.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Proxy } from '../../ports/proxy.ts';
import type { ImageState } from '../../ports/engine/engine-image.ts';
import type { Host, HostFacts } from '../../ports/host/host.ts';
import type { HostConnection } from '../../ports/host/host-connection.ts';
import type { BuildEnginesOptions } from '../build-engine/build-engines.ts';
import { createBuilder } from '../builder/builder.ts';
import { createEngineView } from '../engine/view/engine-view.ts';
import { ownedLabels } from '../engine/services/ownership.ts';
import { createImageFetch } from '../engine/images/image-fetch.ts';
import { createStanding } from '../engine/exec/standing-container.ts';
import { createSwarmEngine } from '../engine/swarm.ts';
import { createNodeProxy } from '../proxy/node-proxy.ts';
import { createCaddyProxy, type ProxyWatcher } from '../proxy/caddy.ts';
import { createCaddyStore, storeFolder } from '../proxy/caddy-store.ts';
import { adminSocketName } from '../proxy/proxy-service.ts';

/** What a machine is by itself, before the product's networks are on it. */
export type Machine = Omit<Host, 'networks'>;

interface NamedConnection {
  key: string;
  name: string;
  connection: HostConnection;
}

export interface MachineOptions {
  /** Id of the installation that everything made on the machine belongs to. */
  installationId: string;
  clock: Clock;
  /** Absolute path of a docker program with BuildKit, on Berth's own machine. */
  dockerPath: string;
  /** Image of Caddy 2 that serves static sites. */
  staticImage: string;
  /** Bytes of a service's output that one reading gives, the newest. */
  logAnswerBytes?: () => Promise<number>;
  /** Whether set-up alone makes an image of this name. */
  isOwnImage?: ((reference: string) => boolean) | undefined;
  /** Names of cookies that the proxy gives to no service; Berth's own when absent. */
  keptCookies?: readonly string[] | undefined;
  /** Makes the builders of a host. */
  buildEngines(options: BuildEnginesOptions): BuildEngines;
  /** What a builder's network is kept from, on a machine with these addresses and ports of its proxy. */
  builderWalls(
    organizationId: string,
    machine: Pick<HostFacts, 'addresses'> & Pick<Host, 'proxyPorts'>,
  ): Promise<BuilderWalls>;
  /** Whether an image of an engine may be used by every organization. */
  isShared(reference: string): Promise<boolean>;
  /** Whether an organization's build may begin from what an engine has under this name. */
  mayBuildFrom(
    claim: { organizationId: string; serverKey: string; reference: string },
    image: ImageState | undefined,
  ): Promise<boolean>;
  /** Unix socket of the engine of Berth's own machine. */
  ownEngineSocket: string;
  /** Whoever watches the proxy of this key, given its store. */
  watchProxy(serverKey: string, store: ProxyStore): ProxyWatcher;
}

/** `name` as sentences have it: "this server", "the server frankfurt". */
export function createMachine(named: NamedConnection, options: MachineOptions): Machine {
  const { key, name, connection } = named;
  const { clock, dockerPath, staticImage, logAnswerBytes, isOwnImage, ownEngineSocket } = options;
  const { installationId: installation } = options;
  const { engineSocket, transferSocket = engineSocket, proxyFolder, proxyBeside, ...own } = connection;
  const { whySilent } = own;
  // Whoever runs Berth knows the sockets of its own machine; of another one they are Berth's affair.
  const serverName = key === localServer ? undefined : name;
  const proxyStore = createCaddyStore(
    join(proxyBeside?.folder ?? proxyFolder, storeFolder),
    proxyBeside?.disk,
  );
  const fetchImage =
    key === localServer
      ? undefined
      : createImageFetch({ from: ownEngineSocket, to: transferSocket, serverName });
  const engines = buildEnginesOf(connection, options, { key, serverName, fetchImage });
  const address = { socketPath: engineSocket, serverName, whySilent, installation };
  const standing = createStanding(address);
  return {
    ...own,
    key,
    name,
    proxyStore,
    fetchImage,
    imageIntake: { name, socket: transferSocket },
    copyImage: (from, reference, signal) =>
      createImageFetch({ from: from.socket, to: transferSocket, serverName })(reference, signal),
    engine: createSwarmEngine({ ...address, clock, logAnswerBytes, isOwnImage }),
    engineView: createEngineView(address),
    builder: owningBuilder(
      namedBuilder(createBuilder({ dockerPath, engines, serverName: name, staticImage }), serverName),
      installation,
    ),
    standing,
    nodeProxy:
      proxyBeside &&
      createNodeProxy({
        standing,
        ...proxyBeside,
        httpPort: connection.proxyPorts.http,
        httpsPort: connection.proxyPorts.https,
      }),
    proxy: proxyOf(connection, options, { key, serverName, proxyStore }),
  };
}

function buildEnginesOf(
  { engineSocket, buildersFolder, builderFolders, buildLimiter, folders, facts, proxyPorts }: HostConnection,
  { buildEngines, builderWalls, isShared, mayBuildFrom, installationId }: MachineOptions,
  { key, ...named }: Pick<BuildEnginesOptions, 'serverName' | 'fetchImage'> & Pick<Host, 'key'>,
): BuildEngines {
  return buildEngines({
    ...named,
    installation: installationId,
    engineSocket,
    folder: buildersFolder,
    hostFolder: folders.builders,
    folders: builderFolders,
    limiterOf: buildLimiter,
    wallsOf: async (organizationId) =>
      builderWalls(organizationId, { addresses: (await facts()).addresses, proxyPorts }),
    isShared,
    mayBuildFrom: (claim, image) => mayBuildFrom({ ...claim, serverKey: key }, image),
  });
}

function proxyOf(
  { proxyFolder, proxyBeside, proxyPorts, whySilent }: HostConnection,
  { watchProxy, keptCookies }: MachineOptions,
  { key, serverName, proxyStore }: { key: string; serverName: string | undefined; proxyStore: ProxyStore },
): Proxy {
  const { onRequests, ...watcher } = watchProxy(key, proxyStore);
  return createCaddyProxy({
    adminSocket: join(proxyFolder, adminSocketName),
    beside: proxyBeside,
    serverName,
    whySilent,
    publicHttpPort: proxyPorts.http,
    publicHttpsPort: proxyPorts.https,
    keptCookies,
    ...watcher,
    // The log of requests is a file that is followed where it appears.
    ...(proxyBeside === undefined ? { onRequests } : {}),
  });
}

/** Built images bear the id of the installation. */
function owningBuilder(builder: Builder, installation: string): Builder {
  return {
    ...builder,
    build: (request) => builder.build({ ...request, labels: ownedLabels({ installation }, request.labels) }),
  };
}

/** Of another server's engine that does not answer, the sentence says whose it is. */
function namedBuilder(builder: Builder, serverName: string | undefined): Builder {
  if (serverName === undefined) return builder;
  return {
    ...builder,
    build: (request) =>
      builder.build(request).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
        throw new AppError(error.code, `On ${serverName}: ${error.message}`, { cause: error });
      }),
  };
}
