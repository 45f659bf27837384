import Modem from 'docker-modem';
import type { Duplex, Readable } from 'node:stream';
import type { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { RegistryAuth } from '../../ports/engine.ts';
import { engineError } from './engine-error.ts';
import type { EngineRequest } from './engine-request.ts';
import { hijack } from './hijack.ts';

/** The engine's HTTP API: every answer passes a schema, every failure is an AppError. */
export interface EngineClient {
  readonly socketPath: string;
  /** The answer, parsed by the schema. */
  call<T>(request: EngineRequest, schema: z.ZodType<T>): Promise<T>;
  /** A call whose answer is of no interest. */
  send(request: EngineRequest): Promise<void>;
  /** The body as it comes; aborting `signal` closes the connection. */
  open(request: EngineRequest): Promise<Readable>;
  /** A connection that goes both ways (engine API, "Attach to a container", Hijacking); aborting `signal` closes it. */
  hijack(request: EngineRequest): Promise<Duplex>;
}

const defaultLimitMs = 30_000;
const accepted = { 200: true, 201: true, 204: true, 304: true };

/**
 * Connects to the engine through a unix socket, by dockerode's transport alone: its resource classes put names into paths without encoding, promise answer
 * types they do not check, and load a gRPC library that Berth never calls (13 MB). `host` is set to nothing on purpose: else a DOCKER_HOST in the environment would win over the socket.
 */
export function createEngineClient(socketPath: string): EngineClient {
  const modem = new Modem({ socketPath, host: undefined, port: undefined, protocol: 'http' });

  function dial(request: EngineRequest, isStream: boolean, abortSignal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      modem.dial(
        {
          method: request.method,
          path: `${request.path}?`,
          options: { _query: request.query ?? {}, _body: request.body ?? {} },
          ...(request.auth === undefined ? {} : { authconfig: { key: registryHeader(request.auth) } }),
          statusCodes: accepted,
          isStream,
          abortSignal,
        },
        (error, answer) => {
          if (error) reject(error);
          else resolve(answer);
        },
      );
    });
  }

  async function exchange(request: EngineRequest): Promise<unknown> {
    const limit = AbortSignal.timeout(request.limitMs ?? defaultLimitMs);
    const signal = request.signal === undefined ? limit : AbortSignal.any([request.signal, limit]);
    try {
      return await dial(request, false, signal);
    } catch (cause) {
      request.signal?.throwIfAborted();
      throw engineError(request.doing, socketPath, cause);
    }
  }

  return {
    socketPath,
    async call(request, schema) {
      const parsed = schema.safeParse(await exchange(request));
      if (parsed.success) return parsed.data;
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `The engine at ${socketPath} answered ${request.doing} in a form Berth does not know. Is its version supported?`,
        { cause: parsed.error },
      );
    },
    async send(request) {
      await exchange(request);
    },
    hijack: (request) => hijack(socketPath, request),
    async open(request) {
      const head = new AbortController();
      const timer = setTimeout(() => head.abort(), request.limitMs ?? defaultLimitMs);
      const signal =
        request.signal === undefined ? head.signal : AbortSignal.any([request.signal, head.signal]);
      try {
        return asReadable(await dial(request, true, signal));
      } catch (cause) {
        request.signal?.throwIfAborted();
        throw engineError(request.doing, socketPath, cause);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** A name or id as one part of a path; throws BAD_REQUEST for a name that would be a way through the tree of paths instead. */
export function segment(name: string): string {
  if (name === '' || name === '.' || name === '..')
    throw new AppError('BAD_REQUEST', `"${name}" is no name of a thing of the engine.`);
  return encodeURIComponent(name);
}

/** The X-Registry-Auth header: URL-safe base64 of JSON (engine API, "Authentication"). */
function registryHeader(auth: RegistryAuth): string {
  const plain = {
    username: auth.username,
    password: auth.password.reveal(),
    serveraddress: auth.serverAddress,
  };
  return Buffer.from(JSON.stringify(plain)).toString('base64url');
}

function asReadable(answer: unknown): Readable {
  if (typeof answer === 'object' && answer !== null && 'pipe' in answer) return answer as Readable;
  throw new TypeError('the engine client was given no stream');
}
