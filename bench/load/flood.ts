/** A server before a Berth that gives all of its answers but one: a log that is written ever faster. */
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setInterval as every } from 'node:timers/promises';

export interface Flood {
  url: string;
  close(): Promise<void>;
}

/** So often a piece of the lines of a second is sent. */
const piecesOfASecond = 50;

/** `deployment.logs` of it has so many lines a second until the reader leaves; the rest is Berth's. */
export async function serveFlood(berthUrl: string, linesPerSecond: number): Promise<Flood> {
  const server = createServer((asked, answer) => {
    const path = asked.url ?? '/';
    if (path.startsWith('/api/deployment.logs')) return void pour(answer, linesPerSecond);
    const onward = request(new URL(path, berthUrl), { method: asked.method, headers: asked.headers });
    onward.once('response', (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    onward.once('error', () => answer.destroy());
    answer.once('close', () => onward.destroy());
    asked.pipe(onward);
  }).listen(0, '127.0.0.1');
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

async function pour(answer: ServerResponse, linesPerSecond: number): Promise<void> {
  answer.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  let number = 0;
  for await (const _ of every(1000 / piecesOfASecond)) {
    if (answer.destroyed) return;
    const events = Array.from({ length: linesPerSecond / piecesOfASecond }, () => {
      number += 1;
      const data = {
        type: 'line',
        text: `GET /orders/${number} 200 in 12 ms`,
        at: '2026-06-03T00:00:00.000Z',
      };
      return `id: ${number}\ndata: ${JSON.stringify(data)}\n\n`;
    });
    answer.write(events.join(''));
  }
}
