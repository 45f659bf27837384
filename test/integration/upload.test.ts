/** Archives as people's programs make them. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  createReadStream,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unpackUpload } from '../../server/src/adapters/archive/unpack-upload.ts';
import { author } from './git/git-fixture.ts';

const long = `${'a-long-folder-name/'.repeat(8)}${'ü'.repeat(60)}.txt`;
let folder = '';
let source = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'upload-test-'));
  source = join(folder, 'source');
  mkdirSync(join(source, long, '..'), { recursive: true });
  writeFileSync(join(source, long), 'long');
  writeFileSync(join(source, 'big.bin'), Buffer.alloc(3_000_001, 7));
  writeFileSync(join(source, 'run.sh'), '#!/bin/sh\n');
  chmodSync(join(source, 'run.sh'), 0o750);
  author(source, 'init', '-q');
  author(source, 'add', '-A');
  author(source, 'commit', '-q', '-m', 'First');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const out = () => join(folder, 'out');

test.each([
  ['tar --format=gnu', ['tar', '--format=gnu', '--exclude=.git', '-cf', 'ARCHIVE', '.']],
  ['tar --format=pax', ['tar', '--format=pax', '--exclude=.git', '-cf', 'ARCHIVE', '.']],
  ['tar -z', ['tar', '--exclude=.git', '-czf', 'ARCHIVE', 'big.bin', 'run.sh', 'a-long-folder-name']],
  ['git archive, tar', ['git', 'archive', '--format=tar', '--output=ARCHIVE', 'HEAD']],
  ['git archive, tar.gz', ['git', 'archive', '--format=tar.gz', '--output=ARCHIVE', 'HEAD']],
  ['git archive, zip', ['git', 'archive', '--format=zip', '--output=ARCHIVE', 'HEAD']],
])('%s', async (name, [program = '', ...args]) => {
  const archive = join(folder, `${name.replaceAll(/[^a-z]/g, '-')}.archive`);
  execFileSync(
    program,
    args.map((argument) => argument.replace('ARCHIVE', archive)),
    { cwd: source },
  );
  expect(await unpackUpload(createReadStream(archive), out())).toEqual({ files: 3, bytes: 3_000_015 });
  expect(readFileSync(join(out(), long), 'utf8')).toBe('long');
  expect(readFileSync(join(out(), 'big.bin')).equals(readFileSync(join(source, 'big.bin')))).toBe(true);
  expect(lstatSync(join(out(), 'run.sh')).mode & 0o7777).toBe(0o755);
});

test('a link that tar packed is refused by its name', async () => {
  symlinkSync('/etc/passwd', join(source, 'users'));
  const archive = join(folder, 'link.tar');
  execFileSync('tar', ['-cf', archive, 'run.sh', 'users'], { cwd: source });
  await expect(unpackUpload(archive, out())).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('"users", which is a symbolic link'),
  });
});
