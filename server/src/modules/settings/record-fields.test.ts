import { expect, test } from 'vitest';
import { settingFields } from './record-fields.ts';

test.each([
  ['/srv/git', true],
  ['/srv/.git', true],
  ['/srv/..git', true],
  ['/srv/...', true],
  ['/a', true],
  ['/', false],
  ['/srv/', false],
  ['/srv//git', false],
  ['/srv/.', false],
  ['/srv/../etc', false],
  ['/..', false],
  ['srv', false],
  ['/srv/a\u0000', false],
])('a folder of repositories may be %j: %s', (path, isTaken) => {
  expect(settingFields.localRepositoryPaths.rule.safeParse([path]).success).toBe(isTaken);
});
