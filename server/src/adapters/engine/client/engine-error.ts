import { AppError } from '../../../domain/errors.ts';
import type { ErrorCode } from '../../../domain/errors.ts';

/** What went wrong in a call to the engine, in its own words. */
export interface EngineFault {
  /** HTTP status of the answer; undefined when none came. */
  status: number | undefined;
  /** The engine's message without its RPC prefix. */
  words: string;
  cause: unknown;
}

/** Errors of the socket that mean "nobody answers there". */
const unreachable = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'EACCES',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ABORT_ERR',
  'UND_ERR_SOCKET',
]);

const codeOfStatus: Record<number, ErrorCode> = {
  400: 'BAD_REQUEST',
  401: 'BAD_REQUEST',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  503: 'SERVICE_UNAVAILABLE',
};

/** Swarm answers its own refusals as 500 or 400 with a gRPC code in the text. */
const codeOfRpc: Record<string, ErrorCode> = {
  InvalidArgument: 'BAD_REQUEST',
  FailedPrecondition: 'PRECONDITION_FAILED',
  NotFound: 'NOT_FOUND',
  AlreadyExists: 'CONFLICT',
};

/** Thrown for every refusal of the engine, so that callers can look at the status and the words. */
export class EngineRefusal extends AppError {
  readonly status: number;
  readonly words: string;

  constructor(code: ErrorCode, sentence: string, fault: { status: number; words: string; cause: unknown }) {
    super(code, sentence, { cause: fault.cause });
    this.status = fault.status;
    this.words = fault.words;
  }
}

/**
 * The error for a failed call. `doing` completes "while …"; `place` is named when nobody answers. `between`
 * is a sentence when the way to it is known to be broken.
 */
export function engineError(doing: string, place: string, cause: unknown, between?: string): AppError {
  const fault = readFault(cause);
  if (fault.status === undefined && between !== undefined)
    return new AppError('SERVICE_UNAVAILABLE', between, { cause });
  if (fault.status === undefined) return unreachableError(doing, place, cause);
  if (/not a swarm manager|not part of a swarm/i.test(fault.words)) {
    return new EngineRefusal(
      'SERVICE_UNAVAILABLE',
      `The engine ${place} is not a swarm manager, which ${doing} needs. Run Berth's set-up again, or ` +
        '"docker swarm init" on it.',
      {
        ...fault,
        status: fault.status,
      },
    );
  }
  const unresolved = unresolvedSentence(doing, fault.words);
  if (unresolved !== undefined)
    return new EngineRefusal('SERVICE_UNAVAILABLE', unresolved, { ...fault, status: fault.status });
  const code = codeOfRefusal(fault.status, fault.words, cause);
  return new EngineRefusal(code, `The engine refused ${doing}: ${fault.words}`, {
    ...fault,
    status: fault.status,
  });
}

/**
 * What is to be said of "lookup HOST: no such host" and "lookup HOST on SERVER: …" (Go's package net): that
 * is nobody's refusal; undefined for other words.
 */
export function unresolvedSentence(doing: string, words: string): string | undefined {
  const name =
    /\blookup (\S+?)(?: on \S+)?: (?:no such host|server misbehaving|Temporary failure in name)/i.exec(
      words,
    )?.[1];
  if (name === undefined) return undefined;
  return (
    `The name ${name} does not resolve (${doing}). Check its spelling, and the name servers of the machine ` +
    'on which the engine runs.'
  );
}

function codeOfRefusal(status: number, words: string, cause: unknown): ErrorCode {
  if (/name conflicts with an existing object/i.test(words)) return 'CONFLICT';
  // The beginning of several ids: a fault of the input, which the engine answers with 500.
  if (/multiple ids found/i.test(words)) return 'BAD_REQUEST';
  return (
    codeOfRpc[rpcCode(cause)] ??
    codeOfStatus[status] ??
    (status >= 500 ? 'SERVICE_UNAVAILABLE' : 'BAD_REQUEST')
  );
}

/** True for a refusal that says the thing is not there. */
export function isAbsent(error: unknown): boolean {
  return error instanceof EngineRefusal && error.status === 404;
}

/** Takes a refusal whose words say that there is nothing left to do; for `catch`. */
export function allowRefusal(words: RegExp): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof EngineRefusal && words.test(error.words))) throw error;
  };
}

/** True when the service changed between our reading and our writing. */
export function isOutOfSequence(error: unknown): boolean {
  return error instanceof EngineRefusal && /update out of sequence/i.test(error.words);
}

function unreachableError(doing: string, place: string, cause: unknown): AppError {
  const why = describeSocketError(cause);
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The container engine ${place} cannot be reached (${doing}): ${why}.`,
    { cause },
  );
}

function describeSocketError(cause: unknown): string {
  const code = errorCode(cause);
  if (code === 'ENOENT')
    return 'there is no such socket. Start the engine, or set the path of its socket in the configuration';
  if (code === 'ECONNREFUSED')
    return 'nothing listens on the socket. Start the engine (systemctl start docker)';
  if (code === 'EACCES')
    return 'this user may not open the socket. Run Berth as root or as a member of the group docker';
  if (code === 'ABORT_ERR' || code === 'ETIMEDOUT')
    return 'it gave no answer in time. See its log (journalctl -u docker) and the load of the machine';
  if (code !== undefined && unreachable.has(code))
    return `it closed the connection (${code}). It may be restarting; see its log`;
  return cause instanceof Error ? cause.message : String(cause);
}

function readFault(cause: unknown): EngineFault {
  if (typeof cause !== 'object' || cause === null) return { status: undefined, words: String(cause), cause };
  const status = 'statusCode' in cause && typeof cause.statusCode === 'number' ? cause.statusCode : undefined;
  return { status, words: withoutRpcPrefix(messageOf(cause)), cause };
}

function messageOf(cause: object): string {
  const answer = 'json' in cause ? cause.json : undefined;
  if (
    typeof answer === 'object' &&
    answer !== null &&
    'message' in answer &&
    typeof answer.message === 'string'
  )
    return answer.message;
  return cause instanceof Error ? cause.message.trim() : 'no reason given';
}

function rpcCode(cause: unknown): string {
  const text = typeof cause === 'object' && cause !== null ? messageOf(cause) : '';
  return /rpc error: code = (\w+)/.exec(text)?.[1] ?? '';
}

function withoutRpcPrefix(words: string): string {
  return words.replace(/rpc error: code = \w+ desc = /g, '').trim();
}

function errorCode(cause: unknown): string | undefined {
  if (typeof cause !== 'object' || cause === null) return undefined;
  if ('name' in cause && (cause.name === 'AbortError' || cause.name === 'TimeoutError')) return 'ABORT_ERR';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}
