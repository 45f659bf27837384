import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../../../test/bed/postgres.ts';
import { createCipher } from '../values/cipher.ts';
import type { Database } from '../database.ts';
import { openPostgres } from '../postgres.ts';

let server: RunningPostgres;
let database: Database;
beforeAll(async () => {
  server = await startPostgres();
  database = openPostgres({ url: server.url, cipher: createCipher(randomBytes(32)) });
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

/** Number of the connection that answers, and what it was asked for. */
const echo = async (value: number): Promise<{ pid: number; value: number }> => {
  const [row] = await database.run(
    sql<{ pid: number; value: number }>`select pg_backend_pid() as pid, ${value}::int as value`.compile(
      database.builder,
    ),
  );
  if (!row) throw new Error('There is no row.');
  return row;
};

it('sends many reads over few connections, and gives each its own answer', async () => {
  const values = Array.from({ length: 200 }, (_, index) => index);
  const rows = await Promise.all(values.map(echo));
  expect(rows.map(({ value }) => value)).toEqual(values);
  expect(new Set(rows.map(({ pid }) => pid)).size).toBeLessThanOrEqual(2);
});

it('fails a read alone, and not those sent behind it', async () => {
  const broken = database.run(sql`select 1 / ${0}::int`.compile(database.builder));
  const results = await Promise.allSettled([echo(1), broken, echo(2), echo(3)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
});

it('reads what was committed before, and inside a transaction what it wrote itself', async () => {
  await database.script('create table "word" ("text" text)');
  const count = async (): Promise<unknown> =>
    (await database.run(sql<{ n: number }>`select count(*) as n from "word"`.compile(database.builder)))[0]
      ?.n;
  const insert = sql`insert into "word" values ('a')`.compile(database.builder);
  await database.transaction(async () => {
    await database.change(insert);
    expect(await count()).toBe(1);
  });
  await database.change(insert);
  expect(await count()).toBe(2);
});

it('replaces a connection that the server ended', async () => {
  const { pid } = await echo(1);
  await database.transaction(async () => {
    await database.run(sql`select pg_terminate_backend(${pid}::int)`.compile(database.builder));
  });
  await expect.poll(() => echo(2).catch(() => undefined)).toMatchObject({ value: 2 });
  expect((await echo(3)).value).toBe(3);
});
