/** An argument vector by the options of its word. */
import { parseArgs } from 'node:util';
import { didYouMean } from '../../../server/src/domain/text/closest.ts';
import { UsageError } from '../../usage-error.ts';
import type { Given, OptionValue } from './given.ts';
import { commonOptions, type Options, type Word } from './word.ts';

/** Throws UsageError, with the option that was meant, for what the word does not take. */
export function readArguments(word: Word, argv: readonly string[]): Given {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  const options: Options = { ...word.options, ...commonOptions };
  for (const text of own) refuseUnknown(word, options, text);
  const parsed = parse(word, options, own);
  const { length } = parsed.positionals;
  if (word.most !== undefined && length > word.most)
    throw new UsageError(
      `\`berth ${word.name}\` takes ${word.most === 0 ? 'no argument' : `at most ${word.most}`}, but there ` +
        `are ${length}: ${parsed.positionals.join(' ')}. Usage: berth ${word.name} ${word.usage}`.trimEnd(),
    );
  return {
    args: parsed.positionals,
    rest: end < 0 ? undefined : argv.slice(end + 1),
    options: parsed.values,
  };
}

function parse(
  word: Word,
  options: Options,
  argv: readonly string[],
): { positionals: string[]; values: Record<string, OptionValue> } {
  try {
    const { values, positionals } = parseArgs({
      args: argv.map(shielded),
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { short, value, multiple }]) => [
          name,
          {
            type: value === undefined ? ('boolean' as const) : ('string' as const),
            ...(short === undefined ? {} : { short }),
            multiple: multiple ?? false,
          },
        ]),
      ),
    });
    return {
      positionals: positionals.map(bare),
      values: Object.fromEntries(Object.entries(values).map(fitting)),
    };
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split('. ')[0] ?? '').replace(/\.$/, '') : '';
    throw new UsageError(`\`berth ${word.name}\`: ${why}. \`berth help ${word.name}\` shows its options.`, {
      cause,
    });
  }
}

/** Options that may be given several times are texts all; the compiler does not know it. */
function fitting([name, value]: [string, string | boolean | (string | boolean)[] | undefined]): [
  string,
  OptionValue,
] {
  if (Array.isArray(value)) return [name, value.map((one) => bare(String(one)))];
  return [name, typeof value === 'string' ? bare(value) : value];
}

/** A number below zero is a value, never options of one letter; it passes the parser behind this mark. */
const mark = '\0';
const shielded = (text: string): string => (/^-\d/.test(text) ? `${mark}${text}` : text);
const bare = (text: string): string => (text.startsWith(mark) ? text.slice(mark.length) : text);

function refuseUnknown(word: Word, options: Options, text: string): void {
  const [, name] = /^--([^=]+)/.exec(text) ?? [];
  if (name === undefined || Object.hasOwn(options, name)) return;
  const known = Object.keys(options).map((option) => `--${option}`);
  throw new UsageError(
    `\`berth ${word.name}\` takes no --${name}.${didYouMean(`--${name}`, known)} ` +
      `\`berth help ${word.name}\` shows its options.`,
  );
}
