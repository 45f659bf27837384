/**
 * How much a run tries, as bin/test tells its projects: `--long` for the whole, `--seed N` for the same
 * choice again.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createRandom } from '../fuzz/random.ts';

/** Names of the environment variables; test/run.ts sets the first two, `npm run check` the third. */
export const modeVariables = {
  long: 'BERTH_TEST_LONG',
  seed: 'BERTH_TEST_SEED',
  quick: 'BERTH_TEST_QUICK',
} as const;

export interface Mode {
  isLong: boolean;
  /** Of whatever is chosen at random, 0 to 2^32 - 1. */
  seed: number;
}

export const largestSeed = 2 ** 32 - 1;
export const newSeed = (): number => Math.floor(Math.random() * 2 ** 32);

/** The seed as somebody wrote it; throws with the limits in a sentence. */
export function parseSeed(text: string): number {
  const seed = z.coerce
    .number()
    .int()
    .min(0)
    .max(largestSeed)
    .safeParse(text.trim() === '' ? NaN : text);
  if (!seed.success)
    throw new Error(`--seed takes a whole number from 0 to ${largestSeed}, and was given "${text}".`);
  return seed.data;
}

/** Without a word from bin/test (vitest started by hand) it is the ordinary run, with a seed of its own. */
export function modeOf(environment: NodeJS.ProcessEnv = process.env): Mode {
  const seed = environment[modeVariables.seed];
  return {
    isLong: environment[modeVariables.long] === '1',
    seed: seed === undefined ? newSeed() : parseSeed(seed),
  };
}

/** The projects whose tests are quick, or are with `modeVariables.quick`. */
export const quickProjects = ['unit', 'store'] as const;

/** Whether store tests run on SQLite alone, and those of `longerStores` not at all. */
export const isQuick = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  environment[modeVariables.quick] === '1';

/** One in `share` of the items by the random numbers, in their order; at least one. */
export function sampleOf<T>(items: readonly T[], share: number, next: () => number): T[] {
  const numbered = items.map((_, index) => ({ index, by: next() }));
  const chosen = numbered
    .toSorted((one, other) => one.by - other.by)
    .slice(0, Math.max(1, Math.round(items.length / share)))
    .map(({ index }) => index);
  return chosen.toSorted((one, other) => one - other).flatMap((index) => items.slice(index, index + 1));
}

/**
 * What of a list this run takes: one in `share`, in their order and at least one, by the seed; all with
 * `--long`, and all in a file that vitest was told to run by hand.
 */
export function ofThisRun<T>(items: readonly T[], share: number, environment = process.env): readonly T[] {
  if (isWhole(environment)) return items;
  return sampleOf(items, share, createRandom(modeOf(environment).seed).next);
}

/** Whether this run takes what has the name: one in `share` of all names, by its seed; all with `--long`. */
export function isOfThisRun(name: string, share: number, environment = process.env): boolean {
  if (isWhole(environment)) return true;
  const digest = createHash('sha256')
    .update(`${modeOf(environment).seed} ${name}`)
    .digest();
  return digest.readUInt32BE() % share === 0;
}

/** Whether the run leaves nothing out: with `--long`, and when vitest was started by hand. */
export const isWhole = (environment = process.env): boolean =>
  environment[modeVariables.seed] === undefined || modeOf(environment).isLong;
