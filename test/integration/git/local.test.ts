import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addCommit, author, createGitFixture, makeRepository } from './git-fixture.ts';
import type { GitFixture } from './git-fixture.ts';

let fixture: GitFixture;
let bare = '';
let first = '';
let second = '';
beforeAll(() => {
  fixture = createGitFixture();
  bare = join(fixture.folder, 'repo with space.git');
  first = makeRepository(bare, { 'index.txt': 'one', 'sub/x.txt': 'x' });
  second = addCommit(bare, 'main', { 'index.txt': 'two' });
  addCommit(bare, 'feature/$(id)', { 'index.txt': 'three' });
  author(`${bare}-work`, 'tag', '-a', 'v1', '-m', 'version', first);
  author(`${bare}-work`, 'push', '-q', 'origin', 'v1');
});
afterAll(() => fixture[Symbol.dispose]());
beforeEach(() => void fixture.lines.splice(0));

const out = (name: string) => readFileSync(join(fixture.folder, 'out', name), 'utf8');

describe('a repository on this server', () => {
  test('a branch, with only its newest commit', async () => {
    expect(await fixture.checkout({ url: bare })).toMatchObject({
      commit: second,
      subject: 'Change on main',
    });
    expect(out('index.txt')).toBe('two');
    expect(out('sub/x.txt')).toBe('x');
    expect(author(join(fixture.folder, 'out'), 'rev-list', '--count', 'HEAD')).toBe('1');
    expect(readdirSync(fixture.scratchRoot)).toEqual([]);
  });

  test('as a file:// address, a branch whose name is shell text, a tag, the default branch', async () => {
    await fixture.checkout({ url: `file://${bare.replaceAll(' ', '%20')}`, branch: 'feature/$(id)' });
    expect(out('index.txt')).toBe('three');
    expect(await fixture.checkout({ url: bare, branch: 'v1' })).toMatchObject({
      commit: first,
      subject: 'First',
    });
    expect(out('index.txt')).toBe('one');
    expect((await fixture.checkout({ url: bare, branch: '' })).commit).toBe(second);
  });

  test.each([
    ['a carriage return', 'before\rafter', 'before\rafter'],
    ['what git says itself', `HEAD is now at ${'a'.repeat(40)} x`, `HEAD is now at ${'a'.repeat(40)} x`],
  ])('a subject with %s is told as it is, and no part of it in the log', async (_, message, subject) => {
    const work = `${bare}-work`;
    author(work, 'checkout', '-q', '-B', 'odd', 'main');
    author(work, 'commit', '-q', '--allow-empty', '--cleanup=verbatim', '-m', message);
    author(work, 'push', '-q', '--force', 'origin', 'odd');
    const commit = author(work, 'rev-parse', 'HEAD');
    expect(await fixture.checkout({ url: bare, branch: 'odd' })).toMatchObject({ commit, subject });
    expect(fixture.lines.join('\n')).not.toMatch(/after|HEAD is now at/);
  });

  test('a subject that begins like a key hides nothing of what git says after it', async () => {
    const work = `${bare}-work`;
    author(work, 'checkout', '-q', '-B', 'keyed', 'main');
    writeFileSync(join(work, '.gitmodules'), '[submodule "a"]\n path = a\n url = https://nowhere.test/a\n');
    author(work, 'update-index', '--add', '--cacheinfo', `160000,${first},a`);
    author(work, 'add', '.gitmodules');
    author(work, 'commit', '-q', '-m', '-----BEGIN RSA PRIVATE KEY-----');
    author(work, 'push', '-q', '--force', 'origin', 'keyed');
    const checkout = fixture.checkout({ url: bare, branch: 'keyed', submodules: true });
    await expect(checkout).rejects.toMatchObject({ message: expect.stringContaining('nowhere.test') });
  });

  test('an older commit again', async () => {
    expect((await fixture.checkout({ url: bare }, { commit: first })).commit).toBe(first);
    expect(out('index.txt')).toBe('one');
  });

  test('one that belongs to another user', async () => {
    chownSync(bare, 12_345, 12_345);
    try {
      expect((await fixture.checkout({ url: bare })).commit).toBe(second);
    } finally {
      chownSync(bare, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    }
  });

  test('what is not there is said, and nothing remains', async () => {
    await expect(fixture.checkout({ url: bare, branch: 'nope' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('has no branch or tag "nope"'),
    });
    await expect(fixture.checkout({ url: `${bare}x` })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('There is no repository at'),
    });
    await expect(fixture.checkout({ url: bare }, { commit: 'a'.repeat(40) })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('no longer has'),
    });
    expect(existsSync(join(fixture.folder, 'out'))).toBe(false);
    expect(readdirSync(fixture.scratchRoot)).toEqual([]);
  });

  test('what looks like an option or a command is refused as data', async () => {
    for (const branch of [
      '--upload-pack=touch /tmp/owned',
      '-x',
      'a b',
      'a\nb',
      'a..b',
      'x'.repeat(1_000_000),
    ]) {
      await expect(fixture.checkout({ url: bare, branch })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    for (const url of ['ext::sh -c id', '--upload-pack=id', 'git://127.0.0.1/x', '-x']) {
      await expect(fixture.checkout({ url })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    await expect(fixture.checkout({ url: bare }, { commit: '--all' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });

  test('hooks and settings of the repository do not run', async () => {
    const mark = join(fixture.folder, 'ran');
    writeFileSync(join(bare, 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    addCommit(bare, 'filtered', {
      '.gitattributes': '*.txt filter=evil diff=lfs',
      '.lfsconfig': '[lfs]\n url = https://127.0.0.1:1/\n',
    });
    await fixture.checkout({ url: bare, branch: 'filtered' });
    expect(existsSync(mark)).toBe(false);
  });

  test('an abort ends it with the reason given', async () => {
    const aborter = new AbortController();
    const reason = new Error('the deployment was ended');
    const checkout = fixture.git.checkout(
      { organizationId: 'o1', url: bare, branch: 'main', submodules: false },
      join(fixture.folder, 'aborted'),
      {
        signal: aborter.signal,
        limitMs: 60_000,
        onLine: () => undefined,
        onChild: async () => aborter.abort(reason),
      },
    );
    await expect(checkout).rejects.toBe(reason);
    expect(existsSync(join(fixture.folder, 'aborted'))).toBe(false);
    await expect(fixture.checkout({ url: bare }, { limitMs: 0 })).rejects.toMatchObject({
      message: expect.stringContaining('took longer than'),
    });
  });
});

describe('submodules', () => {
  let parent = '';
  beforeAll(() => {
    makeRepository(join(fixture.folder, 'library.git'), { 'lib.txt': 'lib' });
    parent = join(fixture.folder, 'parent.git');
    makeRepository(parent, { README: 'parent' });
    author(`${parent}-work`, 'submodule', 'add', '-q', '../library.git', 'libs/library');
    author(`${parent}-work`, 'commit', '-q', '-m', 'Add library');
    author(`${parent}-work`, 'push', '-q', 'origin', 'HEAD:refs/heads/main');
  });

  test('of a repository on this server never come from this server', async () => {
    await fixture.checkout({ url: parent });
    expect(existsSync(join(fixture.folder, 'out/libs/library/lib.txt'))).toBe(false);
    await expect(fixture.checkout({ url: parent, submodules: true })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('submodules may use https or ssh only'),
    });
    const outside = join(fixture.folder, 'outside.git');
    makeRepository(outside, { README: 'outside' });
    for (const [name, address] of [
      ['absolute', join(fixture.folder, 'library.git')],
      ['address', `file://${join(fixture.folder, 'library.git')}`],
    ] as const) {
      author(`${outside}-work`, 'submodule', 'add', '-q', '--force', '--name', name, address, name);
      author(`${outside}-work`, 'commit', '-q', '-m', name);
      author(`${outside}-work`, 'push', '-q', 'origin', 'HEAD:refs/heads/main');
      await expect(fixture.checkout({ url: outside, submodules: true })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
      expect(existsSync(join(fixture.folder, 'out'))).toBe(false);
    }
  });

  test('of an address that is not allowed fail by name', async () => {
    const bad = join(fixture.folder, 'bad.git');
    makeRepository(bad, {
      '.gitmodules': '[submodule "x"]\n path = x\n url = ext::touch /tmp/owned\n',
      README: '',
    });
    author(`${bad}-work`, 'update-index', '--add', '--cacheinfo', `160000,${first},x`);
    author(`${bad}-work`, 'commit', '-q', '-m', 'Add x');
    author(`${bad}-work`, 'push', '-q', 'origin', 'HEAD:refs/heads/main');
    await expect(fixture.checkout({ url: bad, submodules: true })).rejects.toMatchObject({
      message: expect.stringMatching(/submodule/),
    });
  });
});
