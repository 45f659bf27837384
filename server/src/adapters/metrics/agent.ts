/**
 * The monitoring agent: the collector as a program of its own, which answers by HTTP on a unix socket, with a
 * token. Berth lays it out on a server and runs it there (modules/server/monitoring).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Passing } from '../../domain/resources/metrics.ts';
import type { CollectorSettings } from '../../ports/metrics.ts';
import { createCollector, type RunningCollector } from './collector.ts';

export interface AgentConfig {
  settings: CollectorSettings;
  /** SHA-256 of the token that whoever asks must bring, in hexadecimal. */
  tokenHash: string;
  digest: string;
  places: { engineSocket: string; proc: string };
}

/** Newer ones take the place of older ones that nobody asked for. */
const keptPassings = 100;
const mostPoints = 10_000;

/** The folder that holds the socket's folder and what is kept, and the file of the configuration. */
const [, , folder = '/berth-agent', configPath = join(folder, 'config.json')] = process.argv;
const config: AgentConfig = JSON.parse(readFileSync(configPath, 'utf8'));
const passings: Passing[] = [];
let passingCount = 0;

const collector = createCollector({
  settings: config.settings,
  engineSocket: config.places.engineSocket,
  folder: join(folder, 'history'),
  proc: config.places.proc,
  // What a container writes is on the disk of the engine.
  disks: ['/'],
  onPassing(passing) {
    passingCount += 1;
    passings.push({ passing: passingCount, ...passing });
    if (passings.length > keptPassings) passings.shift();
  },
  onFault: complain,
});

const socket = join(folder, 'run', 'metrics.sock');
mkdirSync(join(folder, 'run'), { recursive: true });
rmSync(socket, { force: true });
const server = createServer((request, response) => {
  answerOf(request, collector)
    .catch((error: unknown) => ({ status: 500, body: { message: String(error) } }))
    .then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }, complain);
});
server.listen(socket);
collector.start();
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void collector.stop().then(() => process.exit(0)));

interface Answer {
  status: number;
  body: unknown;
}

async function answerOf(request: IncomingMessage, from: RunningCollector): Promise<Answer> {
  if (!isAllowed(request)) return { status: 401, body: { message: 'The token is not the right one.' } };
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://agent');
  const number = (name: string): number => Number(searchParams.get(name) ?? 0);
  const points = Math.min(mostPoints, Math.max(1, number('points')));
  const range = { since: number('since'), points };
  switch (`${request.method ?? ''} ${pathname}`) {
    case 'GET /newest':
      return { status: 200, body: await from.newest(points) };
    case 'GET /machine':
      return { status: 200, body: await from.machine(range) };
    case 'GET /service':
      return { status: 200, body: await from.service(searchParams.get('key') ?? '', range) };
    case 'GET /services':
      return { status: 200, body: Object.fromEntries(await from.services(range)) };
    case 'GET /state':
      return { status: 200, body: { digest: config.digest, passings } };
    case 'POST /told':
      while ((passings[0]?.passing ?? Infinity) <= number('passing')) passings.shift();
      return { status: 200, body: {} };
    default:
      return { status: 404, body: { message: 'There is no such thing here.' } };
  }
}

/** To the log of the container. */
function complain(error: unknown): void {
  const words = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${new Date().toISOString()} ${words}\n`);
}

/** Hashes of equal length, so that no time tells how much of a token is right. */
function isAllowed({ headers: { authorization = '' } }: IncomingMessage): boolean {
  const brought = createHash('sha256')
    .update(authorization.replace(/^Bearer /, ''))
    .digest();
  return timingSafeEqual(brought, Buffer.from(config.tokenHash, 'hex'));
}
