/**
 * String constants of SQL on their way to psql. Settings decide whether a backslash escapes the sign behind
 * it, and a dump may change them in ways that nobody can see in its text: one with backslashes is written as
 * `E'…'`, which every reader takes for the same.
 */

/** How a quote begins a string constant, by the two signs before it. */
export type StringKind =
  /** Nothing before it: the settings decide. */
  | 'plain'
  /** `E'…'` */
  | 'escaped'
  /** `B'…'`, `U&'…'`, `date'…'`: a sign before it belongs to it, or readers differ whether it does. */
  | 'marked'
  /** After another string: a part of it where a line break stands between. */
  | 'continued';

export interface StringConstant {
  kind: StringKind;
  /** Whether a backslash escapes the sign behind it. */
  hasEscapes: boolean;
  /** What is not written yet. */
  held: string;
  isBegun: boolean;
  /** The last sign that was read. */
  last: string;
}

/** The most of a string that is held before it is written. */
const heldLimit = 64 * 1024;

export function stringKind(before: string, followsString: boolean): StringKind {
  if (followsString) return 'continued';
  if (/(^|[^\w$\x80-\xff])e$/i.test(before)) return 'escaped';
  return /[\w$\x80-\xff]$|u&$/i.test(before) ? 'marked' : 'plain';
}

export function beginString(kind: StringKind, escapesAlways: boolean): StringConstant {
  const hasEscapes = kind === 'escaped' || (kind === 'plain' && escapesAlways);
  return { kind, hasEscapes, held: '', isBegun: false, last: '' };
}

/**
 * Takes the next signs, up to a quote or within the string. Returns what can be written of it; undefined for
 * a string that readers with other settings would end elsewhere.
 */
export function takeString(string: StringConstant, text: string, isQuoteNext: boolean): string | undefined {
  const { kind } = string;
  string.held += text;
  string.last = text.at(-1) ?? string.last;
  if (kind === 'continued' && text.includes('\\')) return undefined;
  if (kind === 'marked' && isQuoteNext && string.last === '\\') return undefined;
  return string.held.length > heldLimit ? written(string, true) : '';
}

/** The rest of it, with its closing quote. */
export function endString(string: StringConstant): string {
  return `${written(string, string.held.includes('\\'))}'`;
}

function written(string: StringConstant, isExplicit: boolean): string {
  const { kind, hasEscapes, isBegun, held } = string;
  const doubles = kind === 'plain' && !hasEscapes;
  const beginning = isBegun ? '' : kind === 'plain' && isExplicit ? "E'" : "'";
  string.held = '';
  string.isBegun = true;
  return beginning + (doubles ? held.replaceAll('\\', '\\\\') : held);
}
