import { expect, it } from 'vitest';
import { commitLinks } from './commit-links.ts';

const none = { owner: null, repository: null, gitHost: null, customGitUrl: null };
const git = (customGitUrl: string) => commitLinks({ ...none, sourceType: 'git', customGitUrl });

it.each([
  ['https://github.com/ada/shop.git', 'https://github.com/ada/shop/compare/a...b'],
  ['git@github.com:ada/shop.git', 'https://github.com/ada/shop/compare/a...b'],
  ['https://ada:secret@gitlab.com/team/shop', 'https://gitlab.com/team/shop/-/compare/a...b'],
  ['ssh://git@codeberg.org/ada/shop.git', 'https://codeberg.org/ada/shop/compare/a...b'],
  ['https://bitbucket.org/ada/shop.git', 'https://bitbucket.org/ada/shop/branches/compare/b%0Da'],
])('%s', (url, between) => {
  expect(git(url)?.between('a', 'b')).toBe(between);
});

it.each(['/srv/repositories/shop', 'https://code.example.com/shop.git', '', 'javascript:alert(1)'])(
  'nothing is linked to of %s',
  (url) => {
    expect(git(url)).toBeUndefined();
  },
);

it('a provider has its own address', () => {
  const shop = { ...none, owner: 'ada', repository: 'shop' };
  expect(commitLinks({ ...shop, sourceType: 'github' })?.commit('a')).toBe(
    'https://github.com/ada/shop/commit/a',
  );
  expect(
    commitLinks({ ...shop, sourceType: 'gitea', gitHost: 'https://gitea.example.com/' })?.commit('a'),
  ).toBe('https://gitea.example.com/ada/shop/commit/a');
});
