/** What the engine's suite is run against, and the services that it makes there. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '../../server/src/adapters/engine/client/engine-client.ts';
import { randomId } from '../../server/src/ports/clock.ts';
import type { EngineView } from '../../server/src/ports/engine/engine-view.ts';
import type { Engine, ServiceSpec } from '../../server/src/ports/engine/engine.ts';
import type { HealthCheck } from '../../server/src/ports/engine/health-check.ts';
import { commandOf, type Step } from './steps.ts';

export interface EngineFixture {
  engine: Engine;
  /** The bare API, for what Berth would not do. */
  api: EngineClient;
  view: EngineView;
  registries(): Promise<{
    open: string;
    secured: string;
    username: string;
    password: string;
    /** Where nobody listens. */
    nowhere: string;
    /** Puts an image of one program, `/busybox`, under this tag. */
    makeSmallImage(tag: string): Promise<void>;
  }>;
}

/** Runs the steps; has `sleep`, `sh`, `true` and `cat` besides. */
export const nodeImage = 'berth/node:24';
export const otherImage = 'berth/debian:12';
/** Exposes 5432, and has no health check of its own. */
export const databaseImage = 'berth/postgres:15';

/** A name no other test uses. */
export function uniqueName(what: string): string {
  return `t-${what}-${randomId(6).toLowerCase()}`;
}

/** A server on port 3000 that answers its version. */
export const answering: Step[] = [{ do: 'listen', port: 3000 }];

/**
 * Passes while something listens on port 3000 (hexadecimal 0BB8). The first run that finds it ends, later
 * ones go on looking for half a minute, each 5 s: a start costs the engine 40 ms of a processor, a look 10.
 */
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

/** A service that takes steps. */
export function stepService(
  name: string,
  steps: readonly Step[],
  change: Partial<ServiceSpec> = {},
): ServiceSpec {
  return {
    name,
    image: nodeImage,
    labels: { 'berth.test': 'true' },
    env: ['VERSION=1'],
    command: commandOf(steps),
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

/**
 * A service that runs and does nothing: what is tried around it asks nothing of its program, and a start of
 * Node is a good part of a container's.
 */
export function idleService(name: string, change: Partial<ServiceSpec> = {}): ServiceSpec {
  return stepService(name, [], { command: ['sleep', '1000'], ...change });
}

/** Asks until the answer is something, each 100 to 300 ms; an Error at the limit. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  limitMs = 30_000,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(300, pauseMs + 50)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
    await sleep(pauseMs);
  }
}

/** Waits until so many tasks of the service run. */
export async function untilRunning(engine: Engine, name: string, count = 1): Promise<void> {
  await until(
    `${count} running tasks of ${name}`,
    async () => (await engine.service(name))?.running === count,
  );
}
