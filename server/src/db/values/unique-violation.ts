/**
 * Whether an error is a broken unique index, in either database (SQLite extended code 2067 and 1555,
 * PostgreSQL SQLSTATE 23505).
 */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === '23505') return true;
  return 'errcode' in error && (error.errcode === 2067 || error.errcode === 1555);
}
