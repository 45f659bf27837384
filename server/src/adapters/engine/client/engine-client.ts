import type { Duplex, Readable } from 'node:stream';
import type { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import { engineError } from './engine-error.ts';
import { answerBudget, AnswerTooLarge, openAnswer, wholeAnswer } from './engine-http.ts';
import type { EngineRequest } from './engine-request.ts';
import { hijack } from './hijack.ts';
import { createInFlight } from './in-flight.ts';

/** The engine's HTTP API: every answer passes a schema, every failure is an AppError. */
export interface EngineClient {
  /** Where the engine is, for sentences: "at /run/docker.sock", "of the server frankfurt". */
  readonly place: string;
  /** Id of the installation that makes things through this client; empty for a client that makes none. */
  readonly installation: string;
  /** The answer, parsed by the schema. */
  call<T>(request: EngineRequest, schema: z.ZodType<T>): Promise<T>;
  /** A call whose answer is of no interest. */
  send(request: EngineRequest): Promise<void>;
  /** The body as it comes; aborting `signal` closes the connection. */
  open(request: EngineRequest): Promise<Readable>;
  /**
   * A connection that goes both ways (engine API, "Attach to a container", Hijacking); aborting `signal`
   * closes it.
   */
  hijack(request: EngineRequest): Promise<Duplex>;
}

/** Where an engine is: at a socket of its API, or behind a client that is there already. */
export type EngineAddress =
  | {
      /** A forwarded one of another server does as well. */
      socketPath: string;
      /** As sentences name another server; the socket where there is none. */
      serverName?: string | undefined;
      /** Why its machine cannot be reached at this moment, where something between here and there knows. */
      whySilent?: (() => string | undefined) | undefined;
      /** Id of the installation that everything made there belongs to. */
      installation: string;
    }
  | { client: EngineClient };

export function clientAt(address: EngineAddress): EngineClient {
  if ('client' in address) return address.client;
  const { socketPath, serverName, whySilent, installation } = address;
  return ownedBy(createEngineClient(socketPath, serverName, whySilent), installation);
}

/** The client with which this installation makes its things. */
export const ownedBy = (client: EngineClient, installation: string): EngineClient => ({
  ...client,
  installation,
});

const defaultLimitMs = 30_000;
/** Streams, which others end, are not counted. */
const mostInFlight = 64;

/**
 * Connects to the engine through a unix socket. `serverName` stands for the socket in sentences, where the
 * engine is another server's. `mostCharacters` is the limit of one answer.
 */
export function createEngineClient(
  socketPath: string,
  serverName?: string,
  whySilent?: () => string | undefined,
  mostCharacters?: number,
): EngineClient {
  const place = serverName === undefined ? `at ${socketPath}` : `of ${serverName}`;
  const inFlight = createInFlight(mostInFlight);
  const budget = answerBudget(mostCharacters);

  async function exchange(request: EngineRequest): Promise<unknown> {
    const limit = AbortSignal.timeout(request.limitMs ?? defaultLimitMs);
    const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
    try {
      const ask = (): Promise<unknown> => wholeAnswer(socketPath, request, { signal, budget });
      return await (request.isWaiting ? ask() : inFlight.run(signal, ask));
    } catch (cause) {
      request.signal?.throwIfAborted();
      if (cause instanceof AnswerTooLarge)
        throw new AppError(
          'SERVICE_UNAVAILABLE',
          `The engine ${place} was not heard to its end while ${request.doing}: ${cause.message}.`,
          { cause },
        );
      throw engineError(request.doing, place, cause, whySilent?.());
    }
  }

  return {
    place,
    installation: '',
    async call(request, schema) {
      const parsed = schema.safeParse(await exchange(request));
      if (parsed.success) return parsed.data;
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `The engine ${place} answered ${request.doing} in a form Berth does not know. Is its ` +
          'version supported?',
        { cause: parsed.error },
      );
    },
    async send(request) {
      await exchange(request);
    },
    hijack: (request) => hijack({ socketPath, place, whySilent }, request),
    async open(request) {
      const head = new AbortController();
      const timer = setTimeout(() => head.abort(), request.limitMs ?? defaultLimitMs);
      const signal =
        request.signal === undefined ? head.signal : AbortSignal.any([request.signal, head.signal]);
      try {
        return await openAnswer(socketPath, request, signal);
      } catch (cause) {
        request.signal?.throwIfAborted();
        throw engineError(request.doing, place, cause, whySilent?.());
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/**
 * A name or id as one part of a path; throws BAD_REQUEST for a name that would be a way through the tree of
 * paths instead.
 */
export function segment(name: string): string {
  if (name === '' || name === '.' || name === '..')
    throw new AppError('BAD_REQUEST', `"${name}" cannot be the name or id of anything in the engine.`);
  return encodeURIComponent(name);
}
