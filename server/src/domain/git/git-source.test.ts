import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseCommit, parseGitUrl, parseRefName, parseSourcePath, keptGitAddress } from './git-source.ts';

describe('parseGitUrl', () => {
  test.each([
    ['https://github.com/o/r.git', 'https', 'https://github.com/o/r.git', 'github.com'],
    ['HTTPS://Git.Example.com:8443/o/r', 'https', 'https://git.example.com:8443/o/r', 'git.example.com:8443'],
    [
      'ssh://git@host.example:2222/o/r.git',
      'ssh',
      'ssh://git@host.example:2222/o/r.git',
      'host.example:2222',
    ],
    ['git@github.com:o/r.git', 'ssh', 'git@github.com:o/r.git', 'github.com'],
    ['git@10.0.0.1:~user/r.git', 'ssh', 'git@10.0.0.1:~user/r.git', '10.0.0.1'],
    ['/srv/repos/a-b', 'file', '/srv/repos/a-b', ''],
    ['/srv/a b', 'file', '/srv/a b', ''],
    ['file:///srv/repos/a%20b/', 'file', '/srv/repos/a b', ''],
    ['file://localhost/srv/r', 'file', '/srv/r', ''],
  ])('%s', (text, protocol, url, host) =>
    expect(parseGitUrl(text)).toEqual({ protocol, url, host, credentials: undefined }),
  );

  test.each([
    ['https://user:p%40ss@host/r', 'user', 'p@ss'],
    ['https://alice@host/r', 'alice', ''],
    ['https://ghp_aaaaaaaaaaaaaaaaaaaaaaaa@github.com/r', 'x-access-token', 'ghp_aaaaaaaaaaaaaaaaaaaaaaaa'],
  ])('%s has its credentials split off', (text, username, password) => {
    const { url, credentials } = parseGitUrl(text);
    expect(url).not.toContain('@');
    expect(credentials?.username).toBe(username);
    expect(credentials?.password.reveal()).toBe(password);
  });

  test.each([
    '',
    ' https://h/r',
    'https://h/r\n',
    'https://h/r r',
    'https://h/\0',
    'git://h/r',
    'git://h/r',
    'https://',
    'https://h',
    'https://h/',
    'https://h/r#main',
    'https://h"x/r',
    'https://u:%zz@h/r',
    '--upload-pack=touch /tmp/x',
    '-oProxyCommand=x',
    'ext::sh -c id',
    'ext::sh',
    'fd::17',
    'ssh://-oProxyCommand=id/r',
    'ssh://git@-oProxyCommand=id/r',
    'ssh://-l@h/r',
    'ssh://u:p@h/r',
    'git@-oProxyCommand=id:r',
    '-u@h:r',
    'git@h:-r',
    'git@h:',
    'git@h::r',
    'u@h$(id):r',
    'ssh://h:99999/r',
    'ssh://h',
    'h:r',
    'r',
    './r',
    '../r',
    'C:\\r',
    'file://other/srv/r',
    'file:r',
    '/srv/../etc',
    '//srv/r',
    '/srv/./r',
    '/srv/r ',
    '/srv/a\nb',
    'file:///srv/%2e%2e/etc',
    'file:///srv/%00',
    'file:///srv/%0a',
    'ftp://h/r',
    'javascript:alert(1)',
    'https://h/r\u202e',
    `https://h/${'r'.repeat(1_000_000)}`,
  ])('%j is refused', (text) =>
    expect(() => parseGitUrl(text)).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringMatching(/^customGitUrl: /) }),
    ),
  );

  test('http has a host and credentials of its own; git:// is refused with the reason', () => {
    expect(parseGitUrl('http://u:p@git.lan:3000/o/r')).toMatchObject({
      protocol: 'http',
      url: 'http://git.lan:3000/o/r',
      host: 'git.lan:3000',
    });
    expect(() => parseGitUrl('git://h/r')).toThrow(/neither encrypts nor proves who answers/);
  });

  test('a refusal does not repeat a password', () => {
    expect(() => parseGitUrl('https://u:hunter2@/r')).toThrow(expect.not.stringContaining('hunter2'));
    expect(() => parseGitUrl('git://u:hunter2@h/r')).toThrow(expect.not.stringContaining('hunter2'));
  });
});

test('an address whose query may hold a token is refused, and the refusal does not repeat it', () => {
  const given = 'https://u:pw@host.test/a.git?private_token=CANARY';
  expect(() => keptGitAddress(given, null)).toThrow('must have no query');
  expect(() => keptGitAddress(given, null)).not.toThrow('CANARY');
});

describe('parseRefName', () => {
  const good = [
    'main',
    'feature/x',
    'v1.0.0',
    'a@b',
    'ünïcode',
    'release-1',
    'x$(id)',
    "it's",
    'a;b',
    'a|b&c',
    '{x}',
    'HEAD2',
  ];
  const bad = [
    '',
    '@',
    '-x',
    '--upload-pack=id',
    'a b',
    'a\tb',
    'a\n',
    'a\0b',
    'a..b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    '/a',
    'a/',
    'a//b',
    'a.',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a@{1}',
    '\x7f',
    'x'.repeat(1_000_000),
  ];
  test.each(good)('%s', (name) => expect(parseRefName(name)).toBe(name));
  test.each(bad)('%j is refused', (name) => expect(() => parseRefName(name)).toThrow('customGitBranch: '));
  test('git agrees', () => {
    for (const name of good) execFileSync('git', ['check-ref-format', `refs/heads/${name}`]);
    // "@" and a leading "-" git takes inside refs/heads/, but not as the name of a branch; NUL cannot be
    // handed over, the longest is our own limit.
    for (const name of bad.filter(
      (text) => !text.includes('\0') && text.length < 1000 && text !== '@' && !text.startsWith('-'),
    )) {
      expect(spawnSync('git', ['check-ref-format', `refs/heads/${name}`]).status, name).not.toBe(0);
    }
  });
});

test('parseCommit', () => {
  expect(parseCommit('a'.repeat(40))).toBe('a'.repeat(40));
  for (const text of ['', 'HEAD', 'abc', 'A'.repeat(40), 'a'.repeat(41), `${'a'.repeat(40)}\n`, '--x'])
    expect(() => parseCommit(text)).toThrow('commit: ');
});

test.each([
  ['', ''],
  ['/', ''],
  ['.', ''],
  ['./Dockerfile', 'Dockerfile'],
  ['/apps/web/', 'apps/web'],
  ['apps//web', 'apps/web'],
  ['--option', '--option'],
  ['a b/$(id)', 'a b/$(id)'],
  ['..x/y..', '..x/y..'],
])('parseSourcePath %j', (text, path) => expect(parseSourcePath(text, 'buildPath')).toBe(path));

test.each(['..', 'a/../../b', '/..', 'a\0', 'a\nb', 'a\\..\\b', 'x'.repeat(256), 'x/'.repeat(1_000_000)])(
  'parseSourcePath %j is refused',
  (text) => expect(() => parseSourcePath(text, 'buildPath')).toThrow('buildPath: '),
);
