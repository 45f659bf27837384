/**
 * What stands between a browser and Berth when the network is bad: a server that passes everything on, and
 * delays, refuses, holds or drops what a rule names.
 */
import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Fate = 'pass' | 'hold' | 'drop' | { delayMs: number } | { status: number } | { page: string };

export interface UnsteadyNetwork extends AsyncDisposable {
  url: string;
  /** Decides on each request by its path; passes everything until it is set. */
  rule: (path: string) => Fate;
  /** Answers that are held now, as an unending stream is. */
  held(): number;
}

export async function startUnsteadyNetwork(target: string): Promise<UnsteadyNetwork> {
  const sockets = new Set<Socket>();
  let held = 0;
  const network: UnsteadyNetwork = {
    url: '',
    rule: () => 'pass',
    held: () => held,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((request, response) => {
    const fate = network.rule(request.url ?? '/');
    if (fate === 'drop') return void request.socket.destroy();
    if (fate === 'hold') {
      held += 1;
      response.on('close', () => void (held -= 1));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write(': held\n\n');
    }
    if (fate !== 'pass' && 'page' in fate) {
      response.writeHead(200, { 'content-type': 'text/html' });
      return void response.end(fate.page);
    }
    if (fate !== 'pass' && 'status' in fate) {
      response.writeHead(fate.status, { 'content-type': 'application/json' });
      return void response.end(
        JSON.stringify({ code: 'INTERNAL_SERVER_ERROR', message: 'Something failed in Berth.' }),
      );
    }
    setTimeout(() => passOn(target, request, response), fate === 'pass' ? 0 : fate.delayMs);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => void sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  network.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return network;
}

function passOn(target: string, request: IncomingMessage, response: ServerResponse): void {
  const onward = send(
    new URL(request.url ?? '/', target),
    { method: request.method, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
