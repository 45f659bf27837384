/**
 * Berth with further hosts: each server whose name is that of a bed host that this one sees is connected by
 * plain paths to its sockets. Runs on a bed host in place of the compiled program.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { release } from 'node:os';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createWorkFiles } from '../../../server/src/adapters/files/work-files.ts';
import { createBuildLimiter } from '../../../server/src/adapters/host/local/build-limits.ts';
import { createBerth } from '../../../server/src/composition/berth.ts';
import type { Connect } from '../../../server/src/composition/hosts/hosts.ts';
import { createLog } from '../../../server/src/composition/installation/log.ts';
import { readConfig } from '../../../server/src/config.ts';
import type { HostConnection } from '../../../server/src/ports/host/host-connection.ts';

/** What the other host calls the folder that this one sees. */
const there = '/run/bed';

const connectSeen: Connect = async ({ name, ipAddress }) => {
  const here = join('/run/hosts', name);
  return existsSync(here) ? connectionOver(here, ipAddress) : undefined;
};

function connectionOver(here: string, address: string): HostConnection {
  const folders = {
    data: `${there}/berth`,
    proxy: `${there}/berth/proxy`,
    composes: `${there}/berth/composes`,
    builders: `${there}/berth/builders`,
  };
  const asSeen = (path: string): string => path.replace(there, here);
  mkdirSync(asSeen(folders.proxy), { recursive: true, mode: 0o700 });
  const files = createWorkFiles();
  const engineSocket = join(here, 'docker.sock');
  return {
    engineSocket,
    folders,
    proxyFolder: asSeen(folders.proxy),
    buildersFolder: asSeen(folders.builders),
    proxyPorts: { http: 80, https: 443 },
    probePath: '/bin/busybox',
    protectedPaths: [folders.data, '/var/lib/docker'],
    // Nothing there binds a path.
    realPath: async (path) => path,
    files: {
      copyInside: (root, path, target, options) => files.copyInside(root, path, asSeen(target), options),
      remove: (path) => files.remove(asSeen(path)),
      names: (path) => files.names(asSeen(path)),
    },
    buildLimiter: (socket) => createBuildLimiter(socket),
    facts: async () => ({
      kernel: release(),
      hasRoutingMesh: false,
      hasProbe: true,
      address,
      addresses: [address],
      hostName: '',
    }),
    routes: async () => [],
    isPortFree: (port) => refuses(address, port),
  };
}

function refuses(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const trial = connect({ host, port });
    trial.once('connect', () => {
      trial.destroy();
      resolve(false);
    });
    trial.once('error', () => resolve(true));
  });
}

const config = readConfig(process.env);
const berth = await createBerth(config, createLog(config.logLevel), { connect: connectSeen });
await berth.app.listen({ host: config.host, port: config.port });
await berth.listenForProxy();
berth.worker.start();
berth.reconciler.start();
process.once('SIGTERM', () => void berth.close().then(() => process.exit(0)));
