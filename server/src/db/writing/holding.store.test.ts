import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startPostgres, type RunningPostgres } from '../../../../test/bed/postgres.ts';
import { databaseHolder } from '../../adapters/host/local/database-holder.ts';
import type { Database } from '../database.ts';
import { openPostgres } from '../postgres.ts';
import { openStorage } from '../storage.ts';
import { createCipher } from '../values/cipher.ts';
import { holdDatabase, type Holder, type Holding } from './holding.ts';

let server: RunningPostgres;
let database: Database;
const open: Holding[] = [];
beforeAll(async () => {
  server = await startPostgres();
  database = openPostgres({ url: server.url, cipher: createCipher(randomBytes(32)) });
});
beforeEach(async () => {
  await Promise.all(open.splice(0).map((holding) => holding.end()));
});
afterAll(async () => {
  await Promise.all(open.map((holding) => holding.end()));
  await database.close();
  await server.stop();
});

const times = { keptMs: 2_000, renewEveryMs: 200 };
const berth = (holderId: string, place = holderId): Holder => ({
  holderId,
  place,
  host: `machine-of-${holderId}`,
  data: '/var/lib/berth',
});
async function hold(holder: Holder, onLost: (sentence: string) => void = () => undefined): Promise<Holding> {
  const holding = await holdDatabase(database, holder, onLost, times);
  open.push(holding);
  return holding;
}

const refused = {
  code: 'PRECONDITION_FAILED',
  message: expect.stringMatching(
    /^Another Berth works with this database since 20\d\d-.* UTC: on the machine machine-of-one, with the data folder \/var\/lib\/berth\. Two on one/,
  ),
};

it('is refused to a second Berth while the first one lives, and let go of with its end', async () => {
  const first = await hold(berth('one'));
  await expect(hold(berth('two'))).rejects.toMatchObject(refused);
  await first.end();
  await hold(berth('two'));
});

it('goes to one of ten who want it at once', async () => {
  const names = Array.from({ length: 10 }, (_, number) => `one-${number}`);
  const results = await Promise.allSettled(names.map((name) => hold(berth(name))));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('goes at once to the next Berth of a data folder, whose former one was killed', async () => {
  const lost: string[] = [];
  await hold(berth('one', 'folder'), (sentence) => lost.push(sentence));
  await hold(berth('two', 'folder'));
  // The former one is not dead here, and learns that it has lost the database.
  await expect
    .poll(() => lost)
    .toEqual([
      expect.stringMatching(/^Another Berth works .* machine-of-two, .* This one stops, so that no work/),
    ]);
});

it('goes to another machine once its holder has said nothing for as long as it is kept', async () => {
  await holdDatabase(database, berth('one'), () => undefined, { keptMs: 1_000, renewEveryMs: 60_000 });
  await expect(hold(berth('two'))).resolves.toBeDefined();
});

it('is asked for before anything in it is changed', async () => {
  await hold(berth('one'));
  const folder = mkdtempSync(join(tmpdir(), 'berth-holding-'));
  const url = server.url;
  try {
    const opening = openStorage(
      { data: folder, databaseUrl: url, sqliteSynchronous: 'NORMAL' },
      () => '2026-01-01T00:00:00.000Z',
      {
        hold: async (other) =>
          void (await holdDatabase(other, databaseHolder(folder, 'two'), () => undefined, times)),
      },
    );
    await expect(opening).rejects.toMatchObject(refused);
    const read = openPostgres({ url, cipher: createCipher(randomBytes(32)) });
    await expect(read.script('select 1 from "organization"')).rejects.toThrow('does not exist');
    await read.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
