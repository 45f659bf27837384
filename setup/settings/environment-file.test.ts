import { expect, it } from 'vitest';
import { formatEnvironment, parseEnvironment } from './environment-file.ts';

it('writes names in order and reads back every value as it was', () => {
  const variables = {
    B: 'plain',
    A: 'quote " back \\ tick ` dollar $HOME',
    EMPTY: '',
    URL: "postgres://u:p'w@h/db?x=1#y",
  };
  const text = formatEnvironment(variables);
  expect(text.split('\n')[0]).toBe('A="quote \\" back \\\\ tick \\` dollar \\$HOME"');
  expect(parseEnvironment(text)).toEqual(variables);
});

it('skips what it did not write', () => {
  expect(parseEnvironment('# a comment\n\nA=unquoted\nB="x"\n')).toEqual({ B: 'x' });
});

it('refuses a value that would become two lines', () => {
  expect(() => formatEnvironment({ DATABASE_URL: 'a\nBERTH_DATA=/' })).toThrow(
    'DATABASE_URL contains a line break',
  );
});
