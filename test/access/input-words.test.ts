/** What is said of bad input is said in our own words, whatever procedure it was meant for. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../server/src/domain/errors.ts';
import { parseInput } from '../../server/src/procedure/input/input.ts';
import { procedures } from '../e2e/fixtures/caller.ts';

const long = 'x'.repeat(70_000);
const wrong: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e12,
  '',
  'x',
  long,
  [],
  [null],
  [long],
  {},
  { x: 1 },
];

/** What the schema's own library says: nobody who deploys a service should have to know it. */
const ofTheLibrary = /\b(expected|received)\b|Too (big|small)|^Invalid|^Unrecognized|\bundefined\b|[<>]=?\d/;

function messagesOf(schema: z.ZodType, input: unknown): string[] {
  try {
    parseInput(schema, input);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [error.message, ...(error.issues ?? []).map(({ message }) => message)];
  }
}

it('no field of any procedure is refused in the words of the schema library', () => {
  let refused = 0;
  const found = new Set<string>();
  for (const { path, procedure } of procedures) {
    const shape = procedure.input instanceof z.ZodObject ? Object.keys(procedure.input.shape) : [];
    for (const value of wrong) {
      const inputs = [value, ...shape.map((name) => ({ [name]: value }))];
      for (const message of inputs.flatMap((input) => messagesOf(procedure.input, input))) {
        refused += 1;
        if (ofTheLibrary.test(message)) found.add(`${path}: ${message.slice(0, 200)}`);
      }
    }
  }
  expect([...found].slice(0, 20)).toEqual([]);
  expect(refused).toBeGreaterThan(10_000);
});

it('limits are said with what was sent, and the text itself never is', () => {
  const schema = z.object({
    name: z.string().min(1).max(5),
    count: z.number().int().min(1).max(9),
    list: z.array(z.string()).max(2),
    kind: z.enum(['a', 'b']),
  });
  const said = (input: object): string[] =>
    messagesOf(schema, { name: 'n', count: 1, list: [], kind: 'a', ...input });
  expect(said({ name: '' })[1]).toBe('must not be empty');
  expect(said({ name: 'too long' })).toEqual([
    'The input is not valid. name: must have at most 5 characters; it has 8',
    'must have at most 5 characters; it has 8',
  ]);
  expect(said({ name: null })[1]).toBe('must be a string, not null');
  expect(said({ count: 12 })[1]).toBe('must be at most 9; it is 12');
  expect(said({ count: 1.5 })[1]).toBe('must be a whole number, not a number with a fraction');
  expect(said({ count: '1' })[1]).toBe('must be a number, not a string');
  expect(said({ list: ['a', 'b', 'c'] })[1]).toBe('must have at most 2 entries; it has 3');
  expect(said({ kind: 'secret' })[1]).toBe('must be one of "a", "b"');
});

it('whatever is shown as one line is taken as one line', () => {
  const oneLine =
    /^(name|title|username|host|hostname|region|bucket|branch|subject)$|(Name|Title|Username|Branch)$/;
  const taken: string[] = [];
  let seen = 0;
  for (const { path, procedure } of procedures) {
    if (!(procedure.input instanceof z.ZodObject)) continue;
    for (const name of Object.keys(procedure.input.shape).filter((each) => oneLine.test(each))) {
      seen += 1;
      const { error } = procedure.input.safeParse({ [name]: 'first\nsecond' });
      if (!error?.issues.some((issue) => issue.path[0] === name)) taken.push(`${path}: ${name}`);
    }
  }
  expect(taken).toEqual([]);
  expect(seen).toBeGreaterThan(50);
});
