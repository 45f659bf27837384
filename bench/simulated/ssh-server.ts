/** An SSH server that forwards to an engine in memory and a proxy's admin interface, and runs nothing. */
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import ssh2, { type Connection } from 'ssh2';
import { createEngineInMemory } from '../../test/engine-in-memory/engine-in-memory.ts';
import { createAdminServer, createEngineServer } from '../../test/engine-in-memory/engine-server.ts';
import { proxy } from '../../test/kill-matrix/images.ts';

export interface SimulatedServer {
  port: number;
  close(): void;
}

/** What programs of a Debian there print, by a word of the command; the others print nothing. */
const printed: readonly [word: string, output: string][] = [
  ['uname -m', 'x86_64\nthere\n'],
  ['uname -r', '6.1.0-18-amd64\nmesh\nprobe\nsimulated\n1: lo    inet 127.0.0.1/8 scope host lo\n'],
];

/** Lets anybody in. */
export async function startSimulatedServer(hostKey: string, proxyImage: string): Promise<SimulatedServer> {
  const memory = createEngineInMemory({ mountedPrograms: { '/.berth/busybox': () => 0 } });
  memory.addImage(proxyImage, proxy);
  const engine = createEngineServer(memory);
  const admin = createAdminServer();
  const open = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
    open.add(connection);
    connection.on('error', () => undefined);
    connection.once('close', () => open.delete(connection));
    connection.on('authentication', (context) => context.accept());
    connection.on('request', (accept) => accept?.());
    connection.on('openssh.streamlocal', (accept, reject, { socketPath }) => {
      const target = targetOf(socketPath, { engine, admin });
      if (target === undefined) return reject();
      target.emit('connection', accept());
    });
    connection.on('session', (acceptSession) => {
      acceptSession().on('exec', (accept, _reject, { command }) => {
        const channel = accept();
        const found = printed.find(([word]) => command.includes(word));
        channel.write(found?.[1] ?? '');
        channel.exit(0);
        channel.end();
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The SSH server has no port.');
  return {
    port: bound.port,
    close() {
      for (const connection of open) connection.end();
      server.close();
    },
  };
}

function targetOf(
  path: string,
  { engine, admin }: { engine: HttpServer; admin: HttpServer },
): HttpServer | undefined {
  if (path === '/run/docker.sock') return engine;
  return path.endsWith('/admin.sock') ? admin : undefined;
}
