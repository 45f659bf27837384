import { describe, expect, it } from 'vitest';
import type { PushEvent } from '../../domain/git/git-event.ts';
import { describePush, skipReason, type Watched } from './push-verdict.ts';
import { isOf } from '../../domain/git/git-repository.ts';
import { stepLimit, touches } from '../../domain/git/watch-paths.ts';

const push: PushEvent = {
  kind: 'push',
  refKind: 'branch',
  ref: 'main',
  commit: 'a'.repeat(40),
  message: 'Fix',
  changedPaths: ['web/a.ts'],
};
const watched: Watched = {
  isRepository: (name) => name === 'acme/shop',
  branch: 'main',
  triggerType: 'push',
  watchPaths: [],
};

describe('skipReason', () => {
  it.each<[Partial<PushEvent>, Partial<Watched>, string | undefined]>([
    [{}, {}, undefined],
    [{ repository: 'acme/shop' }, {}, undefined],
    [
      { repository: 'other/thing' },
      {},
      'the push is to other/thing, which is not the repository of this service',
    ],
    [{ repository: 'other/thing' }, { branch: undefined }, undefined],
    [{ ref: 'feature' }, {}, 'the branch feature is not main'],
    [{ ref: 'feature' }, { branch: undefined }, undefined],
    [{ commit: null }, {}, 'the branch main was deleted'],
    [{ refKind: 'tag', ref: 'v1' }, {}, 'tags are not deployed (triggerType)'],
    [{ refKind: 'tag', ref: 'v1' }, { triggerType: 'tag' }, undefined],
    [{}, { triggerType: 'tag' }, 'only tags are deployed (triggerType)'],
    [{ message: 'Fix\n\n[skip ci]' }, {}, 'the commit says [skip ci]'],
    [{ message: '[CI SKIP] Fix' }, {}, 'the commit says [skip ci]'],
    [{ message: 'skip ci' }, {}, undefined],
    [{}, { watchPaths: ['api/**'] }, 'no changed file is among watchPaths'],
    [{}, { watchPaths: ['web/**'] }, undefined],
    [{ changedPaths: undefined }, { watchPaths: ['api/**'] }, undefined],
  ])('%o, %o', (event, service, expected) => {
    expect(skipReason({ ...push, ...event }, { ...watched, ...service })).toBe(expected);
  });
});

it('a deployment is named after the commit', () => {
  expect(describePush({ ...push, message: 'Fix the\u0007door\r\n\r\nMore' })).toEqual({
    title: 'Fix the door',
    description: `Commit ${'a'.repeat(40)} on the branch main`,
  });
  expect(describePush({ ...push, message: '' }).title).toBe('Push to main');
  expect(describePush({ ...push, message: 'x'.repeat(5000) }).title).toHaveLength(200);
});

describe('touches', () => {
  it.each<[string[], string[], boolean]>([
    [['web/**'], ['web/a/b.ts'], true],
    [['web/**'], ['website/a.ts'], false],
    [['web'], ['web/a/b.ts'], true],
    [['web/'], ['web/a.ts'], true],
    [['/web/*.ts'], ['web/a.ts'], true],
    [['*.ts'], ['web/a.ts'], false],
    [['**/*.ts'], ['web/a.ts', 'x'], true],
    [['**/*.ts'], ['a.ts'], true],
    [['a?c'], ['abc'], true],
    [['a?c'], ['ac'], false],
    [['a*c*e'], ['abcde'], true],
    [['a*c*e'], ['abcd'], false],
    [['**'], ['a'], true],
    [['web/**', '!web/docs/**'], ['web/docs/a'], false],
    [['!docs'], ['docs/a', 'b'], true],
    [['!docs'], ['docs/a'], false],
    [['a.ts'], ['axts'], false],
    [['web/**/b'], ['web/b'], true],
    [['web/**/b'], ['web/a/c/b'], true],
    [['x'], [], false],
  ])('%o of %o: %s', (patterns, paths, expected) => {
    expect(touches(patterns, paths)).toBe(expected);
  });

  it('deploys when the comparisons exceed their limit, and stops there', () => {
    const budget = { left: 10_000 };
    expect(touches([`${'*a'.repeat(90)}b`], ['a'.repeat(4000)], budget)).toBe(true);
    expect(budget.left).toBeGreaterThan(-100);
    expect(touches([`${'**/'.repeat(60)}x`], [Array(2000).fill('a').join('/')], { left: 5000 })).toBe(true);
  });

  it('is matched by no path that is longer than a path of a file can be', () => {
    expect(touches(['**'], ['a'.repeat(4096)])).toBe(true);
    expect(touches(['**'], ['a'.repeat(4097)])).toBe(false);
  });

  it('decides an ordinary large push within its limit', () => {
    const patterns = Array.from({ length: 20 }, (_, at) => `packages/part-${at}/**/*.ts`);
    const paths = Array.from({ length: 3000 }, (_, at) => `apps/shop/src/components/page-${at}/view.tsx`);
    const budget = { left: stepLimit };
    expect(touches(patterns, paths, budget)).toBe(false);
    expect(budget.left).toBeGreaterThan(0);
  });
});

describe('isOf', () => {
  const unset = {
    gitHost: null,
    owner: null,
    repository: null,
    branch: null,
    customGitUrl: null,
    customGitBranch: null,
    customGitSSHKeyId: null,
  };
  it.each([
    [{ ...unset, sourceType: 'github', owner: 'Acme', repository: 'shop' }, 'acme/Shop', true],
    [{ ...unset, sourceType: 'gitlab', owner: 'acme/web', repository: 'shop.git' }, 'acme/web/shop', true],
    [{ ...unset, sourceType: 'github', owner: 'acme', repository: 'shop' }, 'evil/shop', false],
    [
      { ...unset, sourceType: 'git', customGitUrl: 'https://git.example.com/acme/shop.git' },
      'acme/shop',
      true,
    ],
    [{ ...unset, sourceType: 'git', customGitUrl: 'git@git.example.com:acme/shop.git' }, 'acme/shop', true],
    [{ ...unset, sourceType: 'git', customGitUrl: 'https://git.example.com/acme/shop' }, 'me/shop', false],
    [
      { ...unset, sourceType: 'git', customGitUrl: 'https://git.example.com/notacme/shop' },
      'acme/shop',
      false,
    ],
    [{ ...unset, sourceType: 'container' }, '', false],
  ])('%o is of %s: %s', (service, name, expected) => {
    expect(isOf(service, name)).toBe(expected);
  });
});
