/** Errors become answers here and nowhere else (decisions 1, Error envelope). */
import { AppError, errorCodes, type ErrorCode } from '../domain/errors.ts';

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export type ErrorDialect = 'form-a' | 'form-b' | 'trpc';

interface ErrorData {
  code?: ErrorCode;
  httpStatus: number;
  path?: string;
  issues?: readonly { path: string; message: string }[];
  retryAfterMs?: number;
  reason?: string;
  needs?: 'code';
}

/**
 * The documented envelope; a tRPC client gets the numeric code it needs; the seven flat refusals are flat.
 */
export function errorAnswer(error: AppError, path: string | undefined, dialect: ErrorDialect): ErrorAnswer {
  const { httpStatus, trpc } = errorCodes[error.code];
  const headers: Record<string, string> = {
    ...error.headers,
    ...(error.retryAfterMs === undefined
      ? {}
      : { 'retry-after': String(Math.ceil(error.retryAfterMs / 1000)) }),
  };
  if (error.reason !== undefined && dialect !== 'trpc')
    return { status: httpStatus, headers, body: { error: error.reason, message: error.message } };
  const data: ErrorData = {
    ...(dialect === 'trpc' ? { code: error.code } : {}),
    httpStatus,
    ...(path === undefined ? {} : { path }),
    ...(error.issues ? { issues: error.issues } : {}),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    ...(error.reason === undefined ? {} : { reason: error.reason }),
    ...(error.needs === undefined ? {} : { needs: error.needs }),
  };
  const envelope = { message: error.message, code: dialect === 'trpc' ? trpc : error.code, data };
  const body =
    dialect === 'form-b'
      ? { error: envelope, message: error.message, code: error.code }
      : { error: envelope };
  return { status: httpStatus, headers, body };
}

export interface FaultLog {
  /** Writes the cause of an unexpected error under this id. */
  fault(id: string, error: unknown, path: string | undefined): void;
}

/**
 * An AppError as it is; the HTTP library's own errors in our words; anything else a 500 with an id that is in
 * the log.
 */
export function toAppError(
  error: unknown,
  path: string | undefined,
  log: FaultLog,
  newId: () => string,
): AppError {
  if (error instanceof AppError) {
    if (error.code === 'INTERNAL_SERVER_ERROR') log.fault('', error, path);
    return error;
  }
  const library = libraryError(error);
  if (library) return library;
  const id = newId();
  log.fault(id, error, path);
  return new AppError(
    'INTERNAL_SERVER_ERROR',
    `Something went wrong inside Berth. The log has the details under the id ${id}.`,
  );
}

const libraryCodes: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'PAYLOAD_TOO_LARGE',
    'The body is larger than 1 MiB. Send less; files go through an upload.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'UNSUPPORTED_MEDIA_TYPE',
    'The body must be JSON with the header Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'BAD_REQUEST',
    'The length of the body does not match Content-Length.',
  ],
  FST_ERR_CTP_INVALID_JSON_BODY: ['BAD_REQUEST', 'The body is not valid JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['BAD_REQUEST', 'The body is empty.'],
  FST_ERR_MAX_PARAM_LENGTH: [
    'NOT_FOUND',
    'There is nothing at this address, which is longer than any valid one. GET /api/openapi.json lists ' +
      'all of them.',
  ],
  FST_ERR_BAD_URL: ['BAD_REQUEST', 'The address is not a valid URL.'],
  ECONNRESET: ['BAD_REQUEST', 'The connection broke before the body was read.'],
};

function libraryError(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined;
  const known = 'code' in error && typeof error.code === 'string' ? libraryCodes[error.code] : undefined;
  if (known) return new AppError(known[0], known[1], { cause: error });
  if ('statusCode' in error && error.statusCode === 400)
    return new AppError('BAD_REQUEST', 'The body is not valid JSON.', { cause: error });
  return undefined;
}
