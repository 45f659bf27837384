/**
 * The dotenv grammar (decisions 3): `NAME=value` lines, quotes, `#`, `export`, several lines inside quotes.
 */
import { badField } from '../errors.ts';
import type { AppError } from '../errors.ts';

export interface EnvVariable {
  name: string;
  value: string;
  /** As it stands, inside its quotes. */
  raw: string;
  quote: '' | '"' | "'" | '`';
  /** Where it stands; the first line is 1. */
  line: number;
}

/**
 * The variables of a block in their order; of a name given twice the last one counts and both are listed.
 * - Without quotes a value ends at the line's end or at a `#` after a blank, and is trimmed.
 * - In "double quotes" `\n`, `\r`, `\t`, `\"`, `\\` are escapes; in 'single quotes' and `backticks`
 *   everything is literal; all may hold line breaks. Throws BAD_REQUEST naming `field` and the line; a
 *   sentence never repeats a value, since values are secret.
 */
export function parseEnv(text: string, field = 'env', grammar: EnvGrammar = 'block'): EnvVariable[] {
  return parseEnvLines(text, field, grammar).flatMap(({ variable }) => variable ?? []);
}

/**
 * `file` is the grammar of docker compose's env files (compose-go, dotenv/parser.go): a colon does for the
 * equals sign, and a line may have a name alone, whose value is then taken from elsewhere.
 */
export type EnvGrammar = 'block' | 'file';

/** A line of a block, or the several of a value in quotes. */
export interface EnvLine {
  /** As it stands there, without the end of the line. */
  text: string;
  /** Undefined for a comment and an empty line. */
  variable: EnvVariable | undefined;
}

/** The same with every line of the block, to write it again with changes. */
export function parseEnvLines(text: string, field = 'env', grammar: EnvGrammar = 'block'): EnvLine[] {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const nul = source.indexOf('\0');
  if (nul !== -1)
    throw badField(
      field,
      `line ${countLines(source, 0, nul) + 1}: contains a NUL character, which no variable can carry`,
    );
  const lines: EnvLine[] = [];
  let at = 0;
  let line = 1;
  while (at < source.length) {
    const read = readLine(source, at, grammar, (what) => badField(field, `line ${line}: ${what}`));
    const end = Math.min(read.next - 1, source.length);
    lines.push({
      text: source.slice(at, end > at && source[end - 1] === '\r' ? end - 1 : end),
      variable: read.variable && { ...read.variable, line },
    });
    line += countLines(source, at, read.next);
    at = read.next;
  }
  return lines;
}

/** A block that any dotenv reader understands; `parseEnv` gives the same variables back. */
export function formatEnv(variables: Record<string, string>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${quoteValue(value)}\n`)
    .join('');
}

interface ReadLine {
  variable: Omit<EnvVariable, 'line'> | undefined;
  next: number;
}

type Fail = (what: string) => AppError;

const heads = {
  block: /[ \t]*(?:export[ \t]+)?([^=\r\n]*?)[ \t]*=[ \t]*/y,
  file: /[ \t]*(?:export[ \t]+)?([^=:\r\n]*?)[ \t]*[=:][ \t]*/y,
} satisfies Record<EnvGrammar, RegExp>;
const separators = { block: /=/g, file: /[=:]/g } satisfies Record<EnvGrammar, RegExp>;
const nameAlone = /^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]{0,1000})$/;
const namePattern = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

function readLine(source: string, at: number, grammar: EnvGrammar, fail: Fail): ReadLine {
  const end = lineEnd(source, at);
  const whole = end === at ? '' : source.slice(at, end).trim();
  if (whole === '' || whole.startsWith('#')) return { variable: undefined, next: end + 1 };
  const separator = separators[grammar];
  separator.lastIndex = at;
  const equals = separator.exec(source)?.index ?? -1;
  if (equals === -1 || equals >= end) {
    const alone = grammar === 'file' ? nameAlone.exec(whole)?.[1] : undefined;
    if (alone === undefined) throw fail('has no "="; write NAME=value');
    return { variable: { name: alone, value: '', raw: `\${${alone}}`, quote: '' }, next: end + 1 };
  }
  if (equals - at > 1024) throw fail('has a name of more than 1,000 characters');
  const head = heads[grammar];
  head.lastIndex = at;
  const name = head.exec(source)?.[1] ?? '';
  if (!namePattern.test(name))
    throw fail(
      'has no valid name before "="; a name has letters, digits, "_", "." and "-" and begins with a ' +
        'letter or "_"',
    );
  const start = head.lastIndex;
  const quote = source.charAt(start);
  if (quote === '"' || quote === "'" || quote === '`') {
    const { next, ...read } = readQuoted(source, start, quote, fail);
    return { variable: { name, quote, ...read }, next };
  }
  // docker compose takes the blanks behind the sign away before it looks for a comment.
  const plain = source.slice(grammar === 'file' ? Math.min(start, end) : equals + 1, end);
  const comment = plain.search(/[ \t]#/);
  const value = (comment === -1 ? plain : plain.slice(0, comment)).trim();
  return { variable: { name, value, raw: value, quote: '' }, next: end + 1 };
}

function readQuoted(
  source: string,
  start: number,
  quote: string,
  fail: Fail,
): { value: string; raw: string; next: number } {
  let at = start + 1;
  while (at < source.length && source[at] !== quote) at += source[at] === '\\' && quote === '"' ? 2 : 1;
  if (at >= source.length) throw fail(`opens a quote (${quote}) that is never closed`);
  const raw = source.slice(start + 1, at).replaceAll('\r\n', '\n');
  const end = lineEnd(source, at + 1);
  if (!/^[ \t\r]*(?:#.*)?$/.test(source.slice(at + 1, end)))
    throw fail(`has text after the closing quote (${quote})`);
  return {
    raw,
    value:
      quote === '"' ? raw.replace(/\\([nrt"\\])/g, (_, letter: string) => escapes[letter] ?? letter) : raw,
    next: end + 1,
  };
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end;
}

function countLines(source: string, from: number, to: number): number {
  let count = 0;
  for (let at = source.indexOf('\n', from); at !== -1 && at < to; at = source.indexOf('\n', at + 1))
    count += 1;
  return count;
}

/** The value so that `parseEnv` reads it back. */
export function quoteValue(value: string): string {
  if (/^[A-Za-z0-9_./:@%+,=-]*$/.test(value)) return value;
  if (!value.includes("'") && !value.includes('\r')) return `'${value}'`;
  return `"${value.replace(/[\\"\r]/g, (letter) => (letter === '\r' ? '\\r' : `\\${letter}`))}"`;
}
