import { expect, test } from 'vitest';
import { imagePath, parseImageReference } from './image-reference.ts';
import { pinnedReference } from '../images/pinned-image.ts';

test.each([
  ['nginx', 'nginx', 'latest'],
  ['nginx:1.27', 'nginx', '1.27'],
  ['registry.test:5000/a/b', 'registry.test:5000/a/b', 'latest'],
  ['registry.test:5000/a/b:2', 'registry.test:5000/a/b', '2'],
  ['a/b@sha256:ff', 'a/b', 'sha256:ff'],
  ['a/b:1@sha256:ff', 'a/b', 'sha256:ff'],
])('%s', (reference, repository, tag) => {
  expect(parseImageReference(reference)).toEqual({ repository, tag });
});

test('a reference stays one path, whatever it carries', () => {
  expect(imagePath('a/b:1')).toBe('/images/a/b%3A1');
  expect(imagePath('a?x=1#/b')).toBe('/images/a%3Fx%3D1%23/b');
  expect(() => imagePath('../containers/x')).toThrow('cannot be the name or id of anything in the engine');
  expect(() => imagePath('a//b')).toThrow('cannot be the name or id of anything in the engine');
});

test.each([
  ['an image no registry knows is named by its id', 'berth/node:24', [], 'sha256:id'],
  ['an image of another name neither', 'berth/app:1', ['nginx@sha256:aa'], 'sha256:id'],
  [
    'a pulled image is named by its digest',
    'registry.test/a:1',
    ['registry.test/a@sha256:aa'],
    'registry.test/a:1@sha256:aa',
  ],
  [
    'the default registry has short names',
    'docker.io/library/nginx:1',
    ['nginx@sha256:aa'],
    'docker.io/library/nginx:1@sha256:aa',
  ],
])('%s', (_, reference, digests, pinned) => {
  expect(pinnedReference(reference, 'sha256:id', digests)).toBe(pinned);
});
