/**
 * Reads an answer that is no success; both shapes of the interface (Errors): the envelope and the flat one.
 */
import { errorCodes, type ErrorCode, type Issue } from '../server/src/domain/errors.ts';
import { BerthError } from './berth-error.ts';

export function refusalOf(httpStatus: number, body: unknown): BerthError {
  const flat = fieldOf(body, 'error');
  const message =
    textOf(fieldOf(flat, 'message')) ??
    textOf(fieldOf(body, 'message')) ??
    `The address answered ${httpStatus} without saying why. Is it Berth's?`;
  if (typeof flat === 'string')
    return new BerthError(codeOfStatus(httpStatus), message, { httpStatus, reason: flat });
  const data = fieldOf(flat, 'data');
  const retryAfterMs = fieldOf(data, 'retryAfterMs');
  const code = fieldOf(flat, 'code');
  return new BerthError(isErrorCode(code) ? code : codeOfStatus(httpStatus), message, {
    httpStatus,
    issues: issuesOf(fieldOf(data, 'issues')),
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    needs: fieldOf(data, 'needs') === 'code' ? 'code' : undefined,
  });
}

function issuesOf(value: unknown): Issue[] {
  if (!Array.isArray(value)) return [];
  return value.map((issue: unknown) => ({
    path: textOf(fieldOf(issue, 'path')) ?? '',
    message: textOf(fieldOf(issue, 'message')) ?? '',
  }));
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorCodes, value);
}

function codeOfStatus(httpStatus: number): ErrorCode {
  const codes = Object.keys(errorCodes).filter(isErrorCode);
  return codes.find((code) => errorCodes[code].httpStatus === httpStatus) ?? 'INTERNAL_SERVER_ERROR';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
