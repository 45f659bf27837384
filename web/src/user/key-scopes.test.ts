import { expect, it } from 'vitest';
import actions from '../generated/key-actions.json';
import { areas, boxOf, choices, levelNames, offers, permissionsOf } from './key-scopes.ts';

it('offers every router of the interface in one area', () => {
  expect(areas.flatMap(({ routers }) => routers).toSorted()).toEqual(Object.keys(actions).toSorted());
});

it('names actions alone that the server knows', () => {
  const known: Readonly<Record<string, readonly string[]>> = actions;
  const ticked = new Set(areas.flatMap((area) => levelNames.map((level) => boxOf(area, level))));
  const given = [permissionsOf(ticked), ...choices.map(({ permissions }) => permissions ?? {})];
  const unknown = given.flatMap((permissions) =>
    Object.entries(permissions).flatMap(([router, names]) =>
      names.filter((name) => !known[router]?.includes(name)).map((name) => `${router}.${name}`),
    ),
  );
  expect(unknown).toEqual([]);
});

it('gives what is ticked and nothing beside it', () => {
  const deployments = areas.find(({ name }) => name === 'Deployments');
  if (!deployments) throw new Error('There is no area of this name.');
  expect(permissionsOf(new Set([boxOf(deployments, 'act')]))).toEqual({ deployment: ['deploy'] });
  expect(offers(deployments, 'secrets')).toBe(false);
});

it('offers every action of the interface in some box', () => {
  const ticked = new Set(areas.flatMap((area) => levelNames.map((level) => boxOf(area, level))));
  const given = permissionsOf(ticked);
  for (const [router, names] of Object.entries(actions))
    expect([router, given[router]?.toSorted()]).toEqual([router, names.toSorted()]);
});
