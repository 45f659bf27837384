import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveInside } from './source-paths.ts';

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
  symlinkSync(join(folder, 'source-other'), join(source, 'sibling'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const resolve = (path: string, kind: 'file' | 'folder') =>
  resolveInside(source, source, path, { field: 'dockerfile', kind });

test('what is inside is found, through links inside too', async () => {
  expect(await resolve('app/Dockerfile', 'file')).toBe(join(source, 'app/Dockerfile'));
  expect(await resolve('app/link', 'file')).toBe(join(source, 'app/Dockerfile'));
  expect(await resolve('app/here', 'folder')).toBe(join(source, 'app'));
  expect(await resolve('', 'folder')).toBe(source);
});

test.each([
  ['app/escape', 'file', 'leads out of the source'],
  ['etc/passwd', 'file', 'leads out of the source'],
  ['etc', 'folder', 'leads out of the source'],
  ['sibling', 'folder', 'leads out of the source'],
  ['../outside', 'file', 'must not leave the source'],
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
