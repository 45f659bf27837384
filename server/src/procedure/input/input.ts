/**
 * Input becomes typed here and nowhere else: schema, coercion of query-string values, and the refusal of text
 * that cannot be kept as it is.
 */
import { z } from 'zod';
import { AppError, type Issue } from '../../domain/errors.ts';
import { findMasked } from '../../domain/secrets/mask.ts';
import { isRequired, wordsOf } from './input-words.ts';

/** Parses the raw input; throws BAD_REQUEST with one issue per fault. */
export function parseInput(schema: z.ZodType, raw: unknown): unknown {
  const broken = findBroken(raw, '');
  if (broken !== undefined) throw invalid([broken]);
  const parsed = schema.safeParse(raw ?? {}, { error: wordsOf });
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues.map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message })),
  );
}

/**
 * A secret that its reader saw as dots must not be stored as dots; throws BAD_REQUEST naming the field.
 * `input` was parsed: what nobody takes may hold them.
 */
export function refuseMasked(input: unknown): void {
  const path = findMasked(input);
  if (path !== undefined)
    throw invalid([
      {
        path,
        message:
          'holds ••••, which stands for a secret that you may not read; leave the field out to keep ' +
          'it, or give a new value',
      },
    ]);
}

function invalid(issues: Issue[]): AppError {
  const [first] = issues;
  return new AppError('BAD_REQUEST', `The input is not valid. ${first ? sentenceOf(first) : ''}`.trim(), {
    issues,
  });
}

function sentenceOf({ path, message }: Issue): string {
  if (path === '') return `It ${message}.`;
  return message === isRequired ? `${path} is required.` : `${path}: ${message}`;
}

/** No input of ours has more levels; deeper ones would only exhaust the stack of whoever walks them. */
const deepest = 32;

/**
 * No engine, file or database of ours takes a NUL inside text, and half a surrogate pair would be stored as
 * another character; the field that holds one is named.
 */
function findBroken(value: unknown, path: string, depth = 0): Issue | undefined {
  if (typeof value === 'string') return faultOf(value, path);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > deepest)
    return { path: path.slice(0, 100), message: `is nested more than ${deepest} levels deep` };
  for (const [key, item] of Object.entries(value)) {
    const found = faultOf(key, path) ?? findBroken(item, path === '' ? key : `${path}.${key}`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function faultOf(text: string, path: string): Issue | undefined {
  if (text.includes('\0')) return { path, message: 'must not contain the NUL character' };
  return text.isWellFormed()
    ? undefined
    : { path, message: 'must be well-formed Unicode; it holds half of a surrogate pair' };
}

/**
 * Query-string parameters arrive as text; numbers, booleans and one-value arrays take their schema's type
 * (decisions 1).
 */
export function coerceQuery(
  schema: z.ZodType,
  parameters: Record<string, string | string[]>,
): Record<string, unknown> {
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      coerce(Object.hasOwn(shape, name) ? shape[name] : undefined, value),
    ]),
  );
}

function coerce(schema: unknown, value: string | string[]): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray) return Array.isArray(value) ? value : [value];
  const single = Array.isArray(value) ? (value.at(-1) ?? '') : value;
  if (inner instanceof z.ZodNumber)
    return single.trim() === '' || Number.isNaN(Number(single)) ? single : Number(single);
  if (inner instanceof z.ZodBoolean) return single === 'true' ? true : single === 'false' ? false : single;
  return single;
}

function unwrap(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault)
    inner = inner.unwrap();
  return inner;
}
