/** What stands in an answer for a secret that its reader may not see (decisions 2). */
import { parseEnv } from '../variables/dotenv.ts';
import { AppError } from '../errors.ts';
import { dots } from './secret-patterns.ts';

/** Dots for a value; nothing for nothing, so that one sees whether there is a secret. */
export function maskText(value: string): string {
  return value === '' ? '' : dots;
}

/**
 * A block of variables with its names and without their values, in its order; comments may hold secrets too,
 * and are left out. What is no such block is masked whole.
 */
export function maskLines(block: string): string {
  if (block.trim() === '') return block;
  try {
    return parseEnv(block)
      .map(({ name }) => `${name}=${dots}`)
      .join('\n');
  } catch (error) {
    if (error instanceof AppError) return dots;
    throw error;
  }
}

/**
 * Where in an input a masked value came back: the first such field with dots between levels; undefined when
 * there is none.
 */
export function findMasked(input: unknown, path = ''): string | undefined {
  if (typeof input === 'string') return input.includes(dots) ? path : undefined;
  if (typeof input !== 'object' || input === null) return undefined;
  for (const [name, value] of Object.entries(input)) {
    const found = findMasked(value, path === '' ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
