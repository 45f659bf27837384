/** Vitest's set-up of the store tests: an SQLite file that has the whole schema, to be copied. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createCipher } from '../../server/src/db/values/cipher.ts';
import { migrate } from '../../server/src/db/migrations.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of an SQLite file that has the schema and no rows; nobody opens it. */
    sqliteTemplate: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-store-'));
  const end = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'with-schema.sqlite');
    const database = openSqlite({ path, synchronous: 'NORMAL', cipher: createCipher(randomBytes(32)) });
    await migrate(database, '2026-01-01T00:00:00.000Z');
    // The last connection's end puts everything of SQLite into the one file.
    await database.close();
    project.provide('sqliteTemplate', path);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}
