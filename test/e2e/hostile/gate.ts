/**
 * Gates on the machine's own address at which builds, tasks and servers of a bed wait, so that a stage lasts
 * as long as a test needs.
 */
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';

export interface Gate extends AsyncDisposable {
  /** Whoever asks for this address waits while the gate is shut. */
  url(name: string): string;
  shut(name: string): void;
  open(name: string): void;
  /** How many wait there now. */
  waiting(name: string): number;
}

export async function createGate(machineIp: string): Promise<Gate> {
  const shut = new Set<string>();
  const waiting = new Map<string, Set<ServerResponse>>();
  const server = createServer((request, response) => {
    const name = (request.url ?? '/').slice(1);
    if (!shut.has(name)) return void response.end('open\n');
    const here = waiting.get(name) ?? new Set();
    waiting.set(name, here.add(response));
    response.once('close', () => here.delete(response));
  });
  server.requestTimeout = 0;
  server.listen(0, machineIp);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: (name) => `http://${machineIp}:${port}/${name}`,
    shut: (name) => void shut.add(name),
    open(name) {
      shut.delete(name);
      for (const response of waiting.get(name) ?? []) response.end('open\n');
    },
    waiting: (name) => waiting.get(name)?.size ?? 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
