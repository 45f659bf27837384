import { expect, it } from 'vitest';
import { hasInit } from './init-choice.ts';

it.each(['/init', '/sbin/tini', '/usr/bin/dumb-init', '/usr/bin/tini-static', '/sbin/my_init', 'tini'])(
  'is off for %s, which is an init itself',
  (program) => {
    expect(hasInit('auto', program)).toBe(false);
  },
);

it.each(['node', '/docker-entrypoint.sh', '/usr/local/bin/initdb', undefined])('is on for %s', (program) => {
  expect(hasInit('auto', program)).toBe(true);
});

it('is what the person says', () => {
  expect(hasInit('on', '/init')).toBe(true);
  expect(hasInit('off', 'node')).toBe(false);
});
