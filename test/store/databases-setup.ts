/**
 * Vitest's set-up of the store tests: one PostgreSQL server for all files, and of each kind a database that
 * has the whole schema, to be copied.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createCipher } from '../../server/src/db/values/cipher.ts';
import { migrate } from '../../server/src/db/migrations.ts';
import { openPostgres } from '../../server/src/db/postgres.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';
import { startPostgres } from '../bed/postgres.ts';

export interface ProvidedPostgres {
  /** Of the database for administration. */
  url: string;
  /** Name of the database that has the schema and no rows; nobody connects to it. */
  template: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ProvidedPostgres;
    /** Path of an SQLite file that has the schema and no rows; nobody opens it. */
    sqliteTemplate: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [server, folder] = [await startPostgres(), await mkdtemp(join(tmpdir(), 'berth-store-'))];
  const end = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [template, sqliteTemplate] = ['with_schema', join(folder, 'with-schema.sqlite')];
    const [cipher, url] = [createCipher(randomBytes(32)), server.url];
    const administration = openPostgres({ url, cipher, maxConnections: 1 });
    await administration.script(`CREATE DATABASE "${template}"`);
    await administration.close();
    const databases = [
      openPostgres({ url: url.replace(/\/postgres$/, `/${template}`), cipher, maxConnections: 1 }),
      openSqlite({ path: sqliteTemplate, synchronous: 'NORMAL', cipher }),
    ];
    for (const database of databases) {
      await migrate(database, '2026-01-01T00:00:00.000Z');
      // The last connection's end puts everything of SQLite into the one file.
      await database.close();
    }
    project.provide('postgres', { url, template });
    project.provide('sqliteTemplate', sqliteTemplate);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}
