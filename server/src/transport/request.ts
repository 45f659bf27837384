/** What a request says: credentials, input, dialect. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';
import type { Procedure } from '../procedure/procedure.ts';
import type { RegisteredProcedure, Registry } from '../procedure/registry.ts';
import { coerceQuery } from '../procedure/input/input.ts';
import type { Caller } from '../procedure/guard.ts';
import type { Actor } from '../procedure/context.ts';
import type { CookieJar } from './entrance/cookies.ts';
import { requireSameOrigin } from './entrance/same-origin.ts';
import type { StreamLimits } from './streams/stream.ts';
import { verbOf } from '../procedure/procedure.ts';

export interface Credentials {
  apiKey: string | undefined;
  authorization: string | undefined;
  sessionTokens: readonly string[];
}

/** `isAgain`: of a call that was let in before, and counts against no limit now. */
export type Authenticate = (credentials: Credentials, isAgain?: boolean) => Promise<Actor>;

/** Header of the answer that names the deployment a call has queued; for a batch all of them, in no order. */
export const deploymentHeader = 'x-deployment-id';

/** Makes the guard's view of a request; its abort signal is made only when a handler asks for it. */
export function callerOf(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    authenticate,
    cookies,
    streamLimits,
  }: { authenticate: Authenticate; cookies: CookieJar; streamLimits: Pick<StreamLimits, 'heartbeatMs'> },
  { follow }: { follow: boolean },
): Caller {
  let signal: AbortSignal | undefined;
  const credentials = (): Credentials => credentialsOf(request, cookies);
  return {
    recheckMs: streamLimits.heartbeatMs,
    authenticateAgain: () => authenticate(credentials(), true),
    ip: request.ip,
    follow,
    lastEventId: lastEventIdOf(request),
    announce(deploymentId) {
      const earlier = reply.getHeader(deploymentHeader);
      reply.header(
        deploymentHeader,
        earlier === undefined ? deploymentId : `${String(earlier)}, ${deploymentId}`,
      );
    },
    get signal() {
      signal ??= signalOf(reply);
      return signal;
    },
    async authenticate() {
      const actor = await authenticate(credentials());
      if (actor.sessionId !== undefined && methodOf(request) !== 'GET') requireSameOrigin(request);
      return actor;
    },
  };
}

export function credentialsOf(request: FastifyRequest, cookies: CookieJar): Credentials {
  return {
    apiKey: single(request.headers['x-api-key']),
    authorization: request.headers.authorization,
    sessionTokens: cookies.sessionTokens(request),
  };
}

/** Fires when the connection breaks before the answer is whole; the answer's own end is no leaving. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const response = reply.raw;
  const left = (): void => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.destroyed) left();
  else response.once('close', left);
  return controller.signal;
}

function lastEventIdOf(request: FastifyRequest): string | undefined {
  const query = parametersOf(request);
  const fromQuery = query['lastEventId'];
  return single(request.headers['last-event-id']) ?? (typeof fromQuery === 'string' ? fromQuery : undefined);
}

/**
 * The caller with the position its input names, unless the request names one: tRPC's client puts it there
 * when it connects anew.
 */
export function resuming(caller: Caller, input: RawInput): Caller {
  const position: unknown =
    typeof input.value === 'object' && input.value !== null
      ? Reflect.get(input.value, 'lastEventId')
      : undefined;
  return caller.lastEventId === undefined && typeof position === 'string'
    ? { ...caller, lastEventId: position }
    : caller;
}

export function wantsEventStream(request: FastifyRequest): boolean {
  return request.method !== 'HEAD' && (request.headers.accept?.includes('text/event-stream') ?? false);
}

/** A request is a tRPC client's when it says so (decisions 1). */
export function isTrpcClient(request: FastifyRequest): boolean {
  return (
    parametersOf(request)['batch'] === '1' ||
    request.headers['trpc-accept'] !== undefined ||
    request.headers['x-trpc-source'] !== undefined ||
    wantsEventStream(request)
  );
}

/** Query-string parameters; repeated ones are arrays. An address that is no URL has none. */
export function parametersOf(request: FastifyRequest): Record<string, string | string[]> {
  return (request.query ?? {}) as Record<string, string | string[]>;
}

export function findProcedure(
  { registry, listPath }: { registry: Registry; listPath: string },
  path: string,
): RegisteredProcedure {
  const target = registry.get(path);
  if (target) return target;
  throw new AppError(
    'NOT_FOUND',
    `${path === '' ? 'This address names no procedure' : `There is no procedure ${path}`}. GET ` +
      `${listPath} lists all of them.`,
  );
}

export interface RawInput {
  value: unknown;
  /** The input came in a `{"json": …}` envelope; the answer's data is wrapped likewise. */
  wrapped: boolean;
}

/** Input of one call: the body of a POST; of a GET `?input=` or plain parameters. */
export function inputOf(request: FastifyRequest, procedure: Procedure): RawInput {
  if (methodOf(request) !== 'GET') return unwrapped(bodyOf(request));
  const { batch: _batch, input, lastEventId: _lastEventId, ...parameters } = parametersOf(request);
  if (input !== undefined) return unwrapped(parseJson(String(input), 'input'));
  return { value: coerceQuery(procedure.input, parameters), wrapped: false };
}

/**
 * The JSON body. The parser leaves the bodies of uploads unread; a procedure that takes none of them refuses
 * them here.
 */
export function bodyOf(request: FastifyRequest): unknown {
  const type = request.headers['content-type'];
  if (type !== undefined && request.body === undefined)
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON with the header Content-Type: application/json.',
    );
  return request.body ?? {};
}

export function unwrapped(value: unknown): RawInput {
  if (
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, 'json') &&
    Object.keys(value).every((key) => key === 'json' || key === 'meta')
  ) {
    return { value: Reflect.get(value, 'json') ?? {}, wrapped: true };
  }
  return { value, wrapped: false };
}

export function parseJson(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('BAD_REQUEST', `${field} is not valid JSON.`, {
      cause: error,
      issues: [{ path: field, message: 'must be valid JSON' }],
    });
  }
}

/** HEAD is a GET whose answer is left out. */
export const methodOf = ({ method }: FastifyRequest): string => (method === 'HEAD' ? 'GET' : method);

/** What only reads is GET, what changes something POST; the other verb is 405. */
export function checkMethod(request: FastifyRequest, procedure: Procedure, path: string): void {
  const expected = verbOf(procedure);
  if (methodOf(request) !== expected)
    throw new AppError('METHOD_NOT_SUPPORTED', `${path} is called with ${expected}, not ${request.method}.`, {
      headers: { allow: expected === 'GET' ? 'GET, HEAD' : expected },
    });
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
