/** Variables in a compose file (compose-spec, Interpolation): `$NAME`, `${NAME}`, `${NAME:-default}`, `${NAME-default}`, `${NAME:?sentence}`, `${NAME?sentence}`, `${NAME:+other}`, `${NAME+other}`, `$$`; and Berth's references `${{…}}`. Pure. */
import { badField } from '../../../domain/errors.ts';

export interface Variables {
  values: Readonly<Record<string, string>>;
  /** The value of `${{inner}}`; throws what is wrong with it. */
  reference(inner: string, where: string): string;
  field: string;
}

export interface Interpolated {
  value: unknown;
  /** Names without value or default, each with the first place that has it. */
  unset: ReadonlyMap<string, string>;
}

const maxDepth = 64;
/** What all values together may grow to. */
const maxSize = 1024 * 1024;

/** The value with the variables of all texts in it put in; names of keys stay. Throws BAD_REQUEST naming the place. */
export function interpolate(value: unknown, where: string, variables: Variables): Interpolated {
  const unset = new Map<string, string>();
  const state = { size: 0 };
  const inside = (item: unknown, at: string, depth: number): unknown => {
    if (depth > maxDepth) throw badField(variables.field, `${at} is nested too deep`);
    if (typeof item === 'string') {
      if (!item.includes('$')) return item;
      const text = createReader(item, at, variables, unset).read();
      state.size += text.length;
      if (state.size > maxSize)
        throw badField(variables.field, `${at} makes the file larger than 1 MiB by its variables`);
      return text;
    }
    if (Array.isArray(item)) return item.map((each, index) => inside(each, `${at}.${index}`, depth + 1));
    if (item instanceof Map)
      return new Map(
        [...item].map(([key, each]) => [
          key,
          inside(each, at === '' ? String(key) : `${at}.${String(key)}`, depth + 1),
        ]),
      );
    return item;
  };
  return { value: inside(value, where, 0), unset };
}

const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const dollar = /\$/y;
const operator = /:?[-?+]/y;

/** Reads one text from left to right; defaults may hold variables in turn. */
function createReader(
  text: string,
  where: string,
  { values, reference, field }: Variables,
  unset: Map<string, string>,
): { read(): string } {
  let at = 0;
  const fail = (what: string): never => {
    throw badField(field, `${where} ${what} (write $$ for a dollar sign)`);
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };

  /** Up to the end of the text, or to the brace that closes; `counts` is false in a part that is not used. */
  function until(closing: boolean, counts: boolean, depth: number): string {
    if (depth > maxDepth) fail('has variables nested too deep');
    let out = '';
    while (at < text.length) {
      const character = text.charAt(at);
      if (closing && character === '}') return out;
      at += 1;
      out += character === '$' ? variable(counts, depth) : character;
    }
    if (closing) fail('has a "${" that is never closed');
    return out;
  }

  function variable(counts: boolean, depth: number): string {
    if (match(dollar) !== undefined) return '$';
    if (text.startsWith('{{', at)) return berthReference(counts);
    const plain = match(name);
    if (plain !== undefined) return valueOf(plain, counts);
    if (!text.startsWith('{', at)) fail('has a "$" with no name of a variable after it');
    at += 1;
    const braced = match(name) ?? fail('has a "${" with no name of a variable after it');
    const what = match(operator);
    const present = Object.hasOwn(values, braced) ? values[braced] : undefined;
    const isSet = present !== undefined && (what?.length !== 2 || present !== '');
    const kind = what?.at(-1);
    const isUsed = counts && (kind === '+' ? isSet : !isSet);
    const word = what === undefined ? '' : until(true, isUsed, depth + 1);
    if (!text.startsWith('}', at)) fail('has a "${" that is never closed');
    at += 1;
    if (kind === '-') return isSet ? present : word;
    if (kind === '+') return isSet ? word : '';
    if (kind === '?' && counts && !isSet)
      throw badField(field, `${where} needs the variable ${braced}${word === '' ? '' : `: ${word}`}`);
    return valueOf(braced, counts);
  }

  function berthReference(counts: boolean): string {
    const end = text.indexOf('}}', at);
    if (end === -1) fail('has a "${{" that is never closed');
    const inner = text.slice(at + 2, end).trim();
    at = end + 2;
    return counts ? reference(inner, where) : '';
  }

  function valueOf(wanted: string, counts: boolean): string {
    const present = Object.hasOwn(values, wanted) ? values[wanted] : undefined;
    if (present === undefined && counts && !unset.has(wanted)) unset.set(wanted, where);
    return present ?? '';
  }

  return { read: () => until(false, true, 0) };
}
