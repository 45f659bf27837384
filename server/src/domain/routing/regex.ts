/**
 * Regular expressions that the proxy's engine takes (RE2 as Go's regexp/syntax has it;
 * https://github.com/google/re2/wiki/Syntax). Checked here, so that the person who writes one gets the reason
 * at once. What is rare and unclear (octal escapes, braces that are no repetition) is refused though Go takes
 * it.
 */
import { badField } from '../errors.ts';

export interface RegexShape {
  /** Capturing groups, named ones included. */
  groups: number;
  names: string[];
}

export const maxRegexLength = 500;

/** Go's own bound of one repetition and of repetitions inside one another. */
const maxRepeats = 1000;

/**
 * Instructions of the compiled program: what a repetition repeats counts that many times. Each takes about 40
 * bytes of the proxy's memory, for each domain.
 */
const maxSize = 10_000;

/** Throws BAD_REQUEST naming `field` for what the engine does not take, with what it is that it lacks. */
export function parseRegex(text: string, field = 'regex'): RegexShape {
  const cursor: Cursor = { text, field, at: 0, groups: 0, names: [] };
  if (text === '') refuse(cursor, 'is empty');
  if (text.length > maxRegexLength) refuse(cursor, `has more than ${maxRegexLength} characters`);
  const { size } = alternatives(cursor);
  if (cursor.at < text.length) refuse(cursor, 'has a ")" without its "("; write \\) for the character');
  if (size > maxSize)
    refuse(cursor, `repeats too much: its program would have ${size} steps, at most ${maxSize} are allowed`);
  return { groups: cursor.groups, names: cursor.names };
}

interface Cursor {
  readonly text: string;
  readonly field: string;
  at: number;
  groups: number;
  readonly names: string[];
}

interface Cost {
  size: number;
  /** The greatest product of repetitions inside one another. */
  repeats: number;
}

const single: Cost = { size: 1, repeats: 1 };

function refuse({ field }: Cursor, why: string): never {
  throw badField(field, why);
}

/** The text at the cursor, when it begins with the pattern (sticky), is taken. */
function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text) ?? undefined;
  if (found) cursor.at = pattern.lastIndex;
  return found;
}

function together(a: Cost, b: Cost): Cost {
  return { size: a.size + b.size, repeats: Math.max(a.repeats, b.repeats) };
}

function alternatives(cursor: Cursor): Cost {
  let cost = sequence(cursor);
  while (take(cursor, /\|/y)) cost = together(cost, sequence(cursor));
  return cost;
}

function sequence(cursor: Cursor): Cost {
  let cost = single;
  while (cursor.at < cursor.text.length && !/[|)]/.test(cursor.text.charAt(cursor.at)))
    cost = together(cost, repeated(cursor));
  return cost;
}

function repeated(cursor: Cursor): Cost {
  if (take(cursor, /[*+?]/y)) refuse(cursor, 'has a "*", "+" or "?" with nothing before it to repeat');
  // Flags for what follows, such as (?i).
  if (take(cursor, /\(\?[imsU]*(?:-[imsU]+)?\)/y))
    return take(cursor, /[*+?{]/y) ? refuse(cursor, 'repeats flags, which are nothing to repeat') : single;
  const cost = atom(cursor);
  const quantifier = take(cursor, /(?:[*+?]|\{(0|[1-9][0-9]{0,9})(,)?((?<=,)(?:0|[1-9][0-9]{0,9}))?\})\??/y);
  if (!quantifier) return cost;
  if (take(cursor, /[*+?{]/y))
    refuse(
      cursor,
      'has two repetitions after one another; possessive ones such as "*+" are not supported by the ' +
        "proxy's engine",
    );
  const [, min, comma, max] = quantifier;
  return min === undefined
    ? { size: cost.size + 1, repeats: cost.repeats }
    : counted(cursor, cost, {
        min: Number(min),
        max: comma === undefined || max === undefined ? Number(min) : Number(max),
      });
}

function counted(cursor: Cursor, cost: Cost, { min, max }: { min: number; max: number }): Cost {
  const times = Math.max(1, min, max);
  const repeats = cost.repeats * times;
  if (repeats > maxRepeats || min > max)
    refuse(
      cursor,
      `has a repetition like {${min},${max}} that is upside down or, with those round it, more than ` +
        `${maxRepeats} times`,
    );
  return { size: (cost.size + 1) * (times + 1), repeats };
}

function atom(cursor: Cursor): Cost {
  if (take(cursor, /\(/y)) return group(cursor);
  if (take(cursor, /\[/y)) return characterClass(cursor);
  if (take(cursor, /\{/y)) refuse(cursor, 'has a "{" that is no repetition; write \\{ for the character');
  const quoted = take(cursor, /\\Q(?!\\E)([^]+?)\\E/y);
  if (quoted) return { size: 1 + (quoted[1]?.length ?? 0), repeats: 1 };
  // Left open it would swallow what the proxy's own pattern has behind it.
  if (take(cursor, /\\Q/y)) refuse(cursor, 'has a \\Q with nothing in it or without its \\E');
  if (take(cursor, /\\[AzbBdDsSwW]/y) || take(cursor, unicodeClass)) return single;
  character(cursor);
  return single;
}

/** Groups that other engines have. */
const foreignGroups: readonly [RegExp, string][] = [
  [
    /\?<?[=!]/y,
    "has a look-around such as (?=, (?!, (?<= or (?<!, which the proxy's engine does not support",
  ],
  [
    /\?>/y,
    "has an atomic group (?>, which the proxy's engine does not support; an ordinary group is as fast there",
  ],
  [/\?P[=>]|\?[R&+0-9]|\?-[0-9]/y, "refers back to a group, which the proxy's engine does not support"],
  [/\?[<'][A-Za-z_]/y, "has a named group in another form; the proxy's engine knows (?P<name>…)"],
  [/\?/y, 'has a group that begins with "(?" in a form that the proxy\'s engine does not know'],
];

function group(cursor: Cursor): Cost {
  const named = take(cursor, /\?P<([A-Za-z0-9_]{1,50})>/y);
  if (named?.[1] !== undefined && cursor.names.includes(named[1]))
    refuse(cursor, `has two groups with the name ${named[1]}`);
  if (named?.[1] !== undefined) cursor.names.push(named[1]);
  const captures = named !== undefined || !take(cursor, /\?[imsU]*(?:-[imsU]+)?:/y);
  if (captures && !named)
    for (const [pattern, why] of foreignGroups) if (take(cursor, pattern)) refuse(cursor, why);
  if (captures) cursor.groups += 1;
  const inner = alternatives(cursor);
  if (!take(cursor, /\)/y)) refuse(cursor, 'has a "(" without its ")"; write \\( for the character');
  return { size: inner.size + 2, repeats: inner.repeats };
}

/** General categories only: addresses are ASCII, other characters stand in them percent-encoded. */
const unicodeClass =
  /\\[pP](?:[CLMNPSZ]|\{\^?(?:C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)\})/y;

const posixClass =
  /\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]/y;

function characterClass(cursor: Cursor): Cost {
  take(cursor, /\^/y);
  for (let first = true; first || !take(cursor, /\]/y); first = false) {
    if (cursor.at >= cursor.text.length)
      refuse(cursor, 'has a "[" without its "]"; write \\[ for the character');
    classItem(cursor);
  }
  return single;
}

function classItem(cursor: Cursor): void {
  if (take(cursor, posixClass) || take(cursor, unicodeClass) || take(cursor, /\\[dDsSwW]/y)) return;
  if (cursor.text.startsWith('[:', cursor.at) && cursor.text.includes(':]', cursor.at))
    refuse(cursor, "has a class such as [:name:] that the proxy's engine does not know");
  const from = character(cursor);
  if (!take(cursor, /-(?=[^\]])/y)) return;
  if (character(cursor) < from) refuse(cursor, 'has a range of characters that is upside down');
}

const namedCharacters: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };

/** One character, as it is or escaped; its code point. */
function character(cursor: Cursor): number {
  const hex = take(cursor, /\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/y);
  if (hex) return Math.min(Number.parseInt(hex[1] ?? hex[2] ?? '', 16), aboveUnicode(cursor, hex));
  const letter = take(cursor, /\\([aftnrv])/y)?.[1];
  if (letter !== undefined) return namedCharacters[letter] ?? 0;
  const sign = take(cursor, /\\([!-/:-@[-`{-~ ])/y)?.[1];
  if (sign !== undefined) return sign.charCodeAt(0);
  if (take(cursor, /\\(?:[1-9]|k)/y))
    refuse(cursor, "has a back-reference such as \\1, which the proxy's engine does not support");
  if (take(cursor, /\\/y))
    refuse(
      cursor,
      `has the escape \\${cursor.text.charAt(cursor.at)}, which the proxy's engine does not support`,
    );
  const point = cursor.text.codePointAt(cursor.at) ?? 0;
  cursor.at += point > 0xffff ? 2 : 1;
  return point;
}

function aboveUnicode(cursor: Cursor, [text]: RegExpExecArray): number {
  const last = 0x10ffff;
  return Number.parseInt(text.replace(/[^0-9A-Fa-f]/g, ''), 16) > last
    ? refuse(cursor, `has ${text}, which is no character`)
    : last;
}
