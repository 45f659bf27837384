import { AppError } from '../../domain/errors.ts';

/**
 * What a broken rule of a table means, in either database: a unique index (SQLite extended codes 2067 and
 * 1555, PostgreSQL SQLSTATE 23505), or a reference whose record somebody else removed between the look and
 * the change (787; 23503). Undefined for every other error.
 */
export function brokenRule(error: unknown): AppError | undefined {
  const code = codeOf(error);
  if (code === 2067 || code === 1555 || code === '23505')
    return new AppError('CONFLICT', 'A record with this value already exists. Choose another one.', {
      cause: error,
    });
  if (code === 787 || code === '23503')
    return new AppError(
      'NOT_FOUND',
      'A record that this one belongs to was removed meanwhile; nothing was changed. Reload and try again.',
      { cause: error },
    );
  return undefined;
}

/** SQLite's number or PostgreSQL's SQLSTATE. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return 'errcode' in error ? error.errcode : 'code' in error ? error.code : undefined;
}
