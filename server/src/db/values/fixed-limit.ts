import { sql, type RawBuilder } from 'kysely';

/**
 * A limit that stands in the statement's own text. As a parameter it would make SQLite compile the statement
 * anew whenever it is bound, since the plan may depend on it (measured: one row of 76 columns 37 µs against 6
 * µs).
 */
export function fixedLimit(count: number): RawBuilder<number> {
  return sql.lit(count);
}
