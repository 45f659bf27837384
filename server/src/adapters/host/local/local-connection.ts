/** Berth's own machine as a host: nothing has to be forwarded. */
import { existsSync } from 'node:fs';
import { hostname, networkInterfaces, release } from 'node:os';
import type { HostFacts, HostFiles, HostFolders } from '../../../ports/host/host.ts';
import type { HostConnection } from '../../../ports/host/host-connection.ts';
import { createBuildLimiter } from './build-limits.ts';
import { routesCommand, routesIn } from '../../../domain/network/routes.ts';
import { isPortFree } from './free-port.ts';
import { createPortWall } from './port-wall.ts';
import { outputOf } from './program-output.ts';
import { realPath } from './real-path.ts';

export interface LocalOptions {
  engineSocket: string;
  folders: HostFolders;
  files: HostFiles;
  probePath: string;
  proxyPorts: { http: number; https: number };
}

export function localConnection({
  engineSocket,
  folders,
  files,
  probePath,
  proxyPorts,
}: LocalOptions): HostConnection {
  return {
    engineSocket,
    measured: { proc: '/proc', disks: ['/var/lib/docker', '/'] },
    folders,
    files,
    probePath,
    proxyPorts,
    proxyFolder: folders.proxy,
    buildersFolder: folders.builders,
    protectedPaths: [folders.data, '/var/lib/docker', '/var/lib/containerd'],
    realPath,
    buildLimiter: (socket) => createBuildLimiter(socket),
    isPortFree,
    portWall: createPortWall(),
    facts: async () => factsOf(probePath),
    routes: async () => routesIn((await outputOf(routesCommand)) ?? ''),
  };
}

/** Asked anew each time: the engine loads the kernel's IP_VS for its first ingress network. */
function factsOf(probePath: string): HostFacts {
  return {
    kernel: release(),
    hasRoutingMesh: existsSync('/proc/net/ip_vs'),
    hasProbe: existsSync(probePath),
    address: ownAddress(),
    addresses: Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []),
    hostName: hostname(),
  };
}

/** What generated host names point to until somebody sets serverIp. */
function ownAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}
