import { expect, test } from 'vitest';
import { sentence, wrapped } from './wrap.ts';

test('a line is broken at spaces, and a longer word has its own', () => {
  expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapped('see https://berth.example.com now', 10)).toEqual([
    'see',
    'https://berth.example.com',
    'now',
  ]);
  // Wide letters take two columns each.
  expect(wrapped('日本 日本', 8)).toEqual(['日本', '日本']);
  expect(wrapped('', 8)).toEqual(['']);
});

test('sentences are broken on a terminal only, and those of a list stand below their first word', () => {
  expect(sentence('one two three', { isTerminal: false, columns: 7 })).toBe('one two three');
  expect(sentence('· one two three\nfour', { isTerminal: true, columns: 9 })).toBe(
    '· one two\n  three\nfour',
  );
  expect(sentence('name \u001B[2J of another', { isTerminal: true, columns: 80 })).toBe('name  of another');
});
