import { inject } from 'vitest';
import type {} from './../bed/global-setup.ts';
import { createSwarmEngine } from '../../server/src/adapters/engine/swarm.ts';
import { createEngineClient } from '../../server/src/adapters/engine/engine-client.ts';
import type { EngineClient } from '../../server/src/adapters/engine/engine-client.ts';
import { growingPause } from '../bed/pauses.ts';
import { randomId } from '../../server/src/ports/clock.ts';
import type { Engine, HealthCheck, ServiceSpec } from '../../server/src/ports/engine.ts';

export const nodeImage = 'berth/node:24';

/** The engine of the bed's m1 through the port, and its bare API for what Berth would not do. */
export function bedEngine(): { engine: Engine; api: EngineClient; ip: string } {
  const { engineSocket, ip } = inject('servers').m1;
  return {
    engine: createSwarmEngine({ socketPath: engineSocket }),
    api: createEngineClient(engineSocket),
    ip,
  };
}

/** A name no other test uses. */
export function uniqueName(what: string): string {
  return `t-${what}-${randomId(6).toLowerCase()}`;
}

/** A server on port 3000 that answers its version. */
export const answering = `
  const { createServer } = require('node:http');
  createServer((request, response) => response.end(process.env.VERSION)).listen(3000, () => console.log('listening ' + process.env.VERSION));
  process.on('SIGTERM', () => process.exit(0));`;

/** Passes while something listens on port 3000 (hexadecimal 0BB8). The first run that finds it ends, later ones go on looking for half a minute, each 5 s: a start costs the engine 40 ms of a processor, a look 10. */
export const listens: HealthCheck = {
  test: [
    'CMD',
    'sh',
    '-c',
    `look() { grep -qsE ":0BB8 [0-9A-F]+:0000 0A" /proc/net/tcp /proc/net/tcp6; }
look || exit 1
[ -e /dev/shm/seen ] || { true >/dev/shm/seen; exit 0; }
n=0; while [ $n -lt 6 ]; do sleep 5; look || exit 1; n=$((n + 1)); done`,
  ],
  intervalMs: 500,
  timeoutMs: 40_000,
  retries: 3,
  startPeriodMs: 20_000,
};

/** A service that runs a program text with Node. */
export function nodeService(name: string, program: string, change: Partial<ServiceSpec> = {}): ServiceSpec {
  return {
    name,
    image: nodeImage,
    labels: { 'berth.test': 'true' },
    env: ['VERSION=1'],
    command: ['node', '-e', program],
    networks: [],
    replicas: 1,
    limits: { memoryBytes: 128 * 1024 * 1024 },
    reservations: {},
    mounts: [],
    files: [],
    ports: [],
    updateOrder: 'start-first',
    monitorMs: 2_000,
    stopGracePeriodMs: 2_000,
    constraints: [],
    ...change,
  };
}

/** A service that runs and does nothing: what is tried around it asks nothing of its program, and a start of Node is a good part of a container's. */
export function idleService(name: string, change: Partial<ServiceSpec> = {}): ServiceSpec {
  return nodeService(name, '', { command: ['sleep', '1000'], ...change });
}

/** Asks until the answer is something, after 100 ms and then up to each 300 ms; an Error at the limit. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  limitMs = 30_000,
): Promise<T> {
  const end = performance.now() + limitMs;
  const pause = growingPause(300, 100);
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
    await pause();
  }
}

/** Waits until so many tasks of the service run. */
export async function untilRunning(engine: Engine, name: string, count = 1): Promise<void> {
  await until(
    `${count} running tasks of ${name}`,
    async () => (await engine.service(name))?.running === count,
  );
}
