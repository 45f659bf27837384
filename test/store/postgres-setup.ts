/** Vitest's set-up of the store tests: one PostgreSQL server for all files, with a database to be copied. */
import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { createCipher } from '../../server/src/db/values/cipher.ts';
import { migrate } from '../../server/src/db/migrations.ts';
import { openPostgres } from '../../server/src/db/postgres.ts';
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
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startPostgres();
  try {
    const template = 'with_schema';
    const cipher = createCipher(randomBytes(32));
    const administration = openPostgres({ url, cipher, maxConnections: 1 });
    await administration.script(`CREATE DATABASE "${template}"`);
    await administration.close();
    const database = openPostgres({
      url: url.replace(/\/postgres$/, `/${template}`),
      cipher,
      maxConnections: 1,
    });
    await migrate(database, '2026-01-01T00:00:00.000Z');
    await database.close();
    project.provide('postgres', { url, template });
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
