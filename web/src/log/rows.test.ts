import { expect, it } from 'vitest';
import { createRowCounter, rowsOf, unwrapped, type Room } from './rows.ts';

/** Letters of East Asia take two cells, accents none. */
const room = (columns: number): Room => ({
  columns,
  widthOf: (letter) => (letter >= '\u2e80' ? 2 : letter === '\u0301' ? 0 : 1),
});
const lines = (...texts: string[]) => texts.map((text) => ({ text }));

it('a line takes as many rows as its cells need, and never none', () => {
  expect(rowsOf('', room(10))).toBe(1);
  expect(rowsOf('0123456789', room(10))).toBe(1);
  expect(rowsOf('0123456789a', room(10))).toBe(2);
  expect(rowsOf('\u001b[31m0123456789\u001b[0m', room(10))).toBe(1);
  expect(rowsOf('港港港港港', room(9))).toBe(2);
  // Two cells each, and a tab to the next stop.
  expect(rowsOf('港港港港港港', room(10))).toBe(2);
  expect(rowsOf('a\tb', room(4))).toBe(2);
  expect(rowsOf('e\u0301'.repeat(10), room(10))).toBe(1);
});

it('finds the line of a row, and the row of a line', () => {
  const rows = createRowCounter(room(4)).count(lines('abcd', 'abcdefgh', '', 'abcdefghi'), undefined);
  expect(rows.total).toBe(7);
  expect([0, 1, 2, 3, 4].map(rows.begin)).toEqual([0, 1, 3, 4, 7]);
  expect([0, 1, 2, 3, 4, 5, 6, 99].map(rows.at)).toEqual([0, 1, 1, 2, 3, 3, 3, 3]);
});

it('counts what is added, what a filter leaves, and lines that took the place of others', () => {
  const counter = createRowCounter(room(4));
  const growing = lines('abcd');
  expect(counter.count(growing, undefined).total).toBe(1);
  growing.push({ text: 'abcdefgh' });
  expect(counter.count(growing, undefined).total).toBe(3);
  expect(counter.count(growing, [1]).total).toBe(2);
  expect(counter.count(growing, undefined).total).toBe(3);
  expect(counter.count(lines('abcdefghijklm'), undefined).total).toBe(4);
  expect(counter.count([], undefined).total).toBe(0);
});

it('grows beyond what it began with', () => {
  const many = lines(...Array.from({ length: 5000 }, () => 'abcde'));
  const rows = createRowCounter(room(4)).count(many, undefined);
  expect([rows.total, rows.begin(4999), rows.at(9998)]).toEqual([10_000, 9998, 4999]);
});

it('without wrapping a row is a line', () => {
  const rows = unwrapped(3);
  expect([rows.total, rows.begin(2), rows.begin(9), rows.at(1.5), rows.at(9)]).toEqual([3, 2, 3, 1, 2]);
});
