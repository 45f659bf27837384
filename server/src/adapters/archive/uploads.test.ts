import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createWorkFiles } from '../files/work-files.ts';
import { createUploads, type Uploads } from './uploads.ts';

const GiB = 1024 ** 3;
const folder = mkdtempSync(join(tmpdir(), 'berth-uploads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let root = '';
let keptFree = 0;
let uploads: Uploads;
/** The application's record. */
let current: string | null = null;
const currentPath = async (): Promise<string | null> => current;

beforeAll(() => {
  mkdirSync(join(folder, 'source'));
  writeFileSync(join(folder, 'source/index.html'), 'hello');
  execFileSync('tar', ['-cf', join(folder, 'small.tar'), '-C', join(folder, 'source'), '.']);
  // Zeros: 100 MiB that are a tenth of a MiB when packed.
  writeFileSync(join(folder, 'zeros'), Buffer.alloc(100 * 1024 ** 2));
  execFileSync('tar', ['-czf', join(folder, 'large.tar.gz'), '-C', folder, 'zeros']);
});
beforeEach(() => {
  root = mkdtempSync(join(folder, 'root-'));
  keptFree = 0;
  current = null;
  uploads = createUploads({
    root,
    freeBytes: createWorkFiles().freeBytes,
    rules: async () => ({ unpackedBytes: GiB, entries: 100, keptFree }),
  });
});

const archive = (name: string): { content: Readable; bytes: number } => {
  const path = join(folder, name);
  return { content: Readable.from(readFileSync(path)), bytes: statSync(path).size };
};
const left = (): string[] => readdirSync(join(root, 'a1')).map((name) => join(root, 'a1', name));

/** As the handler does it. */
async function accepted(path: string): Promise<void> {
  current = path;
  await uploads.settle('a1', path, currentPath);
}

test('five uploads leave one folder, the last', async () => {
  for (let count = 0; count < 5; count += 1)
    await accepted(await uploads.keep('a1', archive('small.tar'), current));
  expect(left()).toEqual([current]);
  expect(readFileSync(join(current ?? '', 'index.html'), 'utf8')).toBe('hello');
});

test('uploads at once leave the one that the record names, in whatever order they are settled', async () => {
  const paths = await Promise.all(
    Array.from({ length: 5 }, () => uploads.keep('a1', archive('small.tar'), current)),
  );
  expect(left()).toHaveLength(5);
  for (const path of paths) current = path;
  await Promise.all(paths.toReversed().map((path) => uploads.settle('a1', path, currentPath)));
  expect(left()).toEqual([paths.at(-1)]);
});

test('one that is still in hand is never removed by another', async () => {
  const slow = await uploads.keep('a1', archive('small.tar'), current);
  await accepted(await uploads.keep('a1', archive('small.tar'), current));
  expect(left()).toContain(slow);
  await accepted(slow);
  expect(left()).toEqual([slow]);
});

test('one that was not accepted goes, and the former stays', async () => {
  await accepted(await uploads.keep('a1', archive('small.tar'), current));
  await uploads.forget(await uploads.keep('a1', archive('small.tar'), current));
  expect(left()).toEqual([current]);
});

test('what a crash left goes at the next start; the current source stays', async () => {
  await accepted(await uploads.keep('a1', archive('small.tar'), current));
  mkdirSync(join(root, 'a1/half'));
  writeFileSync(join(root, 'a1/half.packed'), 'half');
  mkdirSync(join(root, 'gone/x'), { recursive: true });
  await uploads.tidy(async (applicationId) => (applicationId === 'a1' ? current : null));
  expect(left()).toEqual([current]);
  expect(readdirSync(join(root, 'gone'))).toEqual([]);
});

test('a disk that would be too full refuses before anything is written, with the numbers', async () => {
  keptFree = 900 * 1024 * GiB;
  await expect(
    uploads.keep('a1', { ...archive('small.tar'), bytes: 3 * GiB }, current),
  ).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringMatching(
      /^Only [\d.]+ GiB of disk are free; the upload needs 3\.0 GiB, and 921600\.0 GiB must stay free \(setting minFreeDisk\)\. Free some space/,
    ),
  });
  expect(readdirSync(root)).toEqual([]);
});

test('a disk that fills while it is unpacked ends it, and nothing of it stays', async () => {
  let free = GiB;
  uploads = createUploads({
    root,
    freeBytes: async () => (free -= GiB / 3),
    rules: async () => ({ unpackedBytes: GiB, entries: 100, keptFree: GiB / 2 }),
  });
  await expect(uploads.keep('a1', archive('large.tar.gz'), current)).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringContaining('the upload needs room, and 512.0 MiB must stay free'),
  });
  expect(left()).toEqual([]);
});
