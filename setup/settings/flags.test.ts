import { expect, it } from 'vitest';
import { parseUpFlags } from './flags.ts';

it('reads the flags in any order', () => {
  expect(parseUpFlags([])).toEqual({ example: false, json: false });
  expect(parseUpFlags(['--json', '--example'])).toEqual({ example: true, json: true });
  expect(parseUpFlags(['--restore', '--json', '--json'])).toEqual({
    example: false,
    json: true,
    restore: '--json',
  });
  expect(parseUpFlags(['--adopt', '--give-up', 'k3'])).toMatchObject({ adopt: true, giveUp: 'k3' });
  expect(() => parseUpFlags(['--give-up'])).toThrow('Give --give-up the name');
  expect(() => parseUpFlags(['--restore'])).toThrow('Give --restore the path');
});

it.each([['--exmple'], ['example'], [''], ['--json=1'], ['toString']])('refuses %j and names it', (word) => {
  expect(() => parseUpFlags(['--json', word])).toThrow(`"${word}"`);
});
