import { expect, test } from 'vitest';
import { hostBelow, isPublicBase, isWithin, parseBaseDomain } from './base-domain.ts';

test('a base domain is written with or without its star', () => {
  expect(parseBaseDomain('*.Apps.Example.com')).toBe('apps.example.com');
  expect(parseBaseDomain('apps.bücher.example')).toBe('apps.xn--bcher-kva.example');
  expect(parseBaseDomain('apps.localhost')).toBe('apps.localhost');
});

test.each(['', '*', 'com', '*.*.example.com', '192.0.2.1', 'https://a.example', `${'a.'.repeat(100)}com`])(
  'refuses %j',
  (text) => {
    expect(() => parseBaseDomain(text)).toThrow(/baseDomain/);
  },
);

test('the label of a host below it stays within 63 characters', () => {
  expect(hostBelow('apps.example.com', 'web-1a2b3c')).toBe('web-1a2b3c.apps.example.com');
  expect(hostBelow('apps.example.com', 'a'.repeat(80)).split('.')[0]).toHaveLength(63);
});

test('what is within it, and what gets certificates', () => {
  expect([isWithin('a.example', 'b.a.example'), isWithin('a.example', 'a.example')]).toEqual([true, true]);
  expect(isWithin('a.example', 'ba.example')).toBe(false);
  expect([isPublicBase('a.example'), isPublicBase('apps.localhost')]).toEqual([true, false]);
});
