import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SeenRequest } from '../../ports/access-log.ts';
import { createAccessLog } from './access-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-access-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const seen = (at: number, change: Partial<SeenRequest> = {}): SeenRequest => ({
  at,
  domainId: 'd1',
  serviceId: 's1',
  method: 'GET',
  host: 'a.test',
  path: '/',
  status: 200,
  durationMs: 1.5,
  bytes: 10,
  ...change,
});

test('the last requests of a domain are given, oldest first', async () => {
  const log = createAccessLog({ folder });
  await log.append([seen(1), seen(2, { domainId: 'd2' }), seen(3), seen(4, { serviceId: 's2' })]);
  await log.append([seen(5, { path: '/"\n' })]);
  expect(await log.tail('s1', 'd1', 2)).toEqual([seen(3), seen(5, { path: '/"\n' })]);
  expect(await log.tail('s1', 'd1', 100)).toHaveLength(3);
  expect(await log.tail('none', 'd1', 100)).toEqual([]);
  expect(statSync(join(folder, 's1.log')).mode & 0o777).toBe(0o600);
});

test('a service has two files of bounded size at most', async () => {
  const log = createAccessLog({ folder, maxBytes: 2_000 });
  for (let at = 0; at < 100; at += 1) await log.append([seen(at)]);
  expect(readdirSync(folder).toSorted()).toEqual(['s1.log', 's1.log.1']);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThan(2_200);
  const kept = await log.tail('s1', 'd1', 100);
  expect(kept.at(-1)).toEqual(seen(99));
  expect(kept.length).toBeGreaterThan(15);
});

test('what nobody writes to any more is forgotten', async () => {
  const log = createAccessLog({ folder });
  await log.append([seen(1), seen(2, { serviceId: 's2' })]);
  utimesSync(join(folder, 's1.log'), 1, 1);
  await log.prune(5_000);
  expect(readdirSync(folder)).toEqual(['s2.log']);
});

test('no service writes outside the folder', async () => {
  const log = createAccessLog({ folder });
  await log.append([seen(1, { serviceId: '../x' })]);
  expect(readdirSync(folder)).toEqual(['___x.log']);
});
