import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../../test/cpu-time.ts';
import { createRedactor, redactLines } from './redactor.ts';
import { Secret } from './secret.ts';
import { createStringMatcher } from './string-matcher.ts';

describe('known values', () => {
  const redact = createRedactor([
    new Secret('p@ss w/rd"1'),
    'hunter2',
    'abc',
    '',
    'multi-line-first\nmulti-line-second',
  ]);

  test.each([
    ['login with hunter2 now, hunter2!', 'login with •••• now, ••••!'],
    ['x=p@ss w/rd"1', 'x=••••'],
    ['{"x":"p@ss w/rd\\"1"}', '{"x":"••••"}'],
    ['q=p%40ss%20w%2Frd%221', 'q=••••'],
    ['q=p%40ss%20w%2frd%221', 'q=••••'],
    ['q=p%40ss+w%2Frd%221', 'q=••••'],
    ['abc is too short to be told from text', 'abc is too short to be told from text'],
    ['only multi-line-second is here', 'only •••• is here'],
  ])('%s', (text, expected) => expect(redact(text)).toBe(expected));

  test('base64 at every alignment', () => {
    for (const before of ['', 'u', 'us', 'user:']) {
      const encoded = Buffer.from(`${before}hunter2-long-enough`).toString('base64');
      const hidden = createRedactor(['hunter2-long-enough'])(`Basic: ${encoded}`);
      expect(hidden).toContain('••••');
      expect(Buffer.from(hidden.slice(7), 'base64').toString('latin1')).not.toContain('unter2');
    }
  });

  test('no value survives, whatever stands round it', () => {
    const value = fc.string({ minLength: 4, maxLength: 12, unit: fc.constantFrom('a', 'b', '/', '+', '%') });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 6 }),
        fc.string(),
        fc.string(),
        (secrets, before, after) => {
          const hidden = createRedactor(secrets)(before + secrets.join('') + after);
          for (const secret of secrets) expect(hidden).not.toContain(secret);
        },
      ),
    );
  });

  test('finds what a plain search finds', () => {
    const word = fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b') });
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 }),
        (words, text) => {
          const covered = (index: number) =>
            words.some((literal) =>
              Array.from(literal, (_, back) => index - back).some(
                (start) => start >= 0 && text.startsWith(literal, start),
              ),
            );
          const found = createStringMatcher(words).find(text);
          for (let index = 0; index < text.length; index += 1)
            expect(found.some(([start, end]) => index >= start && index < end)).toBe(covered(index));
        },
      ),
    );
  });
});

describe('shapes', () => {
  const redact = createRedactor();
  const key = `berth_${'Ab1'.repeat(15)}`;
  test.each([
    ['git clone https://user:tok@host/x.git', 'git clone https://user:••••@host/x.git'],
    ['https://ghtoken@host/x', 'https://••••@host/x'],
    ['postgres://app:p@ss:w@db:5432/x', 'postgres://app:••••@db:5432/x'],
    ['ssh://git@host/x', 'ssh://git@host/x'],
    ['https://host/path?mail=a@b', 'https://host/path?mail=a@b'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic ••••'],
    ['{"authorization":"Bearer abc.def"}', '{"authorization":"Bearer ••••"}'],
    ['x-api-key: abcdef', 'x-api-key: ••••'],
    ['sent Bearer abcdefgh12345', 'sent Bearer ••••'],
    [`key ${key} leaked`, 'key berth_•••• leaked'],
    [`ghp_${'a1'.repeat(18)}`, 'ghp_••••'],
    [
      '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\nafter',
      '-----BEGIN OPENSSH PRIVATE KEY-----••••-----END OPENSSH PRIVATE KEY-----\nafter',
    ],
    ['-----BEGIN PRIVATE KEY-----\nabc', '-----BEGIN PRIVATE KEY-----••••'],
    ['plain text stays: a_b user@host 12:30', 'plain text stays: a_b user@host 12:30'],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test('a private key that comes line by line', () => {
    const lines = [
      'before',
      '-----BEGIN RSA PRIVATE KEY-----',
      'MIIE',
      'abcd',
      '-----END RSA PRIVATE KEY-----',
      'after',
    ].map(redactLines(redact));
    expect(lines).toEqual(['before', '-----BEGIN RSA PRIVATE KEY-----••••', '••••', '••••', '••••', 'after']);
  });

  test('a megabyte of variables is taken', () => {
    const values = Array.from({ length: 250 }, (_, index) => `${index}-${String(index * 7919).repeat(800)}`);
    const tookMs = cpuMs(() => expect(createRedactor(values)(`x ${values[249] ?? ''} y`)).toBe('x •••• y'));
    expect(tookMs).toBeLessThan(5000);
  });

  test('two megabytes of bait take less than three seconds', () => {
    const secret = createRedactor([
      'a'.repeat(2000) + 'b',
      ...Array.from({ length: 200 }, (_, index) => `value-${index}-xyz`),
    ]);
    for (const piece of [
      'a',
      '://a:',
      '://',
      'authorization:',
      'bearer ',
      '_aA1',
      'gh',
      '-----BEGIN PRIVATE KEY-----',
      'value-1',
      ' ',
    ]) {
      const text = piece.repeat(2_000_000 / piece.length);
      expect(cpuMs(() => secret(text))).toBeLessThan(3000);
    }
  });
});
