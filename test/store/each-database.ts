/** The databases that every store test runs on; not one is imitated. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { createCipher, type Cipher } from '../../server/src/db/cipher.ts';
import type { Database } from '../../server/src/db/database.ts';
import { migrate } from '../../server/src/db/migrations.ts';
import { openPostgres } from '../../server/src/db/postgres.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';
import { startPostgres, type RunningPostgres } from '../bed/postgres.ts';

export interface TestDatabase {
  /** A fresh database with the whole schema; closed and gone after the test. */
  open(): Promise<Database>;
  /** A fresh one without any table. */
  openEmpty(): Promise<Database>;
  /** Another connection to the same data, perhaps with another key. */
  reopen(database: Database, cipher?: Cipher): Database;
  /** Path of the SQLite file, or address on the PostgreSQL server. */
  locationOf(database: Database): string;
  /** Closes one before its test ends. */
  close(database: Database): Promise<void>;
}

/** Defines the same tests for every database: SQLite in a file, PostgreSQL in a server of this file's own. */
export function eachDatabase(name: string, define: (test: TestDatabase, dialect: Database['dialect']) => void): void {
  for (const [dialect, place] of Object.entries({ sqlite: sqlitePlace, postgres: postgresPlace })) {
    describe(`${name} (${dialect})`, () => {
      const opened = new Map<Database, { location: string; connect: Connect }>();
      const { newLocation, connect } = place();
      const track = (location: string, cipher: Cipher): Database => {
        const database = connect(location, cipher);
        opened.set(database, { location, connect });
        return database;
      };
      const openEmpty = async (): Promise<Database> => track(await newLocation(), createCipher(randomBytes(32)));
      afterEach(async () => {
        for (const database of opened.keys()) await database.close();
        opened.clear();
      });
      const test: TestDatabase = {
        openEmpty,
        async open() {
          const database = await openEmpty();
          await migrate(database, '2026-01-01T00:00:00.000Z');
          return database;
        },
        reopen: (database, cipher = database.cipher) => track(opened.get(database)?.location ?? '', cipher),
        locationOf: (database) => opened.get(database)?.location ?? '',
        close: (database) => {
          opened.delete(database);
          return database.close();
        },
      };
      define(test, dialect === 'sqlite' ? 'sqlite' : 'postgres');
    });
  }
}

type Connect = (location: string, cipher: Cipher) => Database;

interface Place {
  newLocation(): Promise<string>;
  connect: Connect;
}

function sqlitePlace(): Place {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-store-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    newLocation: async () => join(folder, `${randomBytes(6).toString('hex')}.sqlite`),
    connect: (path, cipher) => openSqlite({ path, synchronous: 'FULL', cipher }),
  };
}

function postgresPlace(): Place {
  let server: RunningPostgres | undefined;
  const address = (): string => {
    if (!server) throw new Error('The PostgreSQL server of this test file does not run.');
    return server.url;
  };
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());
  return {
    async newLocation() {
      const name = `test_${randomBytes(6).toString('hex')}`;
      const administration = openPostgres({ url: address(), cipher: createCipher(randomBytes(32)), maxConnections: 1 });
      await administration.script(`CREATE DATABASE "${name}"`);
      await administration.close();
      return address().replace(/\/postgres$/, `/${name}`);
    },
    connect: (url, cipher) => openPostgres({ url, cipher }),
  };
}
