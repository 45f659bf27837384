import type { Database } from '../../db/database.ts';
import { tableStore } from '../../db/table-store.ts';

export interface SettingsStore {
  /** What was ever set, by name. */
  all(): Promise<Record<string, unknown>>;
  /** Stores a value; undefined forgets it. */
  put(name: string, value: unknown): Promise<void>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createSettingsStore(database: Database): SettingsStore {
  const settings = tableStore(database, 'setting');
  return {
    all: async () => Object.fromEntries((await settings.list({})).map(({ name, value }) => [name, value])),
    async put(name, value) {
      // JSON null has no place in the column; a setting that is null is one that nobody set.
      if (value === null || value === undefined) await settings.remove({ name });
      else if ((await settings.update({ name }, { value })) === 0) await settings.insert({ name, value });
    },
    transaction: (work) => database.transaction(work),
  };
}
