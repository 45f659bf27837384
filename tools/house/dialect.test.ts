import { expect, test } from 'vitest';
import { commentsOf, dialectFaults, type Wording } from './dialect.ts';

const table: readonly Wording[] = [{ name: 'What', pattern: /^What\b/, instead: 'name it', limit: 500 }];

test('comments lose their marks, and lines that follow each other are one comment', () => {
  const source = `/**
 * Reads the file
 * whole.
 */
const a = 1; // One.
// Two,
// three.

// Four.
`;
  expect(commentsOf('a.ts', source)).toEqual(['Reads the file whole.', 'One. Two, three.', 'Four.']);
});

test('more than the limit is a fault, and so is a limit that could fall', () => {
  expect(dialectFaults(['What a.', 'Reads.'], table)).toEqual([]);
  expect(dialectFaults(['What a.', 'What b.', 'Reads.'], table)).toEqual([
    'What: 666.7 of 1,000 comments, and 500 are allowed. In comments that you add, name it.',
  ]);
  expect(dialectFaults(['What a.', 'Reads.', 'Writes.', 'Sends.'], table)).toEqual([
    'What: 250.0 of 1,000 comments. Set its limit to 250, so that it stays there.',
  ]);
});
