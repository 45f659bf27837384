import { expect, test } from 'vitest';
import { builtHere, canonical, digestOf, everyService, listed, uncovered, type Danger } from './danger.ts';

const etc: Danger = { service: 'web', what: 'bind', value: '/etc', access: 'read-only', image: 'nginx' };
const admin: Danger = { service: 'web', what: 'capability', value: 'CAP_SYS_ADMIN' };

test('the digest depends on what is asked for and by whom, not on the order or on repetition', () => {
  expect(digestOf('s', [etc, admin, etc])).toBe(digestOf('s', [admin, etc]));
  const different = [
    digestOf('s', [etc]),
    digestOf('s', [admin]),
    digestOf('s', [etc, admin]),
    digestOf('t', [etc, admin]),
    digestOf('s', [{ ...etc, service: 'db' }, admin]),
    digestOf('s', [{ ...etc, value: '/etc2' }, admin]),
    digestOf('s', [{ ...etc, what: 'volume' }, admin]),
    digestOf('s', [{ ...etc, access: 'writable' }, admin]),
    digestOf('s', [{ ...etc, image: 'evil' }, admin]),
    digestOf('s', [{ ...etc, start: 'a' }, admin]),
    digestOf('s', [{ ...etc, start: 'b' }, admin]),
  ];
  expect(new Set(different).size).toBe(different.length);
  expect(digestOf('s', [])).toMatch(/^[0-9a-f]{64}$/);
});

test('an approval covers exactly its dangers, one of every service all of them', () => {
  expect(uncovered([etc, admin], [etc, admin])).toEqual([]);
  expect(uncovered([admin, etc], [etc])).toEqual([admin]);
  expect(uncovered([etc], [{ ...etc, service: 'db' }])).toEqual([etc]);
  const { image: _image, ...everywhere } = { ...etc, service: everyService };
  expect(uncovered([etc], [everywhere])).toEqual([]);
  expect(uncovered([etc], [{ ...everywhere, access: 'writable' }])).toEqual([]);
  expect(uncovered([{ ...etc, service: everyService }], [etc])).toEqual([{ ...etc, service: everyService }]);
  const writable: Danger = { ...etc, access: 'writable' };
  expect(uncovered([etc], [writable])).toEqual([]);
  expect(uncovered([writable], [etc])).toEqual([writable]);
  for (const changed of [{ image: 'evil' }, { image: undefined }, { start: 'x' }, { access: undefined }])
    expect(uncovered([etc], [{ ...etc, ...changed }])).toEqual([etc]);
  expect(canonical([admin, etc, admin])).toEqual([etc, admin]);
});

test('they are listed in words', () => {
  expect(listed([etc, admin])).toBe(
    'web binds /etc of the server, read-only; web adds the capability CAP_SYS_ADMIN; web runs nginx',
  );
  expect(listed([{ ...admin, image: builtHere, start: 'x' }])).toBe(
    'web adds the capability CAP_SYS_ADMIN; web runs what is built from the repository with the user, ' +
      'entrypoint and command of the file',
  );
  expect(listed(Array.from({ length: 23 }, () => ({ ...admin, service: everyService })))).toContain(
    'and 3 more',
  );
});
