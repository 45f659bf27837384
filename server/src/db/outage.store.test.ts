import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../../test/bed/postgres.ts';
import { temporaryDatabase } from '../../../test/http/temporary-database.ts';
import { createCipher } from './values/cipher.ts';
import { migrate } from './migrations.ts';
import { openPostgres } from './postgres.ts';
import { tableStore } from './table-store.ts';

const at = '2026-01-01T00:00:00.000Z';
const lost = { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('look before you repeat it') };
const unavailable = { code: 'SERVICE_UNAVAILABLE', message: expect.stringMatching(/nothing was changed/) };

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

it('a PostgreSQL server that goes away is said to be away, in a transaction too', async () => {
  const database = openPostgres({ url: server.url, cipher: createCipher(randomBytes(32)) });
  await migrate(database, at);
  const settings = tableStore(database, 'setting');
  await settings.insert({ name: 'a', value: 1 });
  let stopped: Promise<void> = Promise.resolve();
  await expect(
    database.transaction(async () => {
      await settings.insert({ name: 'b', value: 1 });
      stopped = server.stop();
      await stopped;
      await settings.insert({ name: 'c', value: 1 });
    }),
  ).rejects.toMatchObject(lost);
  await expect(settings.find({ name: 'a' })).rejects.toMatchObject(unavailable);
  await expect(settings.insert({ name: 'd', value: 1 })).rejects.toMatchObject(unavailable);
  await expect(database.transaction(() => settings.insert({ name: 'd', value: 1 }))).rejects.toMatchObject(
    unavailable,
  );
  await database.close();
});

it('a wrong password or address of PostgreSQL is told in words', async () => {
  const database = openPostgres({
    url: 'postgres://berth:wrong@127.0.0.1:1/postgres',
    cipher: createCipher(randomBytes(32)),
  });
  await expect(tableStore(database, 'setting').list({})).rejects.toMatchObject(unavailable);
  await database.close();
});

it('a full disk under SQLite is said to be full, and what was there stays', async () => {
  const { database, remove } = await temporaryDatabase();
  const settings = tableStore(database, 'setting');
  await settings.insert({ name: 'before', value: 1 });
  await database.script('PRAGMA max_page_count = 1');
  const full = { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('full') };
  const big = 'x'.repeat(5_000_000);
  await expect(settings.insert({ name: 'big', value: big })).rejects.toMatchObject(full);
  await expect(
    database.transaction(async () => {
      await settings.insert({ name: 'small', value: 1 });
      await settings.insert({ name: 'big', value: big });
    }),
  ).rejects.toMatchObject(full);
  await database.script('PRAGMA max_page_count = 1000000');
  expect((await settings.list({})).map(({ name }) => name)).toEqual(['before']);
  await settings.insert({ name: 'after', value: big });
  expect(await settings.find({ name: 'after' })).toEqual({ name: 'after', value: big });
  await remove();
});
