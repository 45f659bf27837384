import { expect, it } from 'vitest';
import { bcryptPattern, parsePassword, parseUsername } from './basic-auth.ts';

it('a user name has no colon, no brace and no control character', () => {
  for (const name of ['ann', 'Ann Lee', 'jörg@example.com', 'a'.repeat(100)])
    expect(parseUsername(name)).toBe(name);
  for (const name of ['', 'a:b', '{env.HOME}', 'a}', 'a\nb', 'a\u202eb', 'a'.repeat(101)])
    expect(() => parseUsername(name), name).toThrow('username');
});

it('a password has what bcrypt reads', () => {
  for (const password of ['x', 'p:w {env.HOME} ä', 'a'.repeat(72)])
    expect(parsePassword(password)).toBe(password);
  for (const password of ['', 'a\nb', 'a'.repeat(73), 'ä'.repeat(37)])
    expect(() => parsePassword(password), password).toThrow('password');
});

it('a hash is told from anything else', () => {
  expect(bcryptPattern.test('$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy')).toBe(true);
  for (const text of [
    '',
    'secret',
    '$2b$10$short',
    '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy{env.HOME}',
  ])
    expect(bcryptPattern.test(text)).toBe(false);
});
