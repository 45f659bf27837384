/** Reads a load from the standard input, runs it, and writes the result. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Load, LoadResult } from './load.ts';

const load = JSON.parse(await text(process.stdin)) as Load;
const { hostname, port, pathname, search } = new URL(load.url);
const latencies: number[] = [];
let failures = 0;
let sent = 0;
const start = performance.now();
const end = start + load.seconds * 1000;

function nextRequest(): string {
  sent += 1;
  const body = load.body?.replace('%n', String(sent)) ?? '';
  const headers = Object.entries({
    host: `${hostname}:${port}`,
    ...load.headers,
    ...(load.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  });
  return (
    `${load.method} ${pathname}${search} ` +
    `HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
  );
}

/** One connection until the time is over. Answers carry a content-length; ours always do. */
function runConnection(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received: Buffer = Buffer.alloc(0);
    let began = 0;
    const send = (): void => {
      began = performance.now();
      socket.write(nextRequest());
    };
    socket.setNoDelay(true);
    socket.on('connect', send);
    socket.on('data', (bytes: Buffer) => {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
      const head = received.indexOf('\r\n\r\n');
      if (head === -1) return;
      const headText = received.toString('latin1', 0, head);
      const length = Number(/content-length: *(\d+)/i.exec(headText)?.[1] ?? 0);
      if (received.length < head + 4 + length) return;
      received = received.subarray(head + 4 + length);
      latencies.push(performance.now() - began);
      if (!headText.startsWith('HTTP/1.1 2')) failures += 1;
      if (performance.now() < end) send();
      else socket.end();
    });
    socket.on('error', () => {
      failures += 1;
    });
    socket.on('close', () => resolve());
  });
}

await Promise.all(Array.from({ length: load.connections }, runConnection));
const sorted = latencies.toSorted((a, b) => a - b);
const percentile = (share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
const result: LoadResult = {
  requests: latencies.length,
  requestsPerSecond: (latencies.length * 1000) / (performance.now() - start),
  p50Ms: percentile(0.5),
  p99Ms: percentile(0.99),
  failures,
  generator: 'own',
};
process.stdout.write(JSON.stringify(result));
