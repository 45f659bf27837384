/**
 * 100 servers that are connected and at rest: memory, the cost of a quiet minute, the slowest answer
 * meanwhile.
 */
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stores } from '../../server/src/composition/stores.ts';
import type { TableRecord } from '../../server/src/db/tables.ts';
import { sshKeyPairs } from '../../server/src/adapters/ssh/key-pairs.ts';
import { isoTime, randomId, systemClock } from '../../server/src/ports/clock.ts';
import type { Bench } from '../bench.ts';
import { fill } from '../fill.ts';
import { amount, median, type Figure } from '../figure.ts';
import { cpuMicroseconds, residentBytes } from '../process-figures.ts';
import { startServer, type ServerProcess } from '../server-process.ts';
import { startSimulatedServer, type SimulatedServer } from '../simulated/ssh-server.ts';
import { plainServer } from '../../test/world/plain-server.ts';

const count = 100;
const quietMs = 60_000;
const settleMs = 20_000;
const connectLimitMs = 180_000;
const proxyImage = 'caddy:2';
const megabyte = 1_000_000;

interface Minute {
  memory: number;
  cpuMs: number;
  slowest: number;
  middle: number;
}

export async function manyServersFigures({ folder, say }: Bench): Promise<Figure[]> {
  say('one machine …');
  const alone = await quietMinute(join(folder, 'no-servers'), [], say);
  say(`${count} servers …`);
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const servers = await Promise.all(
    Array.from({ length: count }, () => startSimulatedServer(privateKey, proxyImage)),
  );
  try {
    const many = await quietMinute(join(folder, 'many-servers'), servers, say);
    return figuresOf(alone, many);
  } finally {
    for (const server of servers) server.close();
  }
}

async function quietMinute(
  data: string,
  servers: readonly SimulatedServer[],
  say: (text: string) => void,
): Promise<Minute> {
  const { apiKey } = await fill(data, (stores, organizationId) => insert(stores, organizationId, servers));
  const headers = { 'x-api-key': apiKey };
  const berth = await startServer({
    program: 'berth',
    path: '/api/server.all',
    headers,
    environment: {
      BERTH_DATA: data,
      BERTH_PROXY_IMAGE: proxyImage,
      BERTH_ENGINE_SOCKET: join(data, 'no-engine.sock'),
      BERTH_LOG_LEVEL: 'error',
    },
  });
  try {
    await allowLoopback(berth, headers);
    await connectAll(berth, headers, servers.length);
    say('… all answered; a quiet minute');
    await sleep(settleMs);
    const [began, before] = [performance.now(), cpuMicroseconds(berth.pid)];
    const times: number[] = [];
    while (performance.now() - began < quietMs) {
      times.push(await timed(`${berth.url}/api/project.all`, headers));
      await sleep(500);
    }
    const minutes = (performance.now() - began) / quietMs;
    return {
      memory: residentBytes(berth.pid) / megabyte,
      cpuMs: (cpuMicroseconds(berth.pid) - before) / 1000 / minutes,
      slowest: Math.max(...times),
      middle: median(times),
    };
  } finally {
    await berth.stop();
  }
}

/** The servers are on this machine, whose loopback nobody reaches otherwise. */
async function allowLoopback({ url }: ServerProcess, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(`${url}/api/settings.update`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ allowedPrivateNetworks: ['127.0.0.0/8'] }),
  });
  if (answer.status !== 200) throw new Error(`settings.update answered ${await answer.text()}`);
}

/** Every server answers what its nodes are. */
async function connectAll(
  { url }: ServerProcess,
  headers: Record<string, string>,
  expected: number,
): Promise<void> {
  const end = performance.now() + connectLimitMs;
  const ids: string[] = [];
  for (let at = 0; at < expected; at += 1) ids.push(idOf(at));
  await Promise.all(
    ids.map(async (serverId) => {
      const input = encodeURIComponent(JSON.stringify({ serverId }));
      for (;;) {
        const answer = await fetch(`${url}/api/swarm.getNodes?input=${input}`, { headers });
        const words = await answer.text();
        if (answer.status === 200) return;
        if (performance.now() > end) throw new Error(`The server ${serverId} does not answer: ${words}`);
        await sleep(1000);
      }
    }),
  );
}

const idOf = (at: number): string => `simulated-${at}`;

async function timed(url: string, headers: Record<string, string>): Promise<number> {
  const began = performance.now();
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}.`);
  return performance.now() - began;
}

async function insert(
  stores: Stores,
  organizationId: string,
  servers: readonly SimulatedServer[],
): Promise<void> {
  const createdAt = isoTime(systemClock);
  const sshKeyId = randomId();
  const { publicKey, privateKey, fingerprint } = await sshKeyPairs.generate('ed25519', 'bench');
  await stores.sshKeys.insert({
    sshKeyId,
    organizationId,
    name: 'bench',
    description: '',
    publicKey,
    privateKey: privateKey.reveal(),
    fingerprint,
    createdAt,
  });
  for (const [at, { port }] of servers.entries())
    await stores.servers.insert(serverRecord({ organizationId, sshKeyId, createdAt }, at, port));
}

function serverRecord(
  shared: Pick<TableRecord<'server'>, 'organizationId' | 'sshKeyId' | 'createdAt'>,
  at: number,
  port: number,
): TableRecord<'server'> {
  return {
    ...plainServer,
    ...shared,
    serverId: idOf(at),
    name: idOf(at),
    ipAddress: '127.0.0.1',
    port,
    setupStatus: 'done',
  };
}

function figuresOf(alone: Minute, many: Minute): Figure[] {
  const shared = { budget: 'said', isKept: true, kind: 'absolute' } as const;
  const without = 'without servers';
  return [
    {
      ...shared,
      name: `${count} servers, simulated: memory of Berth (RSS)`,
      measured:
        `${amount(many.memory, 'MB')} ` +
        `(${amount((many.memory - alone.memory) / count, 'MB')} for each server)`,
      baseline: `${amount(alone.memory, 'MB')} ${without}`,
    },
    {
      ...shared,
      name: `${count} servers, simulated: processor time of a quiet minute`,
      measured: `${amount(many.cpuMs, 'ms')} (${amount(many.cpuMs / (quietMs / 100), '% of a processor')})`,
      baseline: `${amount(alone.cpuMs, 'ms')} ${without}`,
    },
    {
      ...shared,
      name: `${count} servers, simulated: slowest answer of project.all in that minute`,
      measured: `${amount(many.slowest, 'ms')} (p50 ${amount(many.middle, 'ms')})`,
      baseline: `${amount(alone.slowest, 'ms')} (p50 ${amount(alone.middle, 'ms')}) ${without}`,
    },
  ];
}
