import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KeptFile } from '../../ports/certificates/certificate-news.ts';
import { localFolderFiles } from '../files/folder-files.ts';
import { createCaddyStore } from './caddy-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caddy-store-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const file = (path: string): KeptFile => ({ path, content: `content of ${path}` });
const certificate = (storage: string, host: string): KeptFile[] =>
  ['crt', 'key', 'json'].map((ending) =>
    file(`${storage}certificates/acme.test-dir/${host}/${host}.${ending}`),
  );
const account = (storage: string): KeptFile[] =>
  ['a.key', 'a.json'].map((name) => file(`${storage}acme/acme.test-dir/users/a@a.test/${name}`));
const own = [...certificate('', 'a.test'), ...account('')];
const theirs = [...certificate('accounts/r_1-x/', 'b.test'), ...account('accounts/r_1-x/')];
const root = file('pki/authorities/local/root.key');

async function write(files: readonly KeptFile[]): Promise<void> {
  for (const { path, content } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
const paths = (files: readonly KeptFile[]): string[] => files.map(({ path }) => path).toSorted();

it('gives what is worth keeping, of one host with the account that got it', async () => {
  await write([
    ...own,
    ...theirs,
    root,
    file('certificates/local/c.test/c.test.crt'),
    file('acme/acme.test-dir/challenge_tokens/x.txt'),
    file('locks/x.lock'),
    file('accounts/r_1-x/locks/x.lock'),
  ]);
  const store = createCaddyStore(folder);
  expect(paths(await store.files())).toEqual(paths([...own, ...theirs, root]));
  expect(paths(await store.files('a.test'))).toEqual(paths(own));
  expect(paths(await store.files('b.test'))).toEqual(paths(theirs));
  expect(await store.files('nobody.test')).toEqual([]);
  expect([
    await store.accounts(),
    (await store.folders()).has('accounts/r_1-x/certificates/acme.test-dir/b.test'),
  ]).toEqual([['r_1-x'], true]);
});

it('puts folders back as a whole, never into one that is there, and none of another kind', async () => {
  await write(certificate('', 'a.test').slice(0, 1));
  const store = createCaddyStore(folder);
  await store.putBack([
    ...own.map(({ path }) => ({ path, content: 'older' })),
    ...theirs,
    root,
    file('../outside/x.key'),
    file('accounts/../certificates/a/b/c.key'),
    file('locks/x.key'),
  ]);
  expect(paths(await store.files())).toEqual(
    paths([...certificate('', 'a.test').slice(0, 1), ...account(''), ...theirs, root]),
  );
  expect((await store.files()).find(({ path }) => path.endsWith('a.test.crt'))?.content).toBe(
    'content of certificates/acme.test-dir/a.test/a.test.crt',
  );
  expect((await stat(join(folder, root.path))).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).toSorted()).toEqual(['accounts', 'acme', 'certificates', 'pki']);
});

it('forgets an account, its certificates only when told, and nobody else', async () => {
  await write([...own, ...theirs]);
  const store = createCaddyStore(folder);
  await store.forget('r_1-x', { certificates: false });
  expect(paths(await store.files())).toEqual(paths([...own, ...certificate('accounts/r_1-x/', 'b.test')]));
  for (const name of ['..', '.', 'r_1-x/..', '']) await store.forget(name, { certificates: true });
  expect(paths(await store.files('a.test'))).toEqual(paths(own));
  await store.forget('r_1-x', { certificates: true });
  expect([await store.accounts(), paths(await store.files())]).toEqual([[], paths(own)]);
});

it('that is not there is empty', async () => {
  const store = createCaddyStore(join(folder, 'absent'));
  expect([
    await store.files(),
    await store.files('a.test'),
    await store.folders(),
    await store.accounts(),
  ]).toEqual([[], [], new Set(), []]);
});

it('ends its look at a machine that shows folders in folders, or files, without end', async () => {
  let lists = 0;
  const lying = (kind: 'folder' | 'file') => ({
    ...localFolderFiles,
    async list() {
      lists += 1;
      return ['again', 'more'].map((name) => ({
        name: kind === 'file' ? `${name}${lists}.key` : name,
        kind,
      }));
    },
    read: async () => 'x'.repeat(1000),
  });
  const limits = { folders: 500, files: 1000, bytes: 10_000, depth: 4 };
  const deep = await createCaddyStore(folder, lying('folder'), {
    ...limits,
    folders: 100_000,
    files: 100_000,
  }).files();
  expect(deep).toEqual([]);
  // 3 beginnings for each of 3 storages, each with 4 levels of 2 folders below.
  expect(lists).toBeLessThan(400);
  for (const few of [{ folders: 2 }, { files: 5 }, { bytes: 2500 }])
    await expect(
      createCaddyStore(folder, lying('file'), { ...limits, ...few }).files(),
    ).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining(`holds more ${Object.keys(few)[0]} than a proxy makes`),
    });
});
