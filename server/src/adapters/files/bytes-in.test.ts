import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bytesIn } from './bytes-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-bytes-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('counts what files take, in every folder, and follows no link', async () => {
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  for (const name of ['one', 'a/two', 'a/b/three']) writeFileSync(join(folder, name), Buffer.alloc(8192, 1));
  symlinkSync('/usr', join(folder, 'a/link'));
  const bytes = await bytesIn(folder, Infinity);
  expect(bytes).toBeGreaterThanOrEqual(3 * 8192);
  expect(bytes).toBeLessThan(3 * 8192 + 65_536);
  expect(await bytesIn(folder, 4096)).toBeLessThan(bytes);
  expect(await bytesIn(join(folder, 'absent'), Infinity)).toBe(0);
});
