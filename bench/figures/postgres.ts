/** The same Berth on PostgreSQL beside SQLite, in turn. */
import { amount, type Figure } from '../figure.ts';
import { compare } from '../rounds.ts';
import type { ServerProcess } from '../server-process.ts';

const connections = 32;
const seconds = 2;
const lowestRatio = 0.5;

/** A started Berth, and one application of its own installation. */
export interface Stored {
  berth: ServerProcess;
  path: string;
  headers: Record<string, string>;
}

/** Authenticated `application.one`, form B. */
export async function readsOnPostgres(postgres: Stored, sqlite: Stored): Promise<Figure> {
  const load = { method: 'GET' as const, connections, seconds };
  const compared = await compare(
    { server: postgres.berth, load: { ...load, headers: postgres.headers }, path: postgres.path },
    { server: sqlite.berth, load: { ...load, headers: sqlite.headers }, path: sqlite.path },
  );
  const { berth, baseline, requestsRatio } = compared;
  return {
    name: 'application.one on PostgreSQL, 32 connections',
    kind: 'ratio',
    measured:
      `${amount(berth.requestsPerSecond, 'req/s')}, ${amount(berth.cpuPerRequest, 'µs CPU of Berth')}, ` +
      `p99 ${amount(berth.p99Ms, 'ms')}; ${requestsRatio.toFixed(2)} ×`,
    baseline: `${amount(baseline.requestsPerSecond, 'req/s')} (the same on SQLite)`,
    budget: `≥ ${lowestRatio} ×`,
    isKept: requestsRatio >= lowestRatio && berth.failures === 0,
  };
}
