import { amount, type Figure } from '../figure.ts';
import { compare, type Compared, type Measured } from '../rounds.ts';
import type { Load } from '../load/load.ts';
import { requireSameAnswer, type Pair } from './pair.ts';

const connections = 32;
const seconds = 2;
const lowestRatio = 0.6;

/** Authenticated `application.one`, form B. */
export async function readRequests(pair: Pair): Promise<Figure> {
  const path = `/api/application.one?applicationId=${pair.installation.applicationId}`;
  await requireSameAnswer(pair, path);
  const { headers } = pair;
  return figure(
    'application.one, 32 connections',
    await compareOn(pair, { method: 'GET', headers, connections, seconds }, path),
  );
}

/** Validated `application.update`, one commit each. */
export async function changeRequests(pair: Pair): Promise<Figure> {
  const { applicationId } = pair.installation;
  const body =
    `{"applicationId":"${applicationId}","description":"change ` +
    '%n","replicas":2,"memoryLimit":"512m","cpuLimit":"0.5","autoDeploy":true}';
  const headers = { ...pair.headers, 'content-type': 'application/json' };
  return figure(
    'application.update, 32 connections',
    await compareOn(pair, { method: 'POST', headers, body, connections, seconds }, '/api/application.update'),
  );
}

function compareOn({ berth, baseline }: Pair, load: Omit<Load, 'url'>, path: string): Promise<Compared> {
  return compare({ server: berth, load, path }, { server: baseline, load, path });
}

function figure(name: string, { berth, baseline, requestsRatio, cpuRatio }: Compared): Figure {
  return {
    name,
    kind: 'ratio',
    measured: `${shown(berth)}; ${requestsRatio.toFixed(2)} × (CPU ${cpuRatio.toFixed(2)} ×)`,
    baseline: shown(baseline),
    budget: `≥ ${lowestRatio} ×`,
    isKept: requestsRatio >= lowestRatio && berth.failures === 0,
  };
}

function shown({ requestsPerSecond, cpuPerRequest, p50Ms, p99Ms, failures }: Measured): string {
  const failed = failures === 0 ? '' : `, ${failures} FAILED`;
  return (
    `${amount(requestsPerSecond, 'req/s')}, ${amount(cpuPerRequest, 'µs CPU')}, p50 ` +
    `${amount(p50Ms, 'ms')}, p99 ${amount(p99Ms, 'ms')}${failed}`
  );
}
