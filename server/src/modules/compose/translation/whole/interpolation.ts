/**
 * Variables in a compose file (compose-spec, Interpolation): `$NAME`, `${NAME}`, `${NAME:-default}`,
 * `${NAME-default}`, `${NAME:?sentence}`, `${NAME?sentence}`, `${NAME:+other}`, `${NAME+other}`, `$$`; any
 * other `$` stays as it is; and Berth's references `${{…}}`. Pure.
 */
import { badField } from '../../../../domain/errors.ts';
import { resetValue, withTagOf } from '../../compose-file.ts';

export interface Variables {
  values: Readonly<Record<string, string>>;
  /** What a name that is not among the values means at a place. */
  unsaid?(name: string, where: string): string | undefined;
  /** The value of `${{inner}}`; throws what is wrong with it. */
  reference(inner: string, where: string): string;
  field: string;
}

export interface Interpolated {
  value: unknown;
  /** Names without value or default, each with the places that have it. */
  unset: ReadonlyMap<string, readonly string[]>;
}

const maxDepth = 64;
/** What all values together may grow to. */
const maxSize = 1024 * 1024;

/**
 * The value with the variables of all texts in it put in; names of keys stay. Throws BAD_REQUEST naming the
 * place.
 */
export function interpolate(value: unknown, where: string, variables: Variables): Interpolated {
  const unset = new Map<string, string[]>();
  const state = { size: 0 };
  const inside = (item: unknown, at: string, depth: number): unknown => {
    if (depth > maxDepth) throw badField(variables.field, `${at} is nested too deep`);
    if (typeof item === 'string') {
      if (!item.includes('$')) return item;
      const text = readAll({ ...variables, text: item, where: at, at: 0, unset }, true, 0);
      state.size += text.length;
      if (state.size > maxSize)
        throw badField(variables.field, `${at} makes the file larger than 1 MiB by its variables`);
      return text;
    }
    if (item === resetValue) return item;
    if (Array.isArray(item))
      return withTagOf(
        item,
        item.map((each, index) => inside(each, `${at}.${index}`, depth + 1)),
      );
    if (item instanceof Map)
      return withTagOf(
        item,
        new Map(
          [...item].map(([key, each]) => [
            key,
            inside(each, at === '' ? String(key) : `${at}.${String(key)}`, depth + 1),
          ]),
        ),
      );
    return item;
  };
  return { value: inside(value, where, 0), unset };
}

const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const dollar = /\$/y;
const operator = /:?[-?+]/y;

/** One text that is read from left to right. */
interface Reading extends Variables {
  text: string;
  where: string;
  at: number;
  unset: Map<string, string[]>;
}

function fail({ field, where }: Reading, what: string): never {
  throw badField(field, `${where} ${what} (write $$ for a dollar sign)`);
}

function match(reading: Reading, pattern: RegExp): string | undefined {
  pattern.lastIndex = reading.at;
  const found = pattern.exec(reading.text)?.[0];
  if (found !== undefined) reading.at += found.length;
  return found;
}

/** Up to the end of the text; `counts` is false in a part that is not used. */
function readAll(reading: Reading, counts: boolean, depth: number): string {
  if (depth > maxDepth) fail(reading, 'has variables nested too deep');
  let out = '';
  while (reading.at < reading.text.length) {
    const character = reading.text.charAt(reading.at);
    reading.at += 1;
    out += character === '$' ? readVariable(reading, counts, depth) : character;
  }
  return out;
}

/**
 * What stands up to the brace that closes the variable, itself read for variables: a default may hold them,
 * and braces of its own in pairs, as in JSON (compose-go, getFirstBraceClosingIndex).
 */
function readWord(reading: Reading, counts: boolean, depth: number): string {
  const { text, at } = reading;
  let open = 1;
  let end = at;
  for (; end < text.length; end += 1) {
    if (text[end] === '{') open += 1;
    if (text[end] === '}') open -= 1;
    if (open === 0) break;
  }
  if (open > 0) end = text.lastIndexOf('}');
  if (end < at) fail(reading, 'has a "${" that is never closed');
  reading.at = end + 1;
  return readAll({ ...reading, text: text.slice(at, end), at: 0 }, counts, depth);
}

function readVariable(reading: Reading, counts: boolean, depth: number): string {
  const { text, where, field } = reading;
  if (match(reading, dollar) !== undefined) return '$';
  if (text.startsWith('{{', reading.at)) return readReference(reading, counts);
  const plain = match(reading, name);
  if (plain !== undefined) return valueOf(reading, plain, counts);
  // compose-go (template.DefaultPattern) keeps a dollar sign that begins no variable.
  if (!text.startsWith('{', reading.at)) return '$';
  reading.at += 1;
  const braced = match(reading, name) ?? fail(reading, 'has a "${" with no variable name after it');
  const what = match(reading, operator);
  const present = lookUp(reading, braced);
  const isSet = present !== undefined && (what?.length !== 2 || present !== '');
  const kind = what?.at(-1);
  const isUsed = counts && (kind === '+' ? isSet : !isSet);
  if (what === undefined && !text.startsWith('}', reading.at))
    fail(reading, 'has a "${" that is never closed');
  const word = readWord(reading, isUsed, depth + 1);
  if (kind === '-') return isSet ? present : word;
  if (kind === '+') return isSet ? word : '';
  if (kind === '?' && counts && !isSet)
    throw badField(field, `${where} needs the variable ${braced}${word === '' ? '' : `: ${word}`}`);
  return valueOf(reading, braced, counts);
}

function readReference(reading: Reading, counts: boolean): string {
  const end = reading.text.indexOf('}}', reading.at);
  if (end === -1) fail(reading, 'has a "${{" that is never closed');
  const inner = reading.text.slice(reading.at + 2, end).trim();
  reading.at = end + 2;
  return counts ? reading.reference(inner, reading.where) : '';
}

function valueOf(reading: Reading, wanted: string, counts: boolean): string {
  const present = lookUp(reading, wanted);
  if (present === undefined && counts)
    reading.unset.set(wanted, [...(reading.unset.get(wanted) ?? []), reading.where]);
  return present ?? '';
}

const lookUp = ({ values, where, ...reading }: Reading, wanted: string): string | undefined =>
  Object.hasOwn(values, wanted) ? values[wanted] : reading.unsaid?.(wanted, where);
