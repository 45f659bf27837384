import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, it } from 'vitest';
import { createWriteQueue } from './write-queue.ts';

const open: DatabaseSync[] = [];
afterEach(() => {
  for (const handle of open.splice(0)) handle.close();
});

function begin() {
  const handle = new DatabaseSync(':memory:');
  open.push(handle);
  handle.exec('create table "word" ("text" text not null unique)');
  let framed = 0;
  const queue = createWriteQueue(handle, (work) => {
    framed += 1;
    work();
  });
  const insert = (text: string, on = ''): void =>
    void handle.prepare(`insert ${on} into "word" values (?)`).run(text);
  return {
    ...queue,
    insert,
    words: () =>
      handle
        .prepare('select "text" from "word" order by rowid')
        .all()
        .map(({ text }) => text),
    /** Transactions begun and committed, each counted twice. */
    commits: () => framed / 2,
    isInTransaction: () => handle.isTransaction,
  };
}

it('commits together what waits together, in its order', async () => {
  const queue = begin();
  const texts = Array.from({ length: 20 }, (_, index) => `w${index}`);
  await Promise.all(texts.map((text) => queue.enqueue('statement', () => queue.insert(text))));
  expect(queue.words()).toEqual(texts);
  expect(queue.commits()).toBe(1);
});

it('answers nobody before the commit', async () => {
  const queue = begin();
  const answered = (text: string): Promise<boolean> =>
    queue.enqueue('statement', () => queue.insert(text)).then(() => queue.isInTransaction());
  expect(await Promise.all([answered('a'), answered('b')])).toEqual([false, false]);
});

it('takes back what fails, and nothing beside it', async () => {
  const queue = begin();
  const results = await Promise.allSettled([
    queue.enqueue('statement', () => queue.insert('a')),
    queue.enqueue('statement', () => queue.insert('a')),
    queue.enqueue('transaction', async () => {
      queue.insert('half');
      await Promise.resolve();
      throw new Error('changed my mind');
    }),
    queue.enqueue('transaction', async () => {
      queue.insert('b');
      await Promise.resolve();
      queue.insert('c');
      return 'both';
    }),
  ]);
  expect(results).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { message: expect.stringContaining('UNIQUE') } },
    { status: 'rejected', reason: { message: 'changed my mind' } },
    { status: 'fulfilled', value: 'both' },
  ]);
  expect(queue.words()).toEqual(['a', 'b', 'c']);
});

it('tells all of a batch when SQLite gives the whole transaction up, and goes on with the next', async () => {
  const queue = begin();
  await queue.enqueue('statement', () => queue.insert('a'));
  const results = await Promise.allSettled([
    queue.enqueue('statement', () => queue.insert('b')),
    // What a full disk does, too: the transaction is over.
    queue.enqueue('statement', () => queue.insert('a', 'or rollback')),
    queue.enqueue('statement', () => queue.insert('c')),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await queue.enqueue('statement', () => queue.insert('d'));
  expect(queue.words()).toEqual(['a', 'd']);
});

it('commits short transactions with what waits beside them, and takes one back alone', async () => {
  const queue = begin();
  const short = (text: string, isGood = true): Promise<void> =>
    queue.enqueue('short', async () => {
      queue.insert(text);
      await Promise.resolve();
      if (!isGood) throw new Error('changed my mind');
      queue.insert(`${text}${text}`);
    });
  const results = await Promise.allSettled([
    short('a'),
    short('b', false),
    queue.enqueue('statement', () => queue.insert('c')),
    short('d'),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(queue.words()).toEqual(['a', 'aa', 'c', 'd', 'dd']);
  expect(queue.commits()).toBe(1);
});

it('takes a short transaction back that waits beside nothing', async () => {
  const queue = begin();
  const failing = queue.enqueue('short', async () => {
    queue.insert('a');
    await Promise.reject(new Error('changed my mind'));
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect(queue.words()).toEqual([]);
});

it('lets a transaction wait for whoever made the write before it', async () => {
  const queue = begin();
  const answered = queue.enqueue('statement', () => queue.insert('a'));
  await queue.enqueue('transaction', async () => {
    await answered;
    queue.insert('b');
  });
  expect(queue.words()).toEqual(['a', 'b']);
});

it('tells what comes after the database was closed, and breaks nothing', async () => {
  const queue = begin();
  open.splice(0).forEach((handle) => handle.close());
  await expect(
    Promise.all([
      queue.enqueue('transaction', async () => queue.insert('a')),
      queue.enqueue('statement', () => queue.insert('b')),
    ]),
  ).rejects.toThrow(/not open|finalized/);
});

it('runs a script in no transaction, in its turn', async () => {
  const queue = begin();
  const seen = await Promise.all([
    queue.enqueue('statement', () => queue.insert('a')),
    queue.enqueue('alone', () => [queue.isInTransaction(), ...queue.words()]),
    queue.enqueue('statement', () => queue.insert('b')),
  ]);
  expect(seen[1]).toEqual([false, 'a']);
  expect(queue.words()).toEqual(['a', 'b']);
});

it('runs each write in the context of who asked for it', async () => {
  const queue = begin();
  const caller = new AsyncLocalStorage<string>();
  const ask = (name: string): Promise<string | undefined> =>
    caller.run(name, () => queue.enqueue('statement', () => caller.getStore()));
  expect(await Promise.all([ask('first'), ask('second')])).toEqual(['first', 'second']);
});
