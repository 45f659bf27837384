/** The engine in memory behind the interface through which Berth's adapter speaks to Docker's socket. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duplex, Readable } from 'node:stream';
import type { EngineClient } from '../../server/src/adapters/engine/client/engine-client.ts';
import { engineError } from '../../server/src/adapters/engine/client/engine-error.ts';
import type { EngineRequest } from '../../server/src/adapters/engine/client/engine-request.ts';
import { testInstallation } from '../installation.ts';
import { outsideWorlds } from '../virtual-time/virtual-time.ts';
import { containerAnswers, containerConnections, containerStreams } from './routes/container-routes.ts';
import { imageAnswers, imageStreams } from './routes/image-routes.ts';
import { Refusal } from './routes/refusal.ts';
import { callOf, findRow, type Row } from './routes/routes.ts';
import type { State } from './state.ts';
import { swarmAnswers, swarmStreams } from './routes/swarm-routes.ts';

const answers = [...swarmAnswers, ...containerAnswers, ...imageAnswers];
const streams = [...swarmStreams, ...containerStreams, ...imageStreams];

/** Whether the engine answers a request by a stream. */
export const isStreamed = (request: Pick<EngineRequest, 'method' | 'path'>): boolean =>
  findRow(streams, request) !== undefined;

/** What a test does to calls: each passes here first, and may wait, fail, or never come back. */
export interface Disturbance {
  before(request: EngineRequest): Promise<void> | void;
}

const callMs = 1;
const defaultLimitMs = 30_000;

export function createClient(state: State, disturbance: Disturbance): EngineClient {
  const place = 'in memory';

  async function exchange<T>(rows: readonly Row<T>[], request: EngineRequest): Promise<T> {
    const { signal, limitMs = defaultLimitMs } = request;
    const given = structuredBody(request);
    try {
      await withinLimit(Promise.resolve(disturbance.before(request)), limitMs, signal);
      return await withinLimit(answered(rows, given), limitMs, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof Refusal)
        throw engineError(request.doing, place, {
          statusCode: cause.status,
          json: { message: cause.message },
        });
      throw cause instanceof EngineAway ? engineError(request.doing, place, { code: cause.code }) : cause;
    }
  }

  /** What the engine does outlives whoever asked for it. */
  function answered<T>(rows: readonly Row<T>[], request: EngineRequest): Promise<T> {
    const answer = outsideWorlds(async () => {
      await sleep(callMs);
      const found = findRow(rows, request);
      if (found === undefined) throw new Refusal(404, `page not found: ${request.method} ${request.path}`);
      return found.row.answer(callOf(state, request, found.parts));
    });
    // Whoever asked may be gone by then.
    answer.catch(() => undefined);
    return answer;
  }

  return {
    place,
    installation: testInstallation,
    call: async (request, schema) =>
      schema.parse(byItsClock(await exchange(answers, request), state.clockOffMs)),
    async send(request) {
      await exchange(answers, request);
    },
    open: async (request) => cutBy(await exchange<Readable>(streams, request), request.signal),
    hijack: async (request) => cutBy(await exchange<Duplex>(containerConnections, request), request.signal),
  };
}

const isoTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** The answer as an engine gives it whose clock is so far ahead; nanoseconds are lost. */
function byItsClock(value: unknown, offMs: number): unknown {
  if (offMs === 0) return value;
  if (typeof value === 'string' && isoTime.test(value))
    return new Date(Date.parse(value) + offMs).toISOString();
  if (Array.isArray(value)) return value.map((one) => byItsClock(one, offMs));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, byItsClock(part, offMs)]));
}

/** Nobody answers at the socket. */
export class EngineAway extends Error {
  readonly code: string;

  constructor(code = 'ECONNREFUSED') {
    super(code);
    this.code = code;
  }
}

function structuredBody(request: EngineRequest): EngineRequest {
  return request.body === undefined ? request : { ...request, body: structuredClone(request.body) };
}

function withinLimit<T>(work: Promise<T>, limitMs: number, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new EngineAway('ABORT_ERR'));
    const timer = setTimeout(fail, limitMs);
    if (signal?.aborted) fail();
    signal?.addEventListener('abort', fail, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', fail);
    });
  });
}

/** A stream that ends with the caller's signal. */
function cutBy<T extends Readable | Duplex>(stream: T, signal: AbortSignal | undefined): T {
  const cut = (): void => void stream.destroy(new DOMException('The operation was aborted', 'AbortError'));
  if (signal?.aborted) cut();
  signal?.addEventListener('abort', cut, { once: true });
  stream.once('close', () => signal?.removeEventListener('abort', cut));
  // Who reads it sees its failure; without a listener it would end this process.
  stream.on('error', () => undefined);
  return stream;
}
