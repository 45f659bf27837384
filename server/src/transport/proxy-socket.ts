/** Berth's own socket in the folder of its proxy: how the proxy reaches it, and nobody else. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';

export interface ProxySocket {
  /** Answers on this path from now on, with the routes of `app`. */
  listen(app: FastifyInstance, path: string): Promise<void>;
  /** Whether the request came that way. */
  isFrom(request: Pick<FastifyRequest, 'socket'>): boolean;
  /** Takes no more connections; `app` ends those that are open when it is closed. */
  close(): Promise<void>;
}

export function createProxySocket(): ProxySocket {
  const sockets = new WeakSet<Socket>();
  let server: Server | undefined;
  return {
    isFrom: ({ socket }) => sockets.has(socket),
    async listen(app, path) {
      // What a Berth that was killed has left.
      await rm(path, { force: true });
      const listening = createServer((socket) => {
        sockets.add(socket);
        // A connection of its own, as Node's documentation of the event `connection` has it.
        app.server.emit('connection', socket);
      });
      await new Promise<void>((resolve, reject) => {
        listening.once('error', reject).listen(path, resolve);
      });
      await chmod(path, 0o600);
      server = listening;
    },
    async close() {
      server?.close();
    },
  };
}
