import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Secret } from '../../../server/src/domain/secrets/secret.ts';
import { addCommit, author, createGitFixture, makeRepository } from './git-fixture.ts';
import type { GitFixture } from './git-fixture.ts';
import { createOutgoing } from '../../../server/src/adapters/outgoing/outgoing.ts';
import { homePolicy } from './outgoing-fixture.ts';
import { startGitHttpsServer } from './git-https-server.ts';
import type { GitHttpsServer } from './git-https-server.ts';

const password = 'pass "w$rd\'%40 with `id`';
let fixture: GitFixture;
let server: GitHttpsServer;
let other: GitHttpsServer;
let commit = '';
const before = process.env['GIT_SSL_CAINFO'];
beforeAll(async () => {
  fixture = createGitFixture();
  const root = join(fixture.folder, 'root');
  for (const name of ['public', 'private']) mkdirSync(join(root, name), { recursive: true });
  commit = makeRepository(join(root, 'public', 'r.git'), { 'a.txt': 'a' });
  makeRepository(join(root, 'private', 'r.git'), { 'a.txt': 'secret source' });
  const login = { user: 'deploy', password };
  mkdirSync(join(fixture.folder, 'one'));
  mkdirSync(join(fixture.folder, 'two'));
  other = await startGitHttpsServer(join(fixture.folder, 'two'), root, { user: 'x', password: 'y' });
  server = await startGitHttpsServer(join(fixture.folder, 'one'), root, login, other.origin);
  const bundle = join(fixture.folder, 'ca.pem');
  execFileSync('sh', ['-c', 'cat "$1" "$2" > "$3"', 'sh', server.caPath, other.caPath, bundle]);
  process.env['GIT_SSL_CAINFO'] = bundle;
});
afterAll(async () => {
  if (before === undefined) delete process.env['GIT_SSL_CAINFO'];
  else process.env['GIT_SSL_CAINFO'] = before;
  await server[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
});
beforeEach(() => {
  for (const list of [fixture.lines, server.seen, other.seen]) list.splice(0);
});

const credentials = () => ({ username: 'deploy', password: new Secret(password) });

test('a public repository', async () => {
  expect(await fixture.checkout({ url: `${server.origin}/public/r.git` })).toMatchObject({
    commit,
    subject: 'First',
  });
});

test('an older commit from a server that gives no single commits', async () => {
  addCommit(join(fixture.folder, 'root/public/r.git'), 'main', { 'a.txt': 'newer' });
  expect((await fixture.checkout({ url: `${server.origin}/old/r.git` }, { commit })).commit).toBe(commit);
  expect(readFileSync(join(fixture.folder, 'out/a.txt'), 'utf8')).toBe('a');
  expect(fixture.lines.join('\n')).toContain('fetching the whole history');
  await expect(
    fixture.checkout({ url: `${server.origin}/old/r.git` }, { commit: 'b'.repeat(40) }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a commit of a pull request from such a server, found where hosts keep those', async () => {
  const path = join(fixture.folder, 'root/public/r.git');
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', path, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      encoding: 'utf8',
    }).trim();
  const proposed = git('commit-tree', `${commit}^{tree}`, '-p', commit, '-m', 'Proposed');
  // Another one came on top: the server gives the ends of its references to everybody.
  git(
    'update-ref',
    'refs/pull/12/head',
    git('commit-tree', `${commit}^{tree}`, '-p', proposed, '-m', 'Mended'),
  );
  await expect(
    fixture.checkout({ url: `${server.origin}/old/r.git` }, { commit: proposed }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(
    await fixture.checkout(
      { url: `${server.origin}/old/r.git`, pullRefs: 'refs/pull/12/*' },
      { commit: proposed },
    ),
  ).toMatchObject({ commit: proposed, subject: 'Proposed' });
  // One that is there no longer is no error by itself.
  expect(
    (await fixture.checkout({ url: `${server.origin}/old/r.git`, pullRefs: 'refs/pull/13/*' }, { commit }))
      .commit,
  ).toBe(commit);
  await expect(
    fixture.checkout({ url: `${server.origin}/old/r.git`, pullRefs: '--upload-pack=x' }, { commit }),
  ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('a private one with user and password, which appear nowhere afterwards', async () => {
  const args: string[] = [];
  await fixture.git.checkout(
    {
      organizationId: 'o1',
      url: `${server.origin}/private/r.git`,
      branch: 'main',
      submodules: false,
      credentials: credentials(),
    },
    join(fixture.folder, 'out'),
    {
      signal: new AbortController().signal,
      limitMs: 60_000,
      onLine: (line) => {
        fixture.lines.push(line);
        args.push(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }));
      },
      onChild: async () => undefined,
    },
  );
  expect(readFileSync(join(fixture.folder, 'out/a.txt'), 'utf8')).toBe('secret source');
  expect(server.seen.some((header) => header !== undefined)).toBe(true);
  const kept = readdirSync(join(fixture.folder, 'out/.git'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  );
  const texts = [
    ...fixture.lines,
    ...args,
    ...kept.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')),
  ];
  for (const text of texts) {
    expect(text).not.toContain(password);
    expect(text).not.toContain(encodeURIComponent(password));
  }
  expect(readdirSync(fixture.scratchRoot)).toEqual([]);
});

test('refused and absent ones have their sentences', async () => {
  const url = `${server.origin}/private/r.git`;
  await expect(fixture.checkout({ url })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('needs a user and token'),
  });
  await expect(
    fixture.checkout({ url, credentials: { username: 'deploy', password: new Secret('wrong') } }),
  ).rejects.toMatchObject({ message: expect.stringContaining('refused the user name and password') });
  await expect(fixture.checkout({ url: `${server.origin}/public/none.git` })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(fixture.checkout({ url: `${server.origin}/forbidden/r.git` })).rejects.toMatchObject({
    message: expect.stringContaining('refused the user name and password'),
  });
  await expect(
    fixture.checkout({ url, credentials: { username: 'a\nhost=evil', password: new Secret('x') } }),
  ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('a host that is not there, and one whose certificate nobody vouches for', async () => {
  await expect(fixture.checkout({ url: 'https://localhost:1/r.git' })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('it refused the connection'),
  });
  await expect(fixture.checkout({ url: 'https://no-such-host.invalid/r.git' })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('did not resolve'),
  });
  const bundle = process.env['GIT_SSL_CAINFO'];
  process.env['GIT_SSL_CAINFO'] = other.caPath;
  await expect(fixture.checkout({ url: `${server.origin}/public/r.git` })).rejects.toMatchObject({
    message: expect.stringContaining('certificate'),
  });
  process.env['GIT_SSL_CAINFO'] = bundle;
});

test('an organization without private networks is told one thing of all that is not public', async () => {
  using tenant = createGitFixture(
    createOutgoing({ policyOf: async () => ({ ...homePolicy, reachesPrivate: false, allowed: [] }) }),
  );
  const said: string[] = [];
  for (const url of [
    `${server.origin}/public/r.git`,
    'https://localhost:1/r.git',
    'https://127.1:1/r.git',
    'https://10.255.255.1/r.git',
    'https://169.254.169.254/latest/meta-data',
    'ssh://git@127.0.0.1:1/r.git',
    'git@10.255.255.1:r.git',
  ]) {
    const sshKey = new Secret('-----BEGIN X-----\nabc\n-----END X-----');
    const failed = await tenant.checkout({ url, sshKey }).then(
      () => 'fetched',
      (error: Error) => error.message,
    );
    said.push(failed.replace(/^\S+/, 'HOST'));
  }
  expect(new Set(said).size).toBe(1);
  expect(said[0]).toContain('its address is not public');
  expect(server.seen).toEqual([]);
});

test('a redirect and a submodule are judged like the address itself', async () => {
  const lookUp = async (name: string): Promise<string[]> => [
    name === 'localhost' ? '127.0.0.1' : '169.254.169.254',
  ];
  using guarded = createGitFixture(createOutgoing({ policyOf: async () => homePolicy, lookUp }));
  await expect(guarded.checkout({ url: `${server.origin}/away/r.git` })).rejects.toThrow(
    /metadata\.test leads to 169\.254\.169\.254/,
  );
  const bare = join(fixture.folder, 'root/public/nested.git');
  makeRepository(bare, {
    '.gitmodules': '[submodule "m"]\n path = m\n url = https://metadata.test/m.git\n',
    'a.txt': 'a',
  });
  const work = `${bare}-work`;
  author(work, 'update-index', '--add', '--cacheinfo', `160000,${commit},m`);
  author(work, 'commit', '-q', '-m', 'With a submodule');
  author(work, 'push', '-q', bare, 'HEAD:main');
  await expect(
    guarded.checkout({ url: `${server.origin}/public/nested.git`, submodules: true }),
  ).rejects.toThrow(/submodule at .*metadata\.test leads to 169\.254\.169\.254/);
});

test('the password is not sent to where a redirect leads', async () => {
  await expect(
    fixture.checkout({ url: `${server.origin}/moved/private/r.git`, credentials: credentials() }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(other.seen.length).toBeGreaterThan(0);
  expect(other.seen.every((header) => header === undefined)).toBe(true);
});

test('a submodule on a path of this server is refused', async () => {
  const parent = join(fixture.folder, 'root/public/parent.git');
  makeRepository(parent, { README: '' });
  author(`${parent}-work`, 'submodule', 'add', '-q', join(fixture.folder, 'root/private/r.git'), 'stolen');
  author(`${parent}-work`, 'commit', '-q', '-m', 'Add stolen');
  author(`${parent}-work`, 'push', '-q', 'origin', 'HEAD:refs/heads/main');
  await expect(
    fixture.checkout({ url: `${server.origin}/public/parent.git`, submodules: true }),
  ).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('not allowed') });
});
