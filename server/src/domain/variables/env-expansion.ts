/**
 * Variables that see each other by docker compose's grammar (compose-go, dotenv and template): `$NAME`,
 * `${NAME}` and its forms with a default, outside of single quotes. Names that are not defined, and every
 * other dollar sign, stay as they are, since passwords have such. Pure.
 */
import { badField } from '../errors.ts';
import { parseEnv, parseEnvLines, quoteValue, type EnvVariable } from './dotenv.ts';

/** The value of a name; undefined where it has none. */
export type LookUp = (name: string) => string | undefined;

/** Looks a name up in each of these in turn, and in nothing that an object has by itself. */
export const lookUpIn =
  (...records: readonly Readonly<Record<string, string>>[]): LookUp =>
  (name) =>
    records.find((record) => Object.hasOwn(record, name))?.[name];

const mostBytes = 1024 * 1024;
const deepest = 16;

/**
 * The variables of an env file of docker compose, in their order. A name sees `given` first, then what stands
 * above it, and last the files before. Throws as `parseEnv`, and for values that grow beyond 1 MiB.
 */
export function readEnvFile(
  text: string,
  field: string,
  given: LookUp,
  filesBefore: LookUp = () => undefined,
): Map<string, string> {
  const found = new Map<string, string>();
  const expand = expander(field, 'file', (name) => given(name) ?? found.get(name) ?? filesBefore(name));
  for (const variable of parseEnv(text, field, 'file')) {
    const isAlone = variable.raw === `\${${variable.name}}` && variable.value === '';
    const value = isAlone ? (given(variable.name) ?? filesBefore(variable.name)) : expand(variable);
    if (value !== undefined) found.set(variable.name, value);
  }
  return found;
}

/** The variables of an env file with `format: raw`: what stands behind the first `=` of each line. */
export function readRawEnvFile(text: string, field: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const equals = line.indexOf('=');
    const name = line.slice(0, equals).trim();
    if (equals === -1 || !/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name))
      throw badField(field, `line ${index + 1}: must be NAME=value`);
    found.set(name, line.slice(equals + 1));
  }
  return found;
}

/**
 * A block of variables with what it says of its own variables, and of `given`, put in; each stays on its
 * line. Everything else is as it was.
 */
export function expandBlock(text: string, field: string, given: LookUp = () => undefined): string {
  if (!text.includes('$')) return text;
  const found = new Map<string, string>();
  const expand = expander(field, 'block', (name) => found.get(name) ?? given(name));
  const lines = parseEnvLines(text, field).map(({ text: line, variable }) => {
    if (variable === undefined) return line;
    const value = expand(variable);
    found.set(variable.name, value);
    if (value === variable.value) return line;
    const written = `${variable.name}=${quoteValue(value)}`;
    return written + '\n'.repeat(Math.max(0, breaksIn(line) - breaksIn(written)));
  });
  return lines.join('\n');
}

const breaksIn = (text: string): number => text.split('\n').length - 1;

const variable =
  /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-?+])((?:[^{}]|\$\{[^{}]*\})*))?\}|\$([A-Za-z_][A-Za-z0-9_]*)/;
const pieces = {
  plain: new RegExp(variable.source, 'g'),
  quoted: new RegExp(`\\\\[nrt"\\\\$]|${variable.source}`, 'g'),
};
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

function expander(
  field: string,
  grammar: 'file' | 'block',
  lookUp: LookUp,
): (variable: EnvVariable) => string {
  let size = 0;
  const inside = (text: string, pattern: RegExp, depth: number): string =>
    text.replace(pattern, (...found: (string | undefined)[]) => {
      const [whole = '', braced, operator, word = '', plain] = found;
      if (whole.startsWith('\\') && whole !== '\\$') return escapes[whole.charAt(1)] ?? whole;
      if (whole === '$$' || whole === '\\$') return grammar === 'file' ? '$' : whole;
      const value = chosen(lookUp(braced ?? plain ?? ''), operator);
      if (value === 'word') return depth >= deepest ? whole : inside(word, pattern, depth + 1);
      return value === 'none' ? whole : value.text;
    });
  return (variable) => {
    const { name, value, raw, quote, line } = variable;
    if (quote === "'" || quote === '`' || !raw.includes('$')) return value;
    const expanded = inside(raw, quote === '"' ? pieces.quoted : pieces.plain, 0);
    size += expanded.length;
    if (size > mostBytes)
      throw badField(field, `line ${line}: ${name} makes the variables larger than 1 MiB`);
    return expanded;
  };
}

/** What stands for `${NAME}`: its value, the word behind the operator, or nothing that is known. */
function chosen(value: string | undefined, operator: string | undefined): { text: string } | 'word' | 'none' {
  const isSet = value !== undefined && (operator?.length !== 2 || value !== '');
  switch (operator?.at(-1)) {
    case '-':
      return isSet ? { text: value } : 'word';
    case '+':
      return isSet ? 'word' : { text: '' };
    default:
      return value === undefined ? 'none' : { text: value };
  }
}
