import { expect, it } from 'vitest';
import { edgesOf, layersOf, placesOf } from './map-layout.ts';

const node = (name: string, env = '') => ({ id: name, name, appName: `${name}-x1y2z3`, env });

it('reads references, and host names in values', () => {
  const nodes = [
    node('web', 'URL=${{db.URL}}\nCACHE=redis://cache-x1y2z3:6379\nOTHER=${{project.NAME}}'),
    node('db'),
    node('cache', 'NAME=cache-x1y2z3'),
    node('db2'),
  ];
  expect(edgesOf(nodes)).toEqual([
    { from: 'web', to: 'db' },
    { from: 'web', to: 'cache' },
  ]);
});

it('takes no part of a longer name for a host', () => {
  expect(edgesOf([node('web', 'A=x-db-x1y2z3\nB=db-x1y2z3-2\nC=db-x1y2z34'), node('db')])).toEqual([]);
});

it('puts a service below all that refer to it', () => {
  const edges = [
    { from: 'web', to: 'api' },
    { from: 'web', to: 'db' },
    { from: 'api', to: 'db' },
  ];
  expect(layersOf(['db', 'api', 'web', 'alone'], edges)).toEqual([['web', 'alone'], ['api'], ['db']]);
});

it('ends at services that refer to each other', () => {
  const circle = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ];
  const layers = layersOf(['a', 'b', 'c'], circle);
  expect(layers.flat().toSorted()).toEqual(['a', 'b', 'c']);
});

it('continues a layer below where the picture is narrow', () => {
  const sizes = { width: 350, card: { width: 160, height: 100 }, gap: { x: 10, y: 40, row: 20 } };
  const { places, height } = placesOf([['a', 'b', 'c'], ['d']], sizes);
  expect(places.get('b')).toEqual({ x: 180, y: 0 });
  expect(places.get('c')).toEqual({ x: 95, y: 120 });
  expect(places.get('d')).toEqual({ x: 95, y: 260 });
  expect(height).toBe(360);
});
