import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realPath } from './real-path.ts';

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'real-path-')));
  await mkdir(join(folder, 'data/inner'), { recursive: true });
  await writeFile(join(folder, 'file'), '');
  await symlink('data', join(folder, 'link'));
  await symlink('/nothing/is/here', join(folder, 'dangling'));
  await symlink('circle', join(folder, 'circle'));
  await symlink('/proc/self/root', join(folder, 'by-process'));
  await symlink('data/inner', join(folder, 'to-inner'));
  await symlink('to-inner/../..', join(folder, 'up'));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['data', 'data'],
  ['link', 'data'],
  ['link/inner', 'data/inner'],
  ['link/new/deeper', 'data/new/deeper'],
  ['file/below', 'file/below'],
])('%s is %s', async (given, real) => expect(await realPath(join(folder, given))).toBe(join(folder, real)));

test("a process's own links are not followed: they lead elsewhere for the engine", async () => {
  for (const path of ['/proc/self/root/etc', '/proc/1/cwd', '/dev/fd/0'])
    expect(await realPath(path)).toMatch(/^\/proc\/(self|1)\b/);
  expect(await realPath(join(folder, 'by-process/link'))).toBe('/proc/self/root/link');
});

test('.. counts from where a link leads', async () => {
  expect(await realPath(join(folder, 'to-inner/x'))).toBe(join(folder, 'data/inner/x'));
  expect(await realPath(join(folder, 'up'))).toBe(folder);
});

test('a link to nothing is what it may lead to later, and a circle is refused', async () => {
  expect(await realPath(join(folder, 'dangling'))).toBe('/nothing/is/here');
  expect(await realPath(join(folder, 'dangling/inner'))).toBe('/nothing/is/here/inner');
  await expect(realPath(join(folder, 'circle'))).rejects.toThrow('loop of links');
});
