import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireInside } from './checkout-path.ts';

let folder = '';
let source = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'source-paths-'));
  source = join(folder, 'source');
  mkdirSync(join(source, 'app'), { recursive: true });
  mkdirSync(join(folder, 'source-other'));
  writeFileSync(join(source, 'app/Dockerfile'), '');
  writeFileSync(join(folder, 'outside'), '');
  symlinkSync('../app', join(source, 'app/here'));
  symlinkSync('Dockerfile', join(source, 'app/link'));
  symlinkSync('../../outside', join(source, 'app/escape'));
  symlinkSync('/etc', join(source, 'etc'));
  // Even where an absolute link happens to lead to the source itself: it is there in this deployment only.
  symlinkSync(join(source, 'app'), join(source, 'absolute'));
  symlinkSync('app/escape', join(source, 'chain'));
  symlinkSync('../source', join(source, 'up'));
  symlinkSync('/proc/self', join(source, 'self'));
  symlinkSync('circle', join(source, 'circle'));
  symlinkSync('app/none', join(source, 'dangling'));
  symlinkSync(join(folder, 'source-other'), join(source, 'sibling'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const resolve = (path: string, kind: 'file' | 'folder') =>
  requireInside(source, path, { field: 'dockerfile', kind }).then((found) => found.path);

test('what is inside is found, through links inside too', async () => {
  expect(await resolve('app/Dockerfile', 'file')).toBe(join(source, 'app/Dockerfile'));
  expect(await resolve('app/link', 'file')).toBe(join(source, 'app/Dockerfile'));
  expect(await resolve('app/here', 'folder')).toBe(join(source, 'app'));
  expect(await resolve('', 'folder')).toBe(source);
});

test.each([
  ['app/escape', 'file', 'points outside the source'],
  ['etc/passwd', 'file', 'points outside the source'],
  ['etc', 'folder', 'points outside the source'],
  ['sibling', 'folder', 'points outside the source'],
  ['../outside', 'file', 'must not leave the source'],
  ['absolute', 'folder', 'points outside the source through the symbolic link "absolute"'],
  ['chain', 'file', 'points outside the source through the symbolic link "app/escape"'],
  ['up', 'folder', 'points outside the source through the symbolic link "up"'],
  ['self', 'folder', 'points outside the source through the symbolic link "self"'],
  ['self/root/etc/passwd', 'file', 'points outside the source'],
  ['circle', 'file', '"circle" is a loop of symbolic links'],
  ['dangling', 'file', 'there is no file "dangling"'],
  ['none', 'file', 'there is no file "none"'],
  ['app', 'file', '"app" is no file'],
  ['app/Dockerfile', 'folder', '"app/Dockerfile" is no folder'],
  ['app/Dockerfile/x', 'file', 'there is no file'],
] as const)('%s', async (path, kind, sentence) => {
  await expect(resolve(path, kind)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining(`dockerfile: `),
  });
  await expect(resolve(path, kind)).rejects.toThrow(sentence);
});
