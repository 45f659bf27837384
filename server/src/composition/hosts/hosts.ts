/** The machines that services run on: Berth's own, and those that `connect` gives a connection to. */
import { proxyServiceName } from '../../domain/names/names.ts';
import { localConnection } from '../../adapters/host/local/local-connection.ts';
import { poolHosts } from '../../adapters/host/pool-hosts.ts';
import { createMachine, type Machine, type MachineOptions } from '../../adapters/host/machine.ts';
import type { Config } from '../../config.ts';
import { clusterEngine, membersIn } from '../../deploy/images/cluster-engine.ts';
import type { TableRecord } from '../../db/tables.ts';
import { createNetworks, type FindProxy, type NetworkOptions } from '../../deploy/spec/networks.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { claimedEngine, type HostClaims } from '../../reconcile/ownership/host-claims.ts';
import type { HostConnection } from '../../ports/host/host-connection.ts';
import type { ContainerState, Engine } from '../../ports/engine/engine.ts';
import type { Host, Hosts } from '../../ports/host/host.ts';
import type { WorkFiles } from '../../ports/host/work-files.ts';
import type { OwnFolders } from '../adapters.ts';
import type { Stores } from '../stores.ts';

/**
 * Connects a server; undefined for one that is not connected. `isUsed`: something is to be done there, so
 * that one that never was connected is now. Throws when the connection cannot be had.
 */
export type Connect = (
  server: TableRecord<'server'>,
  options: { isUsed: boolean },
) => Promise<HostConnection | undefined>;

export interface HostsParts
  extends Pick<NetworkOptions, 'environments' | 'composes' | 'pool'>,
    Omit<MachineOptions, 'dockerPath' | 'staticImage' | 'ownEngineSocket'> {
  config: Pick<Config, 'dockerCli' | 'proxyImage'>;
  /** Of Berth's own machine. */
  local: HostConnection;
  connect: Connect;
  /** The engine of a machine behind its wall. */
  walled(machine: Machine): Engine;
  servers: Pick<Stores['servers'], 'find' | 'list'>;
  platformServices: Pick<Stores['platformServices'], 'idOf'>;
  findProxy: FindProxy;
  claims: Pick<HostClaims, 'requireOnce'>;
  log: { warn(sentence: string): void };
}

export function createHosts(parts: HostsParts): Hosts {
  const membersOf = membersIn(parts.servers);
  return poolHosts({
    local: hostOf(parts, { key: localServer, name: 'this server', connection: parts.local }),
    servers: async () =>
      (await parts.servers.list({})).map(({ serverId, clusterServerId }) => ({
        serverId,
        isNode: clusterServerId !== null,
      })),
    async connect(serverId, isUsed, of) {
      const server = await parts.servers.find({ serverId });
      const connection = server && (await parts.connect(server, { isUsed }));
      const host =
        connection && hostOf(parts, { key: serverId, name: `the server ${server.name}`, connection });
      return (
        host && { ...host, engine: clusterEngine({ head: host, members: () => membersOf(serverId, of) }) }
      );
    },
  });
}

function hostOf(
  parts: HostsParts,
  { key, name, connection }: { key: string; name: string; connection: HostConnection },
): Host {
  const { config, walled } = parts;
  const { dockerCli: dockerPath, proxyImage: staticImage } = config;
  const options = { ...parts, dockerPath, staticImage, ownEngineSocket: parts.local.engineSocket };
  const machine = createMachine({ key, name, connection }, options);
  const engine = claimedEngine({ ...machine, engine: walled(machine) }, parts.claims);
  const proxyContainers = async (): Promise<ContainerState[]> =>
    parts.findProxy(engine, await parts.platformServices.idOf(key, proxyServiceName));
  const networks = createNetworks({
    ...parts,
    engine,
    proxyContainers,
    routes: machine.routes,
    serverName: name,
    onAvoided: (sentence) => parts.log.warn(sentence),
  });
  return { ...machine, engine, networks };
}

/** Berth's own machine, by the configuration. */
export function connectLocal(
  { engineSocket, data, probePath, httpPort, httpsPort }: Config,
  { folders, files }: { folders: OwnFolders; files: WorkFiles },
): HostConnection {
  const { proxy, composes, builders } = folders;
  return localConnection({
    engineSocket,
    folders: { data, proxy, composes, builders },
    files,
    probePath,
    proxyPorts: { http: httpPort, https: httpsPort },
  });
}
