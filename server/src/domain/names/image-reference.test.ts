import { expect, test } from 'vitest';
import {
  isImageReference,
  isNamed,
  isPlatformImage,
  listedName,
  parseImageReference,
  registryOf,
} from './image-reference.ts';

test.each([
  'nginx',
  'nginx:1.29',
  'registry.example.com:5000/team/app:v1',
  `redis@sha256:${'0'.repeat(64)}`,
  'cafe:latest',
  'berth/postgres:15',
  'registry.example.com/berth-build/app:1',
])('%s is taken as it is', (reference) => {
  expect(parseImageReference(reference)).toBe(reference);
});

test.each([
  ['Nginx', 'is not an image name'],
  ['a b', 'is not an image name'],
  [`${'a/'.repeat(128)}a`, 'is not an image name'],
  ['berth-build/kq3:d1', 'names an image that Berth built'],
  ['docker.io/berth-build/kq3:d1', 'names an image that Berth built'],
  ['Docker.IO/berth-build/kq3:d1', 'names an image that Berth built'],
  ['index.docker.io/berth-build/kq3:d1', 'names an image that Berth built'],
  ['cafe', 'could be the id of an image; write its tag too, like cafe:latest'],
  ['0'.repeat(64), 'could be the id of an image'],
  ['sha256:a65e', 'is the id of an image'],
  [`sha256:${'a'.repeat(64)}`, 'is the id of an image'],
  [`sha256@sha256:${'a'.repeat(64)}`, 'is the id of an image'],
])('%s is refused', (reference, why) => {
  expect(() => parseImageReference(reference, 'image')).toThrow(new RegExp(`^image: .*${why}`));
});

test.each([
  ['nginx:1', ''],
  ['team/nginx:1', ''],
  ['localhost/x:1', 'localhost'],
  ['LOCALHOST/x:1', 'LOCALHOST'],
  ['Intranet/x:1', 'Intranet'],
  ['registry.test:5000/x', 'registry.test:5000'],
])('%s comes from the registry "%s"', (reference, host) => expect(registryOf(reference)).toBe(host));

test.each([
  ['nginx', 'nginx:latest'],
  ['docker.io/library/nginx:1', 'nginx:1'],
  ['registry.test:5000/team/x', 'registry.test:5000/team/x:latest'],
  ['index.docker.io/team/x:1@sha256:d', 'team/x@sha256:d'],
])('an engine lists %s as %s', (reference, name) => expect(listedName(reference)).toBe(name));

test('an image is its own names, and no part of its id', () => {
  const image = { tags: ['nginx:1', 'registry.test:5000/x:2'], digests: ['nginx@sha256:d'] };
  for (const name of ['nginx:1', 'docker.io/library/nginx:1', 'registry.test:5000/x:2', 'nginx@sha256:d'])
    expect(isNamed(name, image)).toBe(true);
  for (const name of ['nginx', 'nginx:2', 'sha256:a65e', 'nginx:a65e', 'other.test/nginx:1'])
    expect(isNamed(name, image)).toBe(false);
});

test("set-up's own names are these, however they are written", () => {
  for (const name of ['berth/caddy:2.11', 'docker.io/berth/caddy', 'berth/x@sha256:d'])
    expect(isPlatformImage(name)).toBe(true);
  for (const name of ['registry.test/berth/caddy:2.11', 'berth', 'berth-build/x:1', 'other/berth/x'])
    expect(isPlatformImage(name)).toBe(false);
});

test.each([
  ['berth-build/a1:d1', true],
  ['registry.example.com:5000/team/app:v1', true],
  ['../containers/abc', false],
  ['berth/../../containers/abc', false],
  ['', false],
  ['$BASE', false],
  [`${'a'.repeat(256)}:1`, false],
])('%s is a reference: %s', (text, isOne) => expect(isImageReference(text)).toBe(isOne));
