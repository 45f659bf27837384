/** Rounds of the same load on two servers in turn, so that whatever else the machine does falls on both. */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './figure.ts';
import type { Load, LoadResult } from './load/load.ts';
import { ownLoad } from './load/own.ts';
import { hasWrk, wrk } from './load/wrk.ts';
import { cpuMicroseconds } from './process-figures.ts';
import type { ServerProcess } from './server-process.ts';

export interface Measured {
  requestsPerSecond: number;
  cpuPerRequest: number;
  p50Ms: number;
  p99Ms: number;
  failures: number;
}

export interface Compared {
  berth: Measured;
  baseline: Measured;
  /**
   * Medians of the rounds' own ratios: Berth's requests per second, and its CPU per request, over the
   * baseline's.
   */
  requestsRatio: number;
  cpuRatio: number;
  generator: LoadResult['generator'];
}

const rounds = 5;
/** Until V8 has compiled what runs often, on both sides: without Maglev (ADR 43) that takes some seconds. */
const warmSeconds = 10;

/** A server and what it is asked. */
export interface Side {
  server: ServerProcess;
  load: Omit<Load, 'url'>;
  path: string;
}

export async function compare(berth: Side, baseline: Side): Promise<Compared> {
  const generate = hasWrk() ? wrk : ownLoad;
  const one = async ({ server, load, path }: Side, seconds: number): Promise<Measured> => {
    const before = cpuMicroseconds(server.pid);
    const result = await generate({ ...load, seconds, url: `${server.url}${path}` });
    await sleep(50);
    return { ...result, cpuPerRequest: (cpuMicroseconds(server.pid) - before) / result.requests };
  };
  for (const side of [baseline, berth]) await one(side, warmSeconds);
  const results: { berth: Measured; baseline: Measured }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? baseline : berth;
    const firstResult = await one(first, first.load.seconds);
    const second = first === berth ? baseline : berth;
    const secondResult = await one(second, second.load.seconds);
    results.push(
      first === berth
        ? { berth: firstResult, baseline: secondResult }
        : { berth: secondResult, baseline: firstResult },
    );
  }
  return {
    berth: middle(results.map((result) => result.berth)),
    baseline: middle(results.map((result) => result.baseline)),
    requestsRatio: median(
      results.map((result) => result.berth.requestsPerSecond / result.baseline.requestsPerSecond),
    ),
    cpuRatio: median(results.map((result) => result.berth.cpuPerRequest / result.baseline.cpuPerRequest)),
    generator: hasWrk() ? 'wrk' : 'own',
  };
}

function middle(all: readonly Measured[]): Measured {
  return {
    requestsPerSecond: median(all.map((one) => one.requestsPerSecond)),
    cpuPerRequest: median(all.map((one) => one.cpuPerRequest)),
    p50Ms: median(all.map((one) => one.p50Ms)),
    p99Ms: median(all.map((one) => one.p99Ms)),
    failures: all.reduce((sum, one) => sum + one.failures, 0),
  };
}
