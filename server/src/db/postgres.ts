/**
 * PostgreSQL through pg: a pool for changes, pipelined connections for reads, named prepared statements, the
 * same interface as SQLite's.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
} from 'kysely';
import pg from 'pg';
import { AppError } from '../domain/errors.ts';
import { attempted } from './writing/attempted.ts';
import type { Cipher } from './values/cipher.ts';
import type { Database } from './database.ts';
import { createKeptReads, type KeptReads } from './reading/kept-reads.ts';
import { createPostgresReaders, type PostgresReaders } from './reading/postgres-readers.ts';
import { createOutbox, type Gathered, type Outbox } from './outbox.ts';
import type { Tables } from './tables.ts';
import { brokenRule } from './values/violations.ts';

export interface PostgresOptions {
  url: string;
  cipher: Cipher;
  /** Connections for changes at most (default 10); reads have one or two besides. */
  maxConnections?: number;
}

/** What the transaction started may go on after it, a loop for example; then it no longer belongs to it. */
interface TransactionScope extends Gathered {
  client: pg.PoolClient | undefined;
}

/** A statement by the name that the server keeps it under. */
interface KnownStatement {
  name: string;
  isRead: boolean;
  /** Whether it gives the same while nothing is written: it asks the server for nothing but rows. */
  mayBeKept: boolean;
}

function knownStatements(): (sql: string) => KnownStatement {
  const known = new Map<string, KnownStatement>();
  return (sql) => {
    let statement = known.get(sql);
    if (!statement) {
      const name = hash('sha256', sql, 'hex').slice(0, 32);
      statement = { name, isRead: isRead(sql), mayBeKept: isRead(sql) && !asksTheServer(sql) };
      known.set(sql, statement);
    }
    return statement;
  };
}

/** PostgreSQL type 20 is int8: times in milliseconds and counts, all far below 2^53. */
const int8 = 20;

export function openPostgres(options: PostgresOptions): Database {
  const pool = openPool(options);
  const readers = createPostgresReaders(() => connectReader(options), options.maxConnections === 1 ? 1 : 2);
  const transactions = new AsyncLocalStorage<TransactionScope>();
  const transactionClient = (): pg.PoolClient | undefined => transactions.getStore()?.client;
  const statements = { count: 0, kept: 0 };
  const builder = createBuilder();
  const connections = { pool, readers, statements, transactionClient };
  const { run, change, generation, written } = createQueries(connections);
  const outbox = createOutbox({ builder, run, change });
  const begin = async <T>(work: () => Promise<T>): Promise<T> =>
    transact({ client: await translated(() => pool.connect()), transactions, outbox, written }, work);

  return {
    dialect: 'postgres',
    builder,
    cipher: options.cipher,
    statements,
    generation,
    run,
    change,
    script: async (sql) => {
      await translated(() => (transactionClient() ?? pool).query(sql));
    },
    transaction: async (work) => (transactionClient() ? work() : begin(work)),
    attempt: async (work) => {
      const client = transactionClient();
      if (!client) return begin(work);
      return outbox.attempt(transactions.getStore(), () =>
        attempted((sql) => translated(() => client.query(sql)), work),
      );
    },
    tell: async (event) => {
      const add = (): void => void transactions.getStore()?.events.push(event);
      if (transactionClient()) add();
      else await begin(async () => add());
    },
    onTold: outbox.listen,
    close: async () => {
      await Promise.all([pool.end(), readers.close()]);
    },
  };
}

interface Connections {
  pool: pg.Pool;
  readers: PostgresReaders;
  statements: Database['statements'];
  /** The connection of the transaction under way. */
  transactionClient(): pg.PoolClient | undefined;
}

function createQueries({
  pool,
  readers,
  statements,
  transactionClient,
}: Connections): Pick<Database, 'run' | 'change' | 'generation'> & Pick<KeptReads, 'written'> {
  const knownOf = knownStatements();
  const kept = createKeptReads({ askSnapshot: () => askSnapshot(readers), now: () => performance.now() });

  async function execute(
    { sql }: CompiledQuery<unknown>,
    parameters: readonly unknown[],
  ): Promise<pg.QueryResult> {
    statements.count += 1;
    const { name, isRead: reads } = knownOf(sql);
    const query = { name, text: sql, values: [...parameters] };
    const client = transactionClient();
    if (client) return translated(() => client.query(query));
    return translated(() => (reads ? readers.query(query) : pool.query(query).finally(kept.written)));
  }

  return {
    async run(query, parameters = query.parameters) {
      const read = async () => (await execute(query, parameters)).rows;
      const { name, mayBeKept } = knownOf(query.sql);
      if (!mayBeKept || transactionClient()) return read();
      const { rows, wasKept } = await kept.rows(JSON.stringify([name, parameters]), read);
      if (wasKept) {
        statements.count += 1;
        statements.kept += 1;
      }
      return asRows(rows);
    },
    change: async (query, parameters = query.parameters) => (await execute(query, parameters)).rowCount ?? 0,
    generation: async () => (transactionClient() ? undefined : kept.snapshot()),
    written: kept.written,
  };
}

/** Reads only: what locks or changes rows could keep the statements behind it waiting. */
const isRead = (sql: string): boolean =>
  /^\s*select\b(?!.*\bfor (?:no key )?(?:update|share|key share)\b)/is.test(sql);

/** Functions of the server's state or of the time, whose answers change without a write. */
const asksTheServer = (sql: string): boolean =>
  /\b(?:pg_\w+|now|random|\w+_timestamp|current_\w+|nextval|currval)\b/i.test(sql);

async function askSnapshot(readers: PostgresReaders): Promise<string | undefined> {
  const { rows } = await readers.query({
    name: 'berth_snapshot',
    // A standby's leaves out the transactions that its primary has under way.
    text: 'select case when not pg_is_in_recovery() then pg_current_snapshot()::text end as "snapshot"',
  });
  const snapshot: unknown = rows[0]?.snapshot;
  return typeof snapshot === 'string' ? snapshot : undefined;
}

/** Rows have the shape that the query was compiled for. */
function asRows<R>(rows: object[]): R[] {
  return rows as R[];
}

const connectionLimitMs = 10_000;

function typeParsers(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  return types;
}

async function connectReader({ url }: PostgresOptions): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectionLimitMs,
    types: typeParsers(),
    pipeline: true,
  });
  // A connection lost while idle is replaced at the next read; a read under way reports the failure.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function openPool(options: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    // Waiting for a free one counts too: a change of the settings wakes many readers at once.
    connectionTimeoutMillis: connectionLimitMs,
    types: typeParsers(),
  });
  // A connection lost while idle is replaced at the next use; the query that needs it reports the failure.
  pool.on('error', () => undefined);
  return pool;
}

/** Compiles queries, and runs none. */
function createBuilder(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

interface Beginning {
  client: pg.PoolClient;
  transactions: AsyncLocalStorage<TransactionScope>;
  outbox: Outbox;
  written(): void;
}

async function transact<T>(
  { client, transactions, outbox, written }: Beginning,
  work: () => Promise<T>,
): Promise<T> {
  // The query that meets a lost connection reports it; without a listener the loss itself would end the
  // process.
  const ignore = (): void => undefined;
  client.on('error', ignore);
  const scope: TransactionScope = { client, events: [] };
  try {
    await translated(() => client.query('BEGIN'));
    const result = await transactions.run(scope, async () => {
      const value = await work();
      await outbox.write(scope);
      return value;
    });
    scope.client = undefined;
    await translated(() => client.query('COMMIT').finally(written));
    client.release();
    outbox.committed(scope);
    return result;
  } catch (error) {
    scope.client = undefined;
    await client.query('ROLLBACK').then(
      () => client.release(),
      (broken: Error) => client.release(broken),
    );
    throw error;
  } finally {
    client.off('error', ignore);
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const broken = brokenRule(error);
    if (broken) throw broken;
    const sentence = outageSentence(error);
    if (sentence) throw new AppError('SERVICE_UNAVAILABLE', sentence, { cause: error });
    throw error;
  }
}

const unreachable =
  'The database does not answer; nothing was changed. Check that PostgreSQL runs and try again.';
const lost =
  'The connection to the database was lost. Check that PostgreSQL runs; a change that was under way may ' +
  'or may not be stored, so look before you repeat it.';
const full = 'The disk that holds the database is full; nothing was changed. Free some space and try again.';

/** Codes of node:net and of PostgreSQL (its documentation, appendix A). */
const outages: Record<string, string> = {
  ECONNREFUSED: unreachable,
  ENOENT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: unreachable,
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  '57P03': unreachable,
  '53300': unreachable,
  ECONNRESET: lost,
  EPIPE: lost,
  '57P01': lost,
  '57P02': lost,
  '53100': full,
};

function outageSentence(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string' && outages[error.code]) return outages[error.code];
  // The driver's own errors have no code.
  if (/timeout exceeded when trying to connect|connection timeout/i.test(error.message)) return unreachable;
  return /^Connection terminated|is not queryable/.test(error.message) ? lost : undefined;
}
