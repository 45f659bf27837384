import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../server/src/db/database.ts';

type Counted = Pick<Database, 'statements'>;

/** So long (ms) nothing is asked of a database whose world has been made. */
const stillMs = 50;

/**
 * Statements that a call runs: the least of three times, when what went before has come to its end, since
 * what an earlier call left to be done or noted may be written while a later one is answered.
 */
export async function statementsOf(database: Counted, call: () => Promise<unknown>): Promise<number> {
  await stillness(database);
  let least = Infinity;
  for (let time = 0; time < 3; time += 1) {
    const before = database.statements.count;
    await call();
    least = Math.min(least, database.statements.count - before);
  }
  return least;
}

/** For a second at most: a world that never rests has no fewer statements for it. */
async function stillness({ statements }: Counted): Promise<void> {
  for (let look = 0; look < 1000 / stillMs; look += 1) {
    const before = statements.count;
    await wait(stillMs);
    if (statements.count === before) return;
  }
}
