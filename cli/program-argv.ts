/**
 * Argument vectors of programs that the command line starts on the user's machine. Values that others wrote
 * (names, addresses, keys) are marked, and can never be read as an option.
 */
import { UsageError } from './usage-error.ts';

declare const checked: unique symbol;

/** Only `programArgv` makes one. */
export type ProgramArgv = readonly [string, ...string[]] & { readonly [checked]: true };

export interface Theirs {
  theirs: string;
  /** The option that it is the value of, in one word with it: `--user=VALUE`. */
  option: string | undefined;
}

/** A value of an option, in one word with it. */
export const theirOption = (option: `--${string}`, value: string): Theirs => ({ theirs: value, option });

/** A word of its own, which must not look like an option. */
export const theirWord = (value: string): Theirs => ({ theirs: value, option: undefined });

/** Plain texts are the command line's own. Throws UsageError for a value that no program can take. */
export function programArgv(program: string, ...words: readonly (string | Theirs)[]): ProgramArgv {
  const argv = [program, ...words.map((word) => (typeof word === 'string' ? word : wordOf(word)))];
  return argv as unknown as ProgramArgv;
}

function wordOf({ theirs, option }: Theirs): string {
  if (theirs.includes('\0')) throw new UsageError('A value for another program has a NUL character in it.');
  if (option !== undefined) return `${option}=${theirs}`;
  if (theirs.startsWith('-'))
    throw new UsageError(
      `${JSON.stringify(theirs)} begins with "-", so a program would take it for an option.`,
    );
  return theirs;
}
