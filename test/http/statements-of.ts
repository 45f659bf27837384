import type { Database } from '../../server/src/db/database.ts';

/** Statements that a call runs: the least of three times, since what an earlier call left to be noted (a key's first request) may be written while a later one is answered. */
export async function statementsOf(database: Pick<Database, 'statements'>, call: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < 3; time += 1) {
    const before = database.statements.count;
    await call();
    least = Math.min(least, database.statements.count - before);
  }
  return least;
}
