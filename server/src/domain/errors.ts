/** The one error that crosses layers. Its sentence is for a person: what happened, why, what to do. */

/** Code → HTTP status and tRPC's numeric code (decisions 1; tRPC's JSON-RPC error codes). */
export const errorCodes = {
  BAD_REQUEST: { httpStatus: 400, trpc: -32600 },
  UNAUTHORIZED: { httpStatus: 401, trpc: -32001 },
  FORBIDDEN: { httpStatus: 403, trpc: -32003 },
  NOT_FOUND: { httpStatus: 404, trpc: -32004 },
  METHOD_NOT_SUPPORTED: { httpStatus: 405, trpc: -32005 },
  CONFLICT: { httpStatus: 409, trpc: -32009 },
  PRECONDITION_FAILED: { httpStatus: 412, trpc: -32012 },
  PAYLOAD_TOO_LARGE: { httpStatus: 413, trpc: -32013 },
  UNSUPPORTED_MEDIA_TYPE: { httpStatus: 415, trpc: -32015 },
  TOO_MANY_REQUESTS: { httpStatus: 429, trpc: -32029 },
  INTERNAL_SERVER_ERROR: { httpStatus: 500, trpc: -32603 },
  SERVICE_UNAVAILABLE: { httpStatus: 503, trpc: -32603 },
} as const satisfies Record<string, { httpStatus: number; trpc: number }>;

export type ErrorCode = keyof typeof errorCodes;

/** The flat refusals of certificates and swarm → their code (interface document, Errors; decisions 1). */
export const flatRefusals = {
  'Invalid certificate': 'BAD_REQUEST',
  'Key mismatch': 'BAD_REQUEST',
  'Certificate expired': 'BAD_REQUEST',
  'Certificate in use': 'CONFLICT',
  'Node not found': 'NOT_FOUND',
  'Swarm not available': 'SERVICE_UNAVAILABLE',
  Unauthorized: 'FORBIDDEN',
} as const satisfies Record<string, ErrorCode>;

export type FlatRefusal = keyof typeof flatRefusals;

export function isFlatRefusal(name: string): name is FlatRefusal {
  return Object.hasOwn(flatRefusals, name);
}

/** One fault of an input: `path` names the field (dots between levels). */
export interface Issue {
  path: string;
  message: string;
}

export interface ErrorDetails {
  cause?: unknown;
  issues?: readonly Issue[];
  /** Milliseconds after which the same call may succeed (429). */
  retryAfterMs?: number;
  /** Name of a flat refusal (certificates and swarm, decisions 1). */
  reason?: string;
  /** Field that the same call must carry besides: `code` of a second factor. */
  needs?: 'code';
  /** Headers that HTTP wants with this refusal, such as `allow` with 405. */
  headers?: Readonly<Record<string, string>>;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterMs: number | undefined;
  readonly reason: string | undefined;
  readonly needs: 'code' | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, sentence: string, details: ErrorDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.issues = details.issues;
    this.retryAfterMs = details.retryAfterMs;
    this.reason = details.reason;
    this.needs = details.needs;
    this.headers = details.headers ?? {};
  }
}

/** A 400 naming one field. */
export function badField(path: string, message: string, cause?: unknown): AppError {
  return new AppError('BAD_REQUEST', `${path}: ${message}`, { issues: [{ path, message }], cause });
}

/** One of the refusals that certificates and swarm have of their own, in their flat shape. */
export function flatError(name: FlatRefusal, sentence: string): AppError {
  return new AppError(flatRefusals[name], sentence, { reason: name });
}

/** The sentence of any thrown value, for logs and for error fields of records. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
