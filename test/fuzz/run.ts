/**
 * Sends the requests of a seed to a started Berth, a few at once, and judges every answer: no fault, no
 * answer that the document does not have, none too late, no memory that grows.
 */
import { Agent, request as httpRequest } from 'node:http';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { allocatorSettings } from '../../setup/settings/settings.ts';
import { nodeFlags } from '../../server/src/domain/resources/node-flags.ts';
import type { Database } from '../../server/src/db/database.ts';
import { faultOfAnswer } from '../conformance/answer.ts';
import { startProgram, type Program } from '../world/program.ts';
import { seedWorlds, type World } from '../world/world.ts';
import { createRandom } from './random.ts';
import { createRequests, type FuzzRequest } from './request.ts';

export interface FuzzPlan {
  seed: number;
  /** Requests before the first look at memory, and between the two. */
  warmUp: number;
  requests: number;
}

export interface FuzzReport {
  seed: number;
  requests: number;
  seconds: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  slowestMs: number;
  slowest: string;
  /**
   * Bytes of memory that the process takes, after forced collections: one after the warm-up, then one every
   * 10,000 requests.
   */
  resident: number[];
  /** Of these, what the program itself holds: JavaScript objects and buffers. */
  held: number[];
  faults: string[];
}

const atOnce = 16;
/** An answer that takes longer counts as a hang. */
export const answerLimitMs = 60_000;
/** So many requests for each world: a run empties some. */
const requestsPerWorld = 250;
/**
 * Every change at the proxy makes the routes of all domains anew; these worlds are enough for what is asked
 * of domains.
 */
const worldsWithDomains = 40;
const settleMs = 1000;
const sampleEvery = 10_000;

const usage = z.object({ rss: z.number(), heapUsed: z.number(), external: z.number() });

export async function fuzz({ seed, warmUp, requests }: FuzzPlan): Promise<FuzzReport> {
  let worlds: World[] = [];
  const touched = join(tmpdir(), `berth-fuzz-${process.pid}`);
  await using program = await startProgram({
    // As set-up starts Berth (setup/starters).
    env: allocatorSettings,
    nodeOptions: [...nodeFlags, '--expose-gc', '--import', join(import.meta.dirname, 'memory-probe.ts')],
    async prepare(database) {
      worlds = await seedWorlds(
        database,
        Math.ceil((warmUp + requests) / requestsPerWorld) + worldsWithDomains,
        { isInstallations: true },
      );
      await removeDomains(database, worlds.slice(worldsWithDomains));
    },
  });
  const make = createRequests({ all: worlds, withDomains: worlds.slice(0, worldsWithDomains) }, touched);
  const random = createRandom(seed);
  const tally = createTally(program);
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const send = async (count: number): Promise<void> => {
    let left = count;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while ((left -= 1) >= 0) {
          const made = make(random, left);
          tally.take(made, await ask(agent, program.url, made));
        }
      }),
    );
  };
  const began = performance.now();
  await send(warmUp);
  const samples = [await measured(program)];
  for (let sent = 0; sent < requests; sent += sampleEvery) {
    await send(Math.min(sampleEvery, requests - sent));
    samples.push(await measured(program));
  }
  agent.destroy();
  if (existsSync(touched)) tally.faults.push(`a text of the corpus was executed: ${touched} is there`);
  const report = tally.report();
  return {
    ...report,
    seed,
    requests: warmUp + requests,
    seconds: (performance.now() - began) / 1000,
    resident: samples.map(({ rss }) => rss),
    held: samples.map(({ heapUsed, external }) => heapUsed + external),
    faults: [...report.faults, ...program.faults().slice(0, 20)],
  };
}

async function removeDomains(database: Database, worlds: readonly World[]): Promise<void> {
  const organizations = worlds.flatMap(({ own, foreign }) => [own.organizationId, foreign.organizationId]);
  await database.change(
    database.builder.deleteFrom('domain').where('organizationId', 'in', organizations).compile(),
  );
}

/** What the process holds once its deployments have had time to end and the garbage is collected. */
async function measured(program: Program): Promise<z.infer<typeof usage>> {
  await wait(settleMs);
  return usage.parse(await program.message('SIGUSR2'));
}

interface FuzzAnswer {
  status: number;
  contentType: string;
  text: string;
  tookMs: number;
  error?: string;
}

function ask(agent: Agent, url: string, { method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
  const { hostname, port } = new URL(url);
  const began = performance.now();
  return new Promise((resolve) => {
    const end = (answer: Partial<FuzzAnswer>): void =>
      resolve({ status: 0, contentType: '', text: '', ...answer, tookMs: performance.now() - began });
    const own = headers['origin'] === 'own' ? { ...headers, origin: url } : headers;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const call = httpRequest(
      { agent, hostname, port, method, path, headers: { ...own, ...length }, timeout: answerLimitMs },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('end', () =>
          end({
            status: response.statusCode ?? 0,
            contentType: response.headers['content-type'] ?? '',
            text: Buffer.concat(parts).toString(),
          }),
        );
        response.once('error', (error) => end({ error: error.message }));
      },
    );
    call.once('timeout', () => call.destroy(new Error(`no answer within ${answerLimitMs} ms`)));
    call.once('error', (error) => end({ error: error.message }));
    call.end(body);
  });
}

interface Tally {
  faults: string[];
  take(request: FuzzRequest, answer: FuzzAnswer): void;
  report(): Pick<FuzzReport, 'statuses' | 'slowestMs' | 'slowest' | 'faults'>;
}

const faultLimit = 30;

function createTally(program: Program): Tally {
  const statuses: Record<string, number> = {};
  const faults: string[] = [];
  let slowest = { tookMs: 0, title: '' };
  return {
    faults,
    take(request, answer) {
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      if (answer.tookMs > slowest.tookMs) slowest = { tookMs: answer.tookMs, title: request.title };
      const fault = faultIn(request, answer);
      if (fault !== undefined && faults.length < faultLimit)
        faults.push(
          `${request.title}: ${fault} | ${request.method} ${request.path.slice(0, 300)} ` +
            `${String(request.body ?? '').slice(0, 300)} → ${answer.status} ${answer.text.slice(0, 300)}`,
        );
    },
    report: () => ({
      statuses,
      slowestMs: slowest.tookMs,
      slowest: slowest.title,
      faults: [
        ...faults,
        ...(program.faults().length === 0 ? [] : [`${program.faults().length} faults in the log`]),
      ],
    }),
  };
}

/** Broken requests may be refused by the HTTP library before anybody knows whose they are. */
const brokenStatuses = [200, 207, 400, 401, 403, 404, 405, 409, 412, 413, 415, 429, 503];

function faultIn(
  { procedure, form }: FuzzRequest,
  { status, contentType, text, error }: FuzzAnswer,
): string | undefined {
  if (error !== undefined) return error;
  if (!procedure) return brokenStatuses.includes(status) ? undefined : `the status ${status}`;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  // Too long for an address: refused before the procedure is known.
  if (status === 413) return undefined;
  return faultOfAnswer(
    procedure,
    { status, body, text, headers: new Headers({ 'content-type': contentType }) },
    form,
  );
}
