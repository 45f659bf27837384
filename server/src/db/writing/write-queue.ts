/**
 * Writes of one SQLite connection, in their order. Statements and short transactions that wait together are
 * committed together: one sync of the disk stands for all of them, and each is answered only after it. Each
 * is a piece of its own by a savepoint, so that one that fails takes no other with it
 * (https://www.sqlite.org/lang_savepoint.html).
 */
import { AsyncResource } from 'node:async_hooks';
import type { DatabaseSync } from 'node:sqlite';

/**
 * `statement` is one statement, committed by itself when nothing waits beside it; `transaction` has
 * several; `short` is a transaction that waits for nothing but this database; `alone` is never put into a
 * transaction: a script may hold what SQLite refuses there.
 */
export type WriteKind = 'statement' | 'short' | 'transaction' | 'alone';

export interface WriteQueue {
  /** What `task` gives, once it is committed; what it throws, once it is rolled back. */
  enqueue<T>(kind: WriteKind, task: () => T | Promise<T>): Promise<T>;
}

interface Write {
  kind: WriteKind;
  run(): Promise<void>;
  failure(): { reason: unknown } | undefined;
  /** Tells the caller what it came to. */
  settle(): void;
  reject(reason: unknown): void;
}

/** The first of a batch waits for the last; more than these gain little. */
const batchLimit = 32;

/** `translated` runs the statements around writes and gives their errors as sentences for people. */
export function createWriteQueue(handle: DatabaseSync, translated: (work: () => void) => void): WriteQueue {
  const commit = createCommit(handle, translated);
  const waiting: Write[] = [];
  let isWorking = false;

  // What arrives in the same turn of the event loop is one batch.
  const begin = (): void => void setImmediate(() => void workThrough());

  async function workThrough(): Promise<void> {
    await commit(nextBatch(waiting));
    if (waiting.length > 0) begin();
    else isWorking = false;
  }

  return {
    enqueue: (kind, task) =>
      new Promise((resolve, reject) => {
        waiting.push(createWrite({ kind, task: AsyncResource.bind(task), resolve, reject }));
        if (isWorking) return;
        isWorking = true;
        begin();
      }),
  };
}

/** Writes that end by themselves, whatever becomes of those beside them. */
const sharing: ReadonlySet<WriteKind> = new Set<WriteKind>(['statement', 'short']);

/**
 * One write of any kind, and the statements and short transactions that follow it. Any other transaction is
 * never behind another write of its batch: it may wait for what that write's caller does when it is answered,
 * which is after the commit.
 */
function nextBatch(waiting: Write[]): Write[] {
  const [first] = waiting;
  if (first?.kind === 'alone') return waiting.splice(0, 1);
  const end = waiting.findIndex(({ kind }, index) => index > 0 && !sharing.has(kind));
  return waiting.splice(0, Math.min(end === -1 ? waiting.length : end, batchLimit));
}

interface Task<T> {
  kind: WriteKind;
  task: () => T | Promise<T>;
  resolve: (result: T) => void;
  reject: (reason: unknown) => void;
}

function createWrite<T>({ kind, task, resolve, reject }: Task<T>): Write {
  let settle = (): void => undefined;
  let failure: { reason: unknown } | undefined;
  return {
    kind,
    async run() {
      try {
        const result = await task();
        settle = () => resolve(result);
      } catch (reason) {
        failure = { reason };
        settle = () => reject(reason);
      }
    },
    failure: () => failure,
    settle: () => settle(),
    reject,
  };
}

/** The statements around writes, prepared once. */
function prepareFrame(handle: DatabaseSync): Record<FrameStatement, () => void> {
  const prepared = (sql: string): (() => void) => {
    const statement = handle.prepare(sql);
    return () => void statement.run();
  };
  return {
    begin: prepared('BEGIN IMMEDIATE'),
    commit: prepared('COMMIT'),
    rollback: prepared('ROLLBACK'),
    savepoint: prepared('SAVEPOINT "write"'),
    takeBack: prepared('ROLLBACK TO "write"'),
    release: prepared('RELEASE "write"'),
  };
}

type FrameStatement = 'begin' | 'commit' | 'rollback' | 'savepoint' | 'takeBack' | 'release';

function createCommit(
  handle: DatabaseSync,
  translated: (work: () => void) => void,
): (batch: readonly Write[]) => Promise<void> {
  const frame = prepareFrame(handle);

  /** Throws when SQLite gave the whole transaction up, as it does when the disk is full. */
  async function runApart(write: Write): Promise<void> {
    frame.savepoint();
    await write.run();
    if (!handle.isTransaction) throw new TransactionGivenUp(write.failure()?.reason);
    if (write.failure()) frame.takeBack();
    frame.release();
  }

  async function runAll(batch: readonly Write[]): Promise<void> {
    const [first] = batch;
    if (batch.length > 1 || !first) for (const write of batch) await runApart(write);
    else {
      await first.run();
      if (first.failure()) throw new Error('The only write of the batch failed.');
    }
  }

  function rollBack(): void {
    try {
      // What comes after the end of the database is told that it is closed.
      if (handle.isOpen && handle.isTransaction) frame.rollback();
    } catch {
      // The next transaction says what is wrong with the disk; the callers of this one get its own reason.
    }
  }

  /** Never throws: what goes wrong is told to the callers. */
  return async (batch) => {
    const [first] = batch;
    if (batch.length === 1 && first && (first.kind === 'statement' || first.kind === 'alone')) {
      await first.run();
      return first.settle();
    }
    try {
      translated(frame.begin);
      await runAll(batch);
      translated(frame.commit);
    } catch (reason) {
      rollBack();
      // What failed by itself keeps its own reason.
      for (const write of batch) write.reject(write.failure()?.reason ?? causeOf(reason));
      return;
    }
    for (const write of batch) write.settle();
  };
}

/** SQLite ended the transaction of a batch by itself, for the reason of one of its writes. */
class TransactionGivenUp extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super('SQLite gave the transaction up.');
    this.reason = reason;
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof TransactionGivenUp ? (error.reason ?? error) : error;
}
