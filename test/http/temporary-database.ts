import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCipher } from '../../server/src/db/values/cipher.ts';
import type { Database } from '../../server/src/db/database.ts';
import { migrate } from '../../server/src/db/migrations.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';

/** A database in a file of its own with the whole schema, gone after `remove`. */
export async function temporaryDatabase(): Promise<{ database: Database; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-http-'));
  const database = openSqlite({
    path: join(folder, 'berth.sqlite'),
    synchronous: 'NORMAL',
    cipher: createCipher(randomBytes(32)),
  });
  await migrate(database, '2026-01-01T00:00:00.000Z');
  return {
    database,
    async remove() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
