/** A server before a Berth that gives all of its answers but one: a log that is written ever faster. */
import type { ServerResponse } from 'node:http';
import { setInterval as every } from 'node:timers/promises';
import { passOn, serveBeside, type BesideBerth } from './beside-berth.ts';

/** So often a piece of the lines of a second is sent. */
const piecesOfASecond = 50;

/** `deployment.logs` of it has so many lines a second until the reader leaves; the rest is Berth's. */
export function serveFlood(berthUrl: string, linesPerSecond: number): Promise<BesideBerth> {
  return serveBeside((asked, answer) => {
    if (asked.url?.startsWith('/api/deployment.logs')) void pour(answer, linesPerSecond);
    else passOn(asked, answer, berthUrl);
  });
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
