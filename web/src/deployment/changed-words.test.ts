import { expect, it } from 'vitest';
import { wordsOf } from './changed-words.ts';

it('names variables, and not the block that they stand in', () => {
  expect(wordsOf(['env', 'env.COLOUR', 'env.SIZE', 'memoryLimit', 'memoryLimit'])).toEqual([
    'COLOUR',
    'SIZE',
    'Memory limit',
  ]);
});

it('names a block of which no variable is told', () => {
  expect(wordsOf(['env'])).toEqual(['Env']);
});
