/**
 * Loaded before Berth (`node --import …`): counts the statements that SQLite runs, and tells the parent on
 * SIGUSR2. Nothing else of Berth is touched.
 */
import { StatementSync } from 'node:sqlite';

let count = 0;

for (const name of ['all', 'get', 'iterate', 'run'] as const) {
  const original = StatementSync.prototype[name];
  Reflect.set(
    StatementSync.prototype,
    name,
    function counted(this: StatementSync, ...values: unknown[]): unknown {
      count += 1;
      return Reflect.apply(original, this, values);
    },
  );
}

process.on('SIGUSR2', () => void process.send?.(count));
