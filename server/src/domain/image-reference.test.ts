import { expect, test } from 'vitest';
import { parseImageReference, registryOf } from './image-reference.ts';

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
  ['Nginx', 'is no image name'],
  ['a b', 'is no image name'],
  [`${'a/'.repeat(128)}a`, 'is no image name'],
  ['berth-build/kq3:d1', 'names an image that Berth built'],
  ['docker.io/berth-build/kq3:d1', 'names an image that Berth built'],
  ['Docker.IO/berth-build/kq3:d1', 'names an image that Berth built'],
  ['index.docker.io/berth-build/kq3:d1', 'names an image that Berth built'],
  ['cafe', 'could be the id of an image; write its tag too, like cafe:latest'],
  ['0'.repeat(64), 'could be the id of an image'],
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
