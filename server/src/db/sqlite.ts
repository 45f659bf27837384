/**
 * SQLite through node:sqlite: WAL, one writer connection with a queue, one reader connection, every statement
 * prepared once.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
} from 'kysely';
import { AppError } from '../domain/errors.ts';
import { attempted } from './writing/attempted.ts';
import type { Cipher } from './values/cipher.ts';
import type { Database } from './database.ts';
import type { NewEvent, Tables } from './tables.ts';
import { createOutbox, type Gathered, type Outbox } from './outbox.ts';
import { brokenRule } from './values/violations.ts';
import { createWriteQueue, type WriteQueue } from './writing/write-queue.ts';

export interface SqliteOptions {
  path: string;
  /**
   * FULL: what a user was told is saved survives a power cut. NORMAL is faster and may lose the last commits
   * then (SQLite documentation, PRAGMA synchronous).
   */
  synchronous: 'FULL' | 'NORMAL';
  cipher: Cipher;
}

interface Connection {
  handle: DatabaseSync;
  prepared: Map<string, Prepared>;
}

interface Prepared {
  statement: StatementSync;
  /** Rows as objects of one shape. */
  rows(parameters: readonly unknown[]): unknown[];
}

/** What the transaction started may go on after it, a loop for example; then it no longer belongs to it. */
interface TransactionScope extends Gathered {
  isOpen: boolean;
}

export function openSqlite(options: SqliteOptions): Database {
  mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
  const writer = connect(options, false);
  const reader = connect(options, true);
  const transactions = new AsyncLocalStorage<TransactionScope>();
  const inTransaction = (): boolean => transactions.getStore()?.isOpen ?? false;
  const statements = { count: 0, kept: 0 };
  const { enqueue, enqueueTelling, generation } = countWrites(createWriteQueue(writer.handle, translated));

  function execute<R>(connection: Connection, query: CompiledQuery<R>, parameters: readonly unknown[]): R[] {
    statements.count += 1;
    return asRows<R>(translated(() => prepare(connection, query.sql).rows(parameters)));
  }

  /**
   * While no transaction is open the writer reads too: it knows its own changes, whereas each of them makes
   * the reader forget all pages (four times the time of a look-up).
   */
  const readingConnection = (): Connection => (writer.handle.isTransaction ? reader : writer);

  function write<R>(query: CompiledQuery<R>, parameters: readonly unknown[]): Promise<R[]> | R[] {
    const run = (): R[] => execute<R>(writer, query, parameters);
    if (inTransaction()) return run();
    return tellsRows(query.sql) ? enqueueTelling((rows) => rows.length > 0, run) : enqueue('statement', run);
  }

  const run: Database['run'] = async (query, parameters = query.parameters) =>
    isRead(query.sql) && !inTransaction()
      ? execute(readingConnection(), query, parameters)
      : write(query, parameters);
  const change: Database['change'] = async (query, parameters = query.parameters) => {
    const run = (): number => changed(writer, query, parameters, statements);
    return inTransaction() ? run() : enqueueTelling((changes) => changes > 0, run);
  };
  const builder = createBuilder();
  const outbox = createOutbox({ builder, run, change });
  const { transact, tell } = createTransact({ enqueue, transactions, inTransaction, outbox });

  return {
    dialect: 'sqlite',
    builder,
    cipher: options.cipher,
    statements,
    generation: async () => (inTransaction() ? undefined : generation()),
    run,
    change,
    script: async (sql) => {
      const exec = (): void => writer.handle.exec(sql);
      return inTransaction() ? exec() : enqueue('alone', exec);
    },
    transaction: async (work, options) =>
      inTransaction() ? work() : transact(work, options?.waitsForNothing ? 'short' : 'transaction'),
    attempt: async (work) =>
      inTransaction()
        ? outbox.attempt(transactions.getStore(), () =>
            attempted(async (sql) => writer.handle.exec(sql), work),
          )
        : transact(work),
    tell,
    onTold: outbox.listen,
    close: async () => {
      await enqueue('alone', () => undefined);
      reader.handle.close();
      writer.handle.close();
    },
  };
}

function changed(
  connection: Connection,
  { sql }: CompiledQuery<unknown>,
  parameters: readonly unknown[],
  statements: Database['statements'],
): number {
  statements.count += 1;
  return translated(() => Number(prepare(connection, sql).statement.run(...asInput(parameters)).changes));
}

interface Transacting {
  enqueue: WriteQueue['enqueue'];
  transactions: AsyncLocalStorage<TransactionScope>;
  inTransaction(): boolean;
  outbox: Outbox;
}

/** Transactions that end with what was told in them. */
function createTransact({ enqueue, transactions, inTransaction, outbox }: Transacting) {
  async function transact<T>(
    work: () => Promise<T>,
    kind: 'transaction' | 'short' = 'transaction',
  ): Promise<T> {
    const scope: TransactionScope = { isOpen: true, events: [] };
    const result = await enqueue(kind, () =>
      within(transactions, scope, async () => {
        const value = await work();
        await outbox.write(scope);
        return value;
      }),
    );
    outbox.committed(scope);
    return result;
  }
  const add = (event: NewEvent): void => void transactions.getStore()?.events.push(event);
  return {
    transact,
    async tell(event: NewEvent): Promise<void> {
      if (inTransaction()) add(event);
      else await transact(async () => add(event), 'short');
    },
  };
}

interface CountedWrites extends WriteQueue {
  /** A statement that tells by what it gives whether it changed anything: a look for a job may find none. */
  enqueueTelling<T>(hasChanged: (result: T) => boolean, task: () => T): Promise<T>;
  generation(): number;
}

/** Counts what may have changed rows, before whoever wrote it is answered. */
function countWrites(writes: WriteQueue): CountedWrites {
  let generation = 0;
  return {
    enqueue: (kind, task) => writes.enqueue(kind, task).finally(() => (generation += 1)),
    async enqueueTelling(hasChanged, task) {
      const result = await writes.enqueue('statement', task);
      if (hasChanged(result)) generation += 1;
      return result;
    },
    generation: () => generation,
  };
}

/** Whether a write gives a row for each that it changed. */
const tellsRows = (sql: string): boolean => /\breturning\b/i.test(sql);

/** Compiles queries, and runs none. */
function createBuilder(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

/** What `work` changes in its own course belongs to the transaction that the queue opened for it. */
async function within<T>(
  transactions: AsyncLocalStorage<TransactionScope>,
  scope: TransactionScope,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await transactions.run(scope, work);
  } finally {
    scope.isOpen = false;
  }
}

function connect(options: SqliteOptions, readOnly: boolean): Connection {
  const handle = new DatabaseSync(options.path, { readOnly, timeout: 5000 });
  if (!readOnly) {
    handle.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous}; PRAGMA foreign_keys = ON;`,
    );
  }
  handle.exec('PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY;');
  return { handle, prepared: new Map() };
}

const preparedLimit = 500;

function prepare(connection: Connection, sql: string): Prepared {
  const known = connection.prepared.get(sql);
  if (known) return known;
  if (connection.prepared.size >= preparedLimit) connection.prepared.clear();
  const prepared = shaped(connection.handle.prepare(sql));
  connection.prepared.set(sql, prepared);
  return prepared;
}

/**
 * The driver's own objects are dictionaries, slow to make and to read; arrays put into an object of one shape
 * cost half for a wide row (measured: 90 columns 11.6 µs against 6.4 µs).
 */
function shaped(statement: StatementSync): Prepared {
  const names = statement.columns().map(({ name }) => name);
  if (names.length === 0) return { statement, rows: (parameters) => statement.all(...asInput(parameters)) };
  statement.setReturnArrays(true);
  const toObject = objectOf(names);
  return { statement, rows: (parameters) => asArrays(statement.all(...asInput(parameters))).map(toObject) };
}

/**
 * Column names come from our own tables and queries, and stand in the text as JSON strings, so nothing of
 * them can be code.
 */
function objectOf(names: readonly string[]): (values: unknown[]) => unknown {
  const fields = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`).join(', ');
  // oxlint-disable-next-line typescript/no-implied-eval -- the only way to objects of one shape
  return asConstructor(new Function('values', `return { ${fields} };`));
}

function isRead(sql: string): boolean {
  return /^\s*(?:select|with)\b/.test(sql);
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const broken = brokenRule(error);
    if (broken) throw broken;
    if (error instanceof Error && /disk is full|database or disk/i.test(error.message)) {
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        'The disk that holds the database is full; nothing was changed. Free some space and try again.',
        { cause: error },
      );
    }
    throw error;
  }
}

/** The driver's types are wider than what our columns hold; this is the place where both meet. */
function asRows<R>(rows: unknown[]): R[] {
  return rows as R[];
}

function asInput(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters as SQLInputValue[];
}

function asArrays(rows: unknown[]): unknown[][] {
  return rows as unknown[][];
}

function asConstructor(compiled: unknown): (values: unknown[]) => unknown {
  return compiled as (values: unknown[]) => unknown;
}
