import { UsageError } from './usage-error.ts';

/** What was written for one field: its texts in order, or that it was switched off with `--no-<field>`. */
export type Flag = { texts: readonly string[] } | { off: true };

export interface Flags {
  /** Words that belong to no flag. */
  words: readonly string[];
  flags: ReadonlyMap<string, Flag>;
}

/**
 * Takes an argument vector apart: `--field value`, `--field=value`, a bare `--field` (true), `--no-field`,
 * and a field more than once. A value that begins with `--` is written as `--field=--value`.
 */
export function readFlags(argv: readonly string[]): Flags {
  const words: string[] = [];
  const flags = new Map<string, Flag>();
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (!word.startsWith('--')) {
      words.push(word);
      continue;
    }
    const [, name = '', , written] = /^--([^=]+)(=([\s\S]*))?$/.exec(word) ?? [];
    if (name === '') throw new UsageError(`"${word}" is not an option. Options look like --field value.`);
    if (written === undefined && name.startsWith('no-')) {
      flags.set(name.slice(3), { off: true });
      continue;
    }
    const next = argv[index + 1];
    const isBare = written === undefined && (next === undefined || next.startsWith('--'));
    if (written === undefined && !isBare) index += 1;
    const earlier = flags.get(name);
    flags.set(name, {
      texts: [
        ...(earlier && 'texts' in earlier ? earlier.texts : []),
        isBare ? 'true' : (written ?? next ?? ''),
      ],
    });
  }
  return { words, flags };
}

/** The last text of an option that takes one; undefined when it is absent. */
export function textOf(flags: Flags, name: string): string | undefined {
  const flag = flags.flags.get(name);
  return flag && 'texts' in flag ? flag.texts.at(-1) : undefined;
}
