import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { MachineSample, ServiceSample } from '../../domain/resources/metrics.ts';
import { createHistory } from './history.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-'));
});
afterEach(() => rm(folder, { recursive: true }));

const begin = Date.parse('2026-01-01T00:00:00Z');
const machine = (at: number): MachineSample => ({
  at,
  cpu: 20,
  memoryUsed: 5,
  memoryTotal: 10,
  diskUsed: 1,
  diskTotal: 2,
  networkIn: 3,
  networkOut: 4,
  load: 0.5,
});
const service = (at: number): ServiceSample => ({
  at,
  containers: 2,
  cpu: 150,
  memoryUsed: 7,
  memoryLimit: 9,
  networkIn: 1,
  networkOut: 1,
  diskRead: 1,
  diskWritten: 1,
});

async function filled(hours: number): Promise<ReturnType<typeof createHistory>> {
  const history = createHistory(folder, { retentionDays: 1 });
  for (let at = begin; at < begin + hours * 3_600_000; at += 20_000)
    await history.add({ machine: machine(at), services: new Map([['application:a', service(at)]]) });
  return history;
}

it('gives samples, then minutes, then quarter hours, and loses no traffic between them', async () => {
  const history = await filled(2);
  const all = await history.machine(begin);
  expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((left, right) => left - right));
  expect(all.reduce((total, { networkIn }) => total + networkIn, 0)).toBe(2 * 180 * 3);
  const services = await history.service('application:a', begin);
  expect(services.reduce((total, { diskRead }) => total + diskRead, 0)).toBe(2 * 180);
  expect(await history.service('application:b', begin)).toEqual([]);
  const all24 = (await history.services(begin)).get('application:a') ?? [];
  expect(all24.at(-1)).toEqual(service(begin + 2 * 3_600_000 - 20_000));
  expect(all24.map(({ at }) => at)).toEqual(
    [...new Set(all24.map(({ at }) => at))].toSorted((a, b) => a - b),
  );
  expect(all24.length).toBeGreaterThan(180);
  expect(await history.newest(2)).toEqual([
    machine(begin + 2 * 3_600_000 - 40_000),
    machine(begin + 2 * 3_600_000 - 20_000),
  ]);
  expect((await history.newest(200)).length).toBe(200);
});

it('is there after another start, and a line that was cut off does no harm', async () => {
  await filled(1);
  await appendFile(join(folder, 'minutes.jsonl'), '{"m":[17');
  const again = createHistory(folder, { retentionDays: 1 });
  expect((await again.machine(begin)).length).toBeGreaterThanOrEqual(58);
});

it('keeps the minute that it was in when it ended', async () => {
  const history = createHistory(folder, { retentionDays: 1 });
  await history.add({ machine: machine(begin), services: new Map([['application:a', service(begin)]]) });
  const again = (): ReturnType<typeof createHistory> => createHistory(folder, { retentionDays: 1 });
  expect(await again().machine(begin)).toEqual([]);
  await history.flush();
  await history.flush();
  expect(await again().machine(begin)).toEqual([machine(begin)]);
  expect((await again().services(begin)).get('application:a')).toEqual([service(begin)]);
});

it('forgets minutes after a day by itself, and quarter hours when it is cleaned', async () => {
  const history = await filled(27);
  const lines = (await readFile(join(folder, 'minutes.jsonl'), 'utf8')).split('\n').length;
  expect(lines).toBeLessThan(26 * 60);
  const before = await history.machine(begin);
  expect(before[0]?.at).toBeLessThan(begin + 3_600_000);
  await history.clean(begin + 27 * 3_600_000);
  expect((await history.machine(begin))[0]?.at).toBeGreaterThanOrEqual(begin + 2 * 3_600_000 - 900_000);
});
