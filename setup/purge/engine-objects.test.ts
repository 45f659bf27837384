import { expect, it } from 'vitest';
import { imageReferences, installationOf, isOurs, type ImageRow } from './engine-objects.ts';

const image = (RepoTags: string[] | null, Labels: Record<string, string> | null = null): ImageRow => ({
  Id: 'sha256:1',
  RepoTags,
  Labels,
});
const built = { 'berth.managed': 'true' };
const made = { 'berth.recipe': 'abc' };

it.each<[string, ImageRow, string[]]>([
  ['an image that Berth built', image(['berth-build/a1:d1'], built), ['berth-build/a1:d1']],
  ['an image that set-up built', image(['berth/node:24'], made), ['berth/node:24']],
  ['one without a name', image(['<none>:<none>'], built), ['sha256:1']],
  ['one that was pulled', image(['caddy:2', 'mine/caddy:1']), ['caddy:2']],
  ['only our name of one that has another', image(['berth/node:24', 'mine/node:1'], made), ['berth/node:24']],
  ['not one that somebody built upon ours, which has its labels', image(['mine/app:1'], made), []],
  ["not somebody's under a name like ours", image(['berth/own:1']), []],
  ["not somebody's without a name", image(null), []],
])('removes %s', (_what, given, references) => {
  expect(imageReferences(given, ['caddy:2'])).toEqual(references);
});

const of = (id: string, more: Record<string, string> = {}): Record<string, string> => ({
  'berth.managed': 'true',
  'berth.installation': id,
  ...more,
});

it("knows the installation by its proxy, and another one's objects by their id", () => {
  const proxy = of('one', { 'berth.data-folder': '/var/lib/berth' });
  expect(installationOf([of('two'), proxy, null], '/var/lib/berth')).toBe('one');
  expect(installationOf([of('two'), null], '/var/lib/berth')).toBe('two');
  expect(installationOf([of('one'), of('two')], '/var/lib/berth')).toBeUndefined();
  expect(installationOf([built], '/var/lib/berth')).toBeUndefined();
  expect(isOurs(of('one'), 'one')).toBe(true);
  expect(isOurs(of('two'), 'one')).toBe(false);
  expect(isOurs(built, 'one')).toBe(true);
  expect(isOurs({ 'berth.installation': 'one' }, 'one')).toBe(false);
  expect(imageReferences(image(['berth-build/a1:d1'], of('two')), [], 'one')).toEqual([]);
});
