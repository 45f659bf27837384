import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createKeptReads, type Row } from './kept-reads.ts';

/** A server whose snapshot stays; each look is in another 20 ms. */
function quietReads(askSnapshot: () => Promise<string> = async () => '7:7:') {
  let time = 0;
  return createKeptReads({ askSnapshot, now: () => (time += 100) });
}
const read = (rows: Row[]) => async (): Promise<Row[]> => rows;

/** Until two looks have found the same. */
async function untilQuiet(kept: ReturnType<typeof quietReads>): Promise<void> {
  for (let tries = 0; (await kept.snapshot()) === undefined; tries += 1) {
    if (tries > 10) throw new Error('It never became quiet.');
    await setImmediate();
  }
}

test('counts the keys with what it keeps: parameters are as long as whoever asks makes them', async () => {
  const kept = quietReads();
  await untilQuiet(kept);
  const keyOf = (name: number): string => JSON.stringify(['statement', `${name}${'x'.repeat(1_000_000)}`]);
  for (let name = 0; name < 10; name += 1) await kept.rows(keyOf(name), read([]));
  let characters = 0;
  for (let name = 0; name < 10; name += 1)
    if ((await kept.rows(keyOf(name), read([]))).wasKept) characters += keyOf(name).length;
  expect(characters).toBeLessThanOrEqual(4_000_000);
});

test('does not wait for a look that gets no answer: the read has connections that give one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isCutOff = false;
  const kept = quietReads(() => (isCutOff ? new Promise(() => undefined) : Promise.resolve('7:7:')));
  await untilQuiet(kept);
  const rows = [{ name: 'a' }];
  await kept.rows('a', read(rows));
  expect((await kept.rows('a', read(rows))).wasKept).toBe(true);
  isCutOff = true;
  const answered = kept.rows('a', read(rows));
  const generation = kept.snapshot();
  await vi.advanceTimersByTimeAsync(5000);
  expect(await Promise.all([answered, generation])).toEqual([{ rows, wasKept: false }, undefined]);
  expect(vi.getTimerCount()).toBe(0);
});

test('gives nothing of before to whoever reads after this process has written', async () => {
  const kept = quietReads();
  await untilQuiet(kept);
  await kept.rows('a', read([{ name: 'former' }]));
  kept.written();
  expect((await kept.rows('a', read([{ name: 'new' }]))).rows).toEqual([{ name: 'new' }]);
});

test('asks a server that has no snapshots once', async () => {
  let asked = 0;
  const kept = quietReads(async () => {
    asked += 1;
    throw Object.assign(new Error('function pg_current_snapshot() does not exist'), { code: '42883' });
  });
  for (let reads = 0; reads < 5; reads += 1) await kept.rows('a', read([]));
  expect(asked).toBe(1);
});
