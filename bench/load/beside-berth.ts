/** A server before a Berth: it answers some requests itself and passes the others on. */
import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BesideBerth {
  url: string;
  close(): Promise<void>;
}

export async function serveBeside(listener: RequestListener): Promise<BesideBerth> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Asks the server at `url` the same, and answers what it answers. */
export function passOn(asked: IncomingMessage, answer: ServerResponse, url: string): void {
  const onward = request(new URL(asked.url ?? '/', url), { method: asked.method, headers: asked.headers });
  onward.once('response', (answered) => {
    answer.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(answer);
  });
  onward.once('error', () => answer.destroy());
  answer.once('close', () => onward.destroy());
  asked.pipe(onward);
}
