import { expect, test } from 'vitest';
import { changedSecrets, mergedSecrets, secretBlock, secretNames, secretValuesOf } from './secret-env.ts';

const at = (now: string) => ({ field: 'secretEnv', now });

test('lines set their names, others stay, and each tells when it changed', () => {
  const first = changedSecrets('', { set: 'A=1\nB="two words"' }, at('monday'));
  const second = changedSecrets(first, { set: 'B=3\nA=1' }, at('tuesday'));
  expect(secretNames(second)).toEqual([
    { name: 'A', changedAt: 'monday' },
    { name: 'B', changedAt: 'tuesday' },
  ]);
  expect(secretBlock(second)).toBe('A=1\nB=3\n');
  expect(secretValuesOf(first)).toEqual(['1', 'two words']);
  expect(secretNames(changedSecrets(second, { remove: ['A', 'NEVER'] }, at('x')))).toEqual([
    { name: 'B', changedAt: 'tuesday' },
  ]);
  expect(changedSecrets(second, { set: null }, at('x'))).toBe('');
  expect(changedSecrets(second, { remove: ['A', 'B'] }, at('x'))).toBe('');
});

test('a line that is none is refused by its field, and too much of it', () => {
  expect(() => changedSecrets('', { set: 'no line' }, at('x'))).toThrow('secretEnv: line 1');
  expect(() => changedSecrets('', { set: `A=${'x'.repeat(500_001)}` }, at('x'))).toThrow('500000 bytes');
});

test('of two the stronger wins', () => {
  const weaker = changedSecrets('', { set: 'A=1\nB=1' }, at('x'));
  const stronger = changedSecrets('', { set: 'B=2' }, at('x'));
  expect(secretBlock(mergedSecrets(weaker, stronger))).toBe('A=1\nB=2\n');
  expect(mergedSecrets('', '')).toBe('');
});
