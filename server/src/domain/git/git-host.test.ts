import { describe, expect, test } from 'vitest';
import { gitHosts, gitSourceOf, parseGitHost, parseRepositoryPart, type GitProvider } from './git-host.ts';

const unset = {
  gitHost: null,
  owner: null,
  repository: null,
  branch: null,
  customGitUrl: null,
  customGitBranch: null,
  customGitSSHKeyId: null,
};
const shop = { ...unset, owner: 'acme', repository: 'shop', branch: 'main' };

describe('gitSourceOf', () => {
  test.each([
    [{ ...shop, sourceType: 'github' }, 'https://github.com/acme/shop.git'],
    [{ ...shop, sourceType: 'github', repository: 'shop.git' }, 'https://github.com/acme/shop.git'],
    [{ ...shop, sourceType: 'gitlab', owner: 'acme/web' }, 'https://gitlab.com/acme/web/shop.git'],
    [{ ...shop, sourceType: 'bitbucket' }, 'https://bitbucket.org/acme/shop.git'],
    [
      { ...shop, sourceType: 'gitea', gitHost: 'https://git.example.com:8443/git' },
      'https://git.example.com:8443/git/acme/shop.git',
    ],
    [
      { ...shop, sourceType: 'gitea', gitHost: 'https://git.example.com', customGitSSHKeyId: 'key' },
      'ssh://git@git.example.com/acme/shop.git',
    ],
    [
      { ...unset, sourceType: 'git', customGitUrl: 'https://example.com/a.git', customGitBranch: 'main' },
      'https://example.com/a.git',
    ],
  ])('%o', (service, url) => {
    expect(gitSourceOf(service)).toEqual({ url, branch: 'main' });
  });

  test('is none while something is missing or the source is no repository', () => {
    for (const missing of ['owner', 'repository', 'branch'] as const)
      expect(gitSourceOf({ ...shop, sourceType: 'github', [missing]: null })).toBeUndefined();
    expect(gitSourceOf({ ...shop, sourceType: 'git' })).toBeUndefined();
    expect(gitSourceOf({ ...shop, sourceType: 'container' })).toBeUndefined();
  });
});

test('parseGitHost takes https addresses without anything more', () => {
  expect(parseGitHost('https://git.example.com')).toBe('https://git.example.com');
  expect(parseGitHost('https://git.example.com/')).toBe('https://git.example.com');
  expect(parseGitHost('https://example.com:8443/git')).toBe('https://example.com:8443/git');
  for (const bad of [
    '',
    'git.example.com',
    'http://git.example.com',
    'https://',
    'https://u:p@git.example.com',
    'https://git.example.com?x=1',
    'https://git.example.com#x',
    'git@example.com:',
    '/srv',
    'https://exa mple.com',
  ]) {
    expect(() => parseGitHost(bad), bad).toThrow('gitHost');
  }
});

test('parseRepositoryPart takes names, no options, no way up', () => {
  for (const good of ['acme', 'acme/web', 'a.b_c-d', '~user'])
    expect(parseRepositoryPart(good, 'owner')).toBe(good);
  for (const bad of [
    '',
    '-x',
    'a/',
    '/a',
    'a//b',
    '..',
    'a/../b',
    '.',
    'a b',
    'a?b',
    'a#b',
    'a%2fb',
    'a\nb',
    'a@b',
    'a:b',
    'ä',
  ])
    expect(() => parseRepositoryPart(bad, 'owner'), bad).toThrow('owner');
});

test.each<[GitProvider, string, string]>([
  ['github', 'https://api.github.com', 'https://git.example.com/api/v3'],
  ['gitlab', 'https://gitlab.com/api/v4', 'https://git.example.com/api/v4'],
  ['bitbucket', 'https://api.bitbucket.org/2.0', 'https://git.example.com/2.0'],
  ['gitea', 'https://gitea.com/api/v1', 'https://git.example.com/api/v1'],
])('the API of %s is found at its public host and at a self-hosted one', (provider, ofPublic, ofOwn) => {
  const { address, apiUrl } = gitHosts[provider];
  expect([apiUrl(address), apiUrl('https://git.example.com')]).toEqual([ofPublic, ofOwn]);
});
