/** The databases that every store test runs on; not one is imitated. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, inject } from 'vitest';
import { createCipher, type Cipher } from '../../server/src/db/values/cipher.ts';
import type { Database } from '../../server/src/db/database.ts';
import { openPostgres } from '../../server/src/db/postgres.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';
import { isOfThisRun, isQuick } from '../run/mode.ts';
import { lend, type Lent } from './lent-databases.ts';

export interface TestDatabase {
  /** A fresh database with the whole schema; closed and gone after the test. */
  open(): Promise<Database>;
  /** A fresh one without any table. */
  openEmpty(): Promise<Database>;
  /**
   * The same data through connections of their own (few: each costs the server 10 ms), perhaps with another
   * key.
   */
  reopen(database: Database, cipher?: Cipher): Database;
  /** A database that the test made itself, with the key of another one. */
  openAt(location: string, cipher: Cipher): Database;
  /** Path of the SQLite file, or address on the PostgreSQL server. */
  locationOf(database: Database): string;
  /** Closes one before its test ends. */
  close(database: Database): Promise<void>;
}

type Define = (test: TestDatabase, dialect: Database['dialect']) => void;

/**
 * Defines the same tests for SQLite in a file and for PostgreSQL in the server of this run. The quick run
 * leaves PostgreSQL out.
 */
export function bothDatabases(name: string, define: Define): void {
  onPlaces(name, { sqlite: sqlitePlace, ...(!isQuick() && { postgres: postgresPlace }) }, define);
}

/** As `bothDatabases`, for what shows little of SQL: the ordinary run takes PostgreSQL for a third. */
export function eachDatabase(name: string, define: Define): void {
  if (isOfThisRun(name, 3)) bothDatabases(name, define);
  else onPlaces(name, { sqlite: sqlitePlace }, define);
}

function onPlaces(name: string, places: Readonly<Record<string, () => Place>>, define: Define): void {
  for (const [dialect, place] of Object.entries(places)) {
    describe(`${name} (${dialect})`, () => {
      const opened = new Map<Database, string>();
      const locations = new Set<string>();
      const lent: Lent[] = [];
      const { create, connect, remove, isLent } = place();
      const newCipher = (): Cipher => createCipher(randomBytes(32));
      const track = (location: string, cipher: Cipher, maxConnections?: number): Database => {
        const database = connect(location, cipher, maxConnections);
        opened.set(database, location);
        return database;
      };
      const fresh = async (hasSchema: boolean): Promise<Database> => {
        const location = await create(hasSchema);
        locations.add(location);
        return track(location, newCipher());
      };
      const borrowed = async (): Promise<Database> => {
        const one = await lend(async () => {
          const location = await create(true);
          return { location, database: connect(location, newCipher()) };
        });
        lent.push(one);
        opened.set(one.database, one.location);
        return one.database;
      };
      afterEach(async () => {
        for (const database of opened.keys()) await database.close();
        opened.clear();
        for (const one of lent.splice(0)) if (!(await one.giveBack())) locations.add(one.location);
        for (const location of locations) await remove(location);
        locations.clear();
      });
      const test: TestDatabase = {
        open: () => (isLent ? borrowed() : fresh(true)),
        openEmpty: () => fresh(false),
        reopen: (database, cipher = database.cipher) => track(opened.get(database) ?? '', cipher, 3),
        openAt: (location, cipher) => track(location, cipher),
        locationOf: (database) => opened.get(database) ?? '',
        close: (database) => {
          opened.delete(database);
          return database.close();
        },
      };
      define(test, dialect === 'sqlite' ? 'sqlite' : 'postgres');
    });
  }
}

interface Place {
  /** Makes a database, with the schema or without any table, and gives where it is. */
  create(hasSchema: boolean): Promise<string>;
  connect(location: string, cipher: Cipher, maxConnections?: number): Database;
  remove(location: string): Promise<void>;
  /** Whether databases with the schema go from test to test, since making one costs more than emptying it. */
  isLent: boolean;
}

function sqlitePlace(): Place {
  let folder = '';
  const template = inject('sqliteTemplate');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-store-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    isLent: false,
    connect: (path, cipher) => openSqlite({ path, synchronous: 'NORMAL', cipher }),
    async create(hasSchema) {
      const path = join(folder, `${randomBytes(6).toString('hex')}.sqlite`);
      if (hasSchema) await copyFile(template, path);
      return path;
    },
    // With the folder.
    remove: async () => undefined,
  };
}

function postgresPlace(): Place {
  const { url, template } = inject('postgres');
  let administration: Database | undefined;
  const administer = (sql: string): Promise<void> => {
    administration ??= openPostgres({ url, cipher: createCipher(randomBytes(32)), maxConnections: 1 });
    return administration.script(sql);
  };
  const nameOf = (location: string): string => new URL(location).pathname.slice(1);
  afterAll(() => administration?.close());
  return {
    isLent: true,
    connect: (location, cipher, maxConnections = 10) =>
      openPostgres({ url: location, cipher, maxConnections }),
    async create(hasSchema) {
      const name = `test_${randomBytes(6).toString('hex')}`;
      await administer(`CREATE DATABASE "${name}"${hasSchema ? ` TEMPLATE "${template}"` : ''}`);
      return url.replace(/\/postgres$/, `/${name}`);
    },
    remove: (location) => administer(`DROP DATABASE "${nameOf(location)}" WITH (FORCE)`),
  };
}
