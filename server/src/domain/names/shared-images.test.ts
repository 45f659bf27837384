import { expect, test } from 'vitest';
import { isSharedBy, parseSharedImage } from './shared-images.ts';

test.each([
  ['team/', 'team/app:1', true],
  ['team/', 'docker.io/team/app', true],
  ['team/', 'teams/app:1', false],
  ['registry.test:5000/team/', 'registry.test:5000/team/app:1', true],
  ['registry.test:5000/team/', 'team/app:1', false],
  ['team/app', 'team/app:1', true],
  ['team/app', 'team/app-2:1', false],
  ['team/app:1', 'team/app:1', true],
  ['team/app:1', 'team/app:2', false],
  ['node:latest', 'docker.io/library/node', true],
])('%s shares %s: %s', (entry, reference, isShared) =>
  expect(isSharedBy([parseSharedImage(entry)], reference)).toBe(isShared),
);

test.each([
  '/',
  'docker.io/',
  'docker.io/library/',
  'berth-build/',
  'berth-build/x',
  'sha256:a65e',
  'A b/',
  '',
])('"%s" cannot be shared', (entry) => expect(() => parseSharedImage(entry)).toThrow('sharedImages: '));
