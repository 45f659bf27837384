import { expect, it } from 'vitest';
import { containers, imageReferences, installationOf, isOurs, type ImageRow } from './engine-objects.ts';

const image = (RepoTags: string[] | null, Labels: Record<string, string> | null = null): ImageRow => ({
  Id: 'sha256:1',
  RepoTags,
  Labels,
  Created: 1_800_000_000,
});
const built = { 'berth.managed': 'true' };
const builtThen = { ...built, 'berth.built': new Date(1_800_000_000_000).toISOString() };
const builtBefore = { ...built, 'berth.built': new Date(1_700_000_000_000).toISOString() };
const made = { 'berth.recipe': 'abc' };

it.each<[string, ImageRow, string[]]>([
  ['an image that Berth built', image(['berth-build/a1:d1'], built), ['berth-build/a1:d1']],
  ['an image that set-up built', image(['berth/node:24'], made), ['berth/node:24']],
  ['one without a name', image(['<none>:<none>'], builtThen), ['sha256:1']],
  ['one of set-up without a name', image(null, made), ['sha256:1']],
  ['not one without a name that somebody built upon ours', image(null, builtBefore), []],
  ['one that was pulled', image(['caddy:2', 'mine/caddy:1']), ['caddy:2']],
  ['only our name of one that has another', image(['berth/node:24', 'mine/node:1'], made), ['berth/node:24']],
  ['not one that somebody built upon ours, which has its labels', image(['mine/app:1'], made), []],
  ["not somebody's under a name like ours", image(['berth/own:1']), []],
  ["not somebody's without a name", image(null), []],
])('removes %s', (_what, given, references) => {
  expect(imageReferences(given, ['caddy:2'])).toEqual(references);
});

it('takes no container for ours that somebody started from an image with our labels', () => {
  const task = {
    'berth.managed': 'true',
    'com.docker.swarm.task.id': 't1',
    'com.docker.swarm.task.name': 'shop.1.t1',
  };
  const row = (name: string) => ({ Id: name, Names: [`/${name}`], ImageID: 'i', Labels: task });
  const [ours, committed] = containers.parse([row('shop.1.t1'), row('by-hand')]);
  expect([isOurs(ours?.Labels, undefined), isOurs(committed?.Labels, undefined)]).toEqual([true, false]);
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
