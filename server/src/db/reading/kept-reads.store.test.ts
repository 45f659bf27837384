import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../../../test/bed/postgres.ts';
import { waitUntil } from '../../../../test/bed/machine/process-identity.ts';
import { createCipher } from '../values/cipher.ts';
import type { Database } from '../database.ts';
import { openPostgres } from '../postgres.ts';
import { createKeptReads } from './kept-reads.ts';

/** A server that nobody else writes to: while others do, nothing is kept. */
let server: RunningPostgres;
let database: Database;
/** As another process has it. */
let other: Database;
beforeAll(async () => {
  server = await startPostgres();
  const cipher = createCipher(randomBytes(32));
  database = openPostgres({ url: server.url, cipher });
  other = openPostgres({ url: server.url, cipher });
  await database.script('create table "word" ("name" text primary key, "count" bigint, "text" text)');
});
afterAll(async () => {
  await Promise.all([database.close(), other.close()]);
  await server.stop();
});

interface Word {
  name: string;
  count: number;
  text: string;
}

async function read(name: string, from = database): Promise<Word | undefined> {
  const query = sql<Word>`select * from "word" where "name" = ${name}`.compile(from.builder);
  return (await from.run(query))[0];
}

async function write(name: string, count: number, to = database, text = 'a'): Promise<void> {
  await to.change(
    sql`insert into "word" values (${name}, ${count}, ${text})
      on conflict ("name") do update set "count" = excluded."count"`.compile(to.builder),
  );
}

/** Statements that the server was asked. */
const asked = (): number => database.statements.count - database.statements.kept;

/** Reads until it costs no statement any more. */
async function untilKept(ask: () => Promise<unknown>): Promise<void> {
  await expect
    .poll(
      async () => {
        const before = asked();
        await ask();
        return asked() - before;
      },
      { timeout: 30_000 },
    )
    .toBe(0);
}

it('asks for the rows of a read once while nothing is written', async () => {
  await write('once', 1);
  await untilKept(() => read('once'));
  const before = asked();
  const answers = await Promise.all(Array.from({ length: 50 }, () => read('once')));
  expect(answers).toEqual(Array(50).fill({ name: 'once', count: 1, text: 'a' }));
  expect(asked()).toBe(before);
  expect(await read('nobody')).toBeUndefined();
});

it('sees what another process wrote as soon as that is stored', async () => {
  for (const [count, writer] of [database, other, database, other].entries()) {
    await untilKept(() => read('once'));
    await write('once', count, writer);
    expect((await read('once'))?.count).toBe(count);
  }
});

it('never gives what was replaced before it was asked for, whoever writes in between', async () => {
  const stored = { left: 0, right: 0 };
  for (const name of ['left', 'right']) await write(name, 0);
  await untilKept(() => read('left'));
  let isOver = false;
  let kept = 0;
  const follow = async (name: 'left' | 'right'): Promise<void> => {
    while (!isOver) {
      const [least, before] = [stored[name], database.statements.kept];
      expect((await read(name))?.count).toBeGreaterThanOrEqual(least);
      kept += database.statements.kept - before;
      await setImmediate();
    }
  };
  const followers = [follow('left'), follow('right'), follow('left'), follow('right')];
  for (let count = 1; count <= 60; count += 1) {
    const [name, writer] = count % 2 ? (['left', other] as const) : (['right', database] as const);
    if (count % 3 === 0) await writer.transaction(() => write(name, count, writer));
    else await write(name, count, writer);
    stored[name] = count;
    // Every few of them it is quiet for long enough that something is kept.
    const former = kept;
    if (count % 10 === 0) await waitUntil(async () => kept > former, 30_000);
  }
  expect(kept).toBeGreaterThan(0);
  isOver = true;
  await Promise.all(followers);
});

it('keeps nothing that a transaction reads, and nothing that the server itself is asked', async () => {
  await untilKept(() => read('once'));
  await database.transaction(async () => {
    await write('once', 77);
    expect((await read('once'))?.count).toBe(77);
  });
  await expect(
    database.transaction(async () => {
      await write('once', 78);
      expect((await read('once'))?.count).toBe(78);
      throw new Error('taken back');
    }),
  ).rejects.toThrow('taken back');
  expect((await read('once'))?.count).toBe(77);
  await untilKept(() => read('once'));
  const clock = sql<{ at: string }>`select clock_timestamp()::text as at from "word"`.compile(
    database.builder,
  );
  const [first] = await database.run(clock);
  const [second] = await database.run(clock);
  expect(second?.at).not.toBe(first?.at);
});

it('gives each reader rows of their own', async () => {
  await untilKept(() => read('once'));
  const mine = await read('once');
  if (mine) mine.text = 'changed by whoever read it';
  expect((await read('once'))?.text).toBe('a');
});

it('forgets what it keeps once that is too much', async () => {
  const text = 'x'.repeat(900_000);
  for (const name of ['1', '2', '3', '4', '5']) await write(name, 1, database, text);
  const costs = async (name: string): Promise<number> => {
    const before = asked();
    expect((await read(name))?.text).toHaveLength(text.length);
    return asked() - before;
  };
  await untilKept(() => read('1'));
  for (const name of ['2', '3', '4']) await untilKept(() => read(name));
  expect(await costs('1')).toBe(0);
  await costs('5');
  expect(await costs('1')).toBe(1);
});

it('reads without keeping anything where the snapshot cannot be asked for', async () => {
  let reads = 0;
  const askSnapshot = (): Promise<string> =>
    database
      .run(sql<{ snapshot: string }>`select no_such_function() as "snapshot"`.compile(database.builder))
      .then((rows) => String(rows[0]?.snapshot));
  const kept = createKeptReads({ askSnapshot, now: () => (reads += 1_000) });
  const read = async () => [{ name: String((reads += 1)) }];
  const first = await kept.rows('a', read);
  const second = await kept.rows('a', read);
  expect(second.rows).not.toEqual(first.rows);
  expect(await kept.snapshot()).toBeUndefined();
});
