import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fetchLfs } from '../../../server/src/adapters/git/lfs.ts';
import { parseGitUrl } from '../../../server/src/domain/git/git-source.ts';
import { Secret } from '../../../server/src/domain/secrets/secret.ts';
import { addCommit, author, createGitFixture, makeRepository, type GitFixture } from './git-fixture.ts';
import { oidOf, pointerOf, startLfsServer, type LfsServer } from './lfs-server.ts';
import { homeOutgoing } from './outgoing-fixture.ts';

const attributes = { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' };
const credentials = { username: 'deploy', password: new Secret('t0ken') };
const signIn = `Basic ${Buffer.from('deploy:t0ken').toString('base64')}`;
let fixture: GitFixture;
let server: LfsServer;
let folder = '';
beforeAll(async () => {
  fixture = createGitFixture();
  folder = mkdtempSync(join(tmpdir(), 'lfs-test-'));
  server = await startLfsServer(signIn);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  fixture.lines.splice(0);
  server.seen.splice(0);
});

const out = (name: string): string => readFileSync(join(fixture.folder, 'out', name), 'utf8');

/** A checkout of these files, whose pointers are fetched from the server as a repository there has them. */
async function fetched(name: string, files: Record<string, string>, signal?: AbortSignal): Promise<string[]> {
  const work = join(folder, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  author(work, 'init', '-q', '-b', 'main');
  author(work, 'add', '-A');
  const lines: string[] = [];
  await fetchLfs(
    {
      call: async (args) => ({ ok: true, lines: [], lastLine: '', stdout: author(work, ...args) }),
      directory: work,
      source: parseGitUrl(`${server.origin}/o/r`),
      credentials,
      outgoing: homeOutgoing,
      by: { organizationId: 'o1' },
      git: { signal: signal ?? new AbortController().signal, onLine: (line) => lines.push(line) },
      deadline: performance.now() + 30_000,
    },
    [],
  );
  return lines;
}
const file = (name: string, path: string): string => readFileSync(join(folder, name, path), 'utf8');

test('files of a server are fetched once each, with the sign-in for batches alone', async () => {
  const [model, other] = ['weights '.repeat(10_000), 'b'];
  const lines = await fetched('good', {
    ...attributes,
    'model.bin': server.put(model),
    'copies/model.bin': pointerOf(model),
    'b.bin': server.put(other),
    'plain.bin': 'no pointer',
    'pointer.txt': pointerOf(other),
  });
  expect(file('good', 'model.bin')).toBe(model);
  expect(file('good', 'copies/model.bin')).toBe(model);
  expect(file('good', 'b.bin')).toBe(other);
  expect(file('good', 'plain.bin')).toBe('no pointer');
  expect(file('good', 'pointer.txt')).toBe(pointerOf(other));
  expect(lines).toEqual([expect.stringContaining('and 2 more files, kept with Git LFS (161 kB)')]);
  expect(server.seen.toSorted()).toEqual(
    [
      `POST /o/r.git/info/lfs/objects/batch ${signIn}`,
      ...[model, other].flatMap((content) => [
        `GET /moved/${oidOf(content)} Bearer object`,
        `GET /objects/${oidOf(content)} Bearer object`,
      ]),
    ].toSorted(),
  );
});

test('a repository without files of LFS asks nobody', async () => {
  await fetched('none', { ...attributes, 'a.bin': 'plain', 'pointer.txt': pointerOf('x') });
  await fetched('unpromised', { 'a.bin': pointerOf('x') });
  expect(server.seen).toEqual([]);
});

test('what cannot be had is refused by name', async () => {
  const missing = { ...attributes, 'data/missing.bin': pointerOf('nowhere') };
  await expect(fetched('missing', missing)).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringMatching(/^The repository keeps data\/missing\.bin with Git LFS.*says 404 Object/),
  });
  const wrong = server.put('right');
  server.damaged.set(oidOf('right'), 'wrong');
  await expect(fetched('damaged', { ...attributes, 'a.bin': wrong })).rejects.toMatchObject({
    message: expect.stringContaining('what came is not the file of 5 bytes'),
  });
  expect(file('damaged', 'a.bin')).toBe(wrong);
  const elsewhere = { ...attributes, 'a.bin': wrong, '.lfsconfig': `[lfs]\n url = file:///etc\n` };
  await expect(fetched('elsewhere', elsewhere)).rejects.toMatchObject({
    message: expect.stringContaining('it has to be https, or http if the source is'),
  });
  await expect(
    fetched('ended', { ...attributes, 'a.bin': wrong }, AbortSignal.abort(new Error('ended'))),
  ).rejects.toThrow('ended');
});

test('a repository on this server has its objects beside it', async () => {
  const bare = join(fixture.folder, 'large.git');
  makeRepository(bare, { ...attributes, 'model.bin': pointerOf('the model') });
  await expect(fixture.checkout({ url: bare })).rejects.toMatchObject({
    message: expect.stringContaining('run "git lfs fetch --all" there'),
  });
  const oid = oidOf('the model');
  const objects = join(bare, 'lfs/objects', oid.slice(0, 2), oid.slice(2, 4));
  mkdirSync(objects, { recursive: true });
  writeFileSync(join(objects, oid), 'the model');
  await fixture.checkout({ url: bare });
  expect(out('model.bin')).toBe('the model');
  expect(fixture.lines).toContain('Fetching model.bin, kept with Git LFS (1 kB).');
});

test('a commit in place of a branch stays, and refs are taken by their full name', async () => {
  const bare = join(fixture.folder, 'refs.git');
  const first = makeRepository(bare, { 'a.txt': 'one' });
  author(`${bare}-work`, 'tag', 'v1');
  author(`${bare}-work`, 'push', '-q', 'origin', 'v1');
  const second = addCommit(bare, 'main', { 'a.txt': 'two' });
  addCommit(bare, 'v1', { 'a.txt': 'three' });
  author(`${bare}-work`, 'push', '-q', 'origin', `${first}:refs/pull/1/head`);
  const commitOf = async (branch: string): Promise<string> =>
    (await fixture.checkout({ url: bare, branch })).commit;
  expect(await commitOf(first)).toBe(first);
  expect(await commitOf('refs/heads/main')).toBe(second);
  expect(await commitOf('refs/tags/v1')).toBe(first);
  expect(await commitOf('refs/pull/1/head')).toBe(first);
  await expect(commitOf('f'.repeat(40))).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining(`has no branch, tag or commit ${'f'.repeat(40)}`),
  });
  await expect(commitOf(first.slice(0, 8))).rejects.toMatchObject({
    message: expect.stringContaining('a commit needs all of its 40 digits'),
  });
});

test('submodules that are not fetched are told', async () => {
  const bare = join(fixture.folder, 'parent.git');
  makeRepository(bare, { '.gitmodules': '[submodule "a"]\n path = a\n url = https://nowhere.test/a\n' });
  await fixture.checkout({ url: bare });
  expect(fixture.lines.join('\n')).toContain('which are not fetched: enableSubmodules is off');
  const plain = join(fixture.folder, 'plain.git');
  makeRepository(plain, { 'a.txt': 'a' });
  await fixture.checkout({ url: plain, submodules: true });
  expect(out('a.txt')).toBe('a');
});
