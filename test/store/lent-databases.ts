/**
 * Databases of a PostgreSQL server that go from test to test: making one takes 60 ms, and each new connection
 * learns tables and statements anew. A test gets one without a row; what it leaves besides rows, a table it
 * dropped for example, ends the database with the test.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { Database } from '../../server/src/db/database.ts';
import { tables } from '../../server/src/db/tables.ts';

/** A database with the whole schema and its connections. */
export interface Lendable {
  database: Database;
  location: string;
  /** What its schema was when it was made. */
  schema: string;
}

export interface Lent {
  /** Of this test: nothing that goes on after it reaches the database any more. */
  database: Database;
  location: string;
  /**
   * Takes all rows away and keeps the database for the next test; gives false when it cannot be kept, and
   * closes it.
   */
  giveBack(): Promise<boolean>;
}

/** How long work that a test began may take to end. */
const endLimitMs = 5000;

const waiting: Lendable[] = [];

/** One that waits, else one that `make` makes. */
export async function lend(make: () => Promise<Omit<Lendable, 'schema'>>): Promise<Lent> {
  const lendable = waiting.pop() ?? (await measured(await make()));
  const { database, end } = untilTheEnd(lendable.database);
  return {
    database,
    location: lendable.location,
    async giveBack() {
      if ((await end()) && (await isAsMade(lendable))) {
        waiting.push(lendable);
        return true;
      }
      await lendable.database.close();
      return false;
    },
  };
}

async function measured(made: Omit<Lendable, 'schema'>): Promise<Lendable> {
  return { ...made, schema: await schemaOf(made.database) };
}

/**
 * Every table but that of the migrations, whose rows belong to the schema; foreign keys are not looked at
 * meanwhile.
 */
const emptying = [
  "SET LOCAL lock_timeout = '2s'",
  "SET LOCAL session_replication_role = 'replica'",
  ...Object.keys(tables).map((table) => `DELETE FROM "${table}"`),
].join('; ');

async function isAsMade({ database, schema }: Lendable): Promise<boolean> {
  try {
    await database.script(emptying);
    return (await schemaOf(database)) === schema;
  } catch {
    // A table is gone, or something still holds one.
    return false;
  }
}

const schemaQuery = CompiledQuery.raw(`SELECT md5(concat(
  (SELECT string_agg(concat(attrelid, attname, atttypid, attnotnull, attisdropped), ','
      ORDER BY attrelid, attnum)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND attnum > 0),
  (SELECT string_agg(concat(oid, conname), ',' ORDER BY oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace),
  (SELECT string_agg("version"::text, ',' ORDER BY "version") FROM "schema_migration"))) AS schema`);

/** Changes with every table, column, index, constraint and migration. */
async function schemaOf(database: Database): Promise<string> {
  const [row]: unknown[] = await database.run(schemaQuery);
  return String(Reflect.get(Object(row), 'schema'));
}

/**
 * The database until `end`; then it refuses, and waits for what was under way: false when that does not end.
 */
function untilTheEnd(database: Database): { database: Database; end(): Promise<boolean> } {
  let isOver = false;
  const running = new Set<Promise<unknown>>();
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isOver) throw new Error('The test that had this database is over.');
    const result = work();
    running.add(result);
    try {
      return await result;
    } finally {
      running.delete(result);
    }
  };
  const end = async (): Promise<boolean> => {
    isOver = true;
    return (
      running.size === 0 ||
      Promise.race([Promise.allSettled(running).then(() => true), wait(endLimitMs, false)])
    );
  };
  return {
    end,
    database: {
      dialect: database.dialect,
      builder: database.builder,
      cipher: database.cipher,
      statements: database.statements,
      generation: () => database.generation(),
      run: (query, parameters) => during(() => database.run(query, parameters)),
      change: (query, parameters) => during(() => database.change(query, parameters)),
      script: (sql) => during(() => database.script(sql)),
      transaction: (work) => during(() => database.transaction(work)),
      attempt: (work) => during(() => database.attempt(work)),
      tell: (event) => during(() => database.tell(event)),
      onTold: (listener) => database.onTold(listener),
      close: async () => void (await end()),
    },
  };
}
