/** Hosts for tests that need no machine: Berth's own, with what a test puts in place of its parts. */
import { createBuildEngines } from '../server/src/adapters/build-engine/build-engines.ts';
import { localConnection } from '../server/src/adapters/host/local/local-connection.ts';
import { createMachine } from '../server/src/adapters/host/machine.ts';
import { createWorkFiles } from '../server/src/adapters/files/work-files.ts';
import { createNetworks } from '../server/src/deploy/spec/networks.ts';
import { AppError } from '../server/src/domain/errors.ts';
import { localServer } from '../server/src/domain/names/server-key.ts';
import { systemClock } from '../server/src/ports/clock.ts';
import { testInstallation } from './installation.ts';
import type { Host, Hosts } from '../server/src/ports/host/host.ts';

/** A host with the real adapters, none of whose sockets is there. */
export function absentHost(parts: Partial<Host> = {}): Host {
  const machine = createMachine(
    {
      key: localServer,
      name: 'this server',
      connection: localConnection({
        engineSocket: '/nonexistent/docker.sock',
        folders: {
          data: '/nonexistent/berth',
          proxy: '/nonexistent/berth/proxy',
          composes: '/nonexistent/berth/composes',
          builders: '/nonexistent/berth/builders',
        },
        files: createWorkFiles(),
        probePath: '/nonexistent/busybox',
        proxyPorts: { http: 80, https: 443 },
      }),
    },
    {
      installationId: testInstallation,
      clock: systemClock,
      dockerPath: '/usr/bin/docker',
      staticImage: 'berth/caddy:2.11',
      buildEngines: createBuildEngines,
      builderWalls: async () => ({ never: [], open: [], closed: [], host: [], hostPorts: [] }),
      isShared: async () => false,
      mayBuildFrom: async () => false,
      ownEngineSocket: '/nonexistent/docker.sock',
      watchProxy: () => ({
        onNews: () => undefined,
        onRequests: async () => undefined,
        beforeLoad: async () => undefined,
        allows: async () => false,
      }),
    },
  );
  const index = { networkIndex: async () => 1 };
  const networks = createNetworks({
    engine: machine.engine,
    environments: index,
    composes: index,
    proxyContainers: async () => [],
    pool: async () => '10.192.0.0/12',
    routes: async () => [],
    serverName: 'this server',
    onAvoided: () => undefined,
  });
  return { ...machine, networks, ...parts };
}

/** Berth's own machine alone, as the product has it: other servers are not connected. */
export function ownHost(parts: Partial<Host> = {}): Hosts {
  return hostsOf(absentHost(parts));
}

/** These hosts and no other. */
export function hostsOf(...hosts: Host[]): Hosts {
  const find = async (serverKey: string): Promise<Host | undefined> =>
    hosts.find(({ key }) => key === serverKey);
  return {
    find,
    async of(serverKey) {
      const host = await find(serverKey);
      if (!host) throw new AppError('SERVICE_UNAVAILABLE', 'This server is not connected.');
      return host;
    },
    all: async () => hosts,
    nodes: async () => [],
  };
}
