/** Takes secrets out of whatever is written to a log, an error or a record. */
import { Secret } from './secret.ts';
import { dots, hidePatterns, privateKeyEdge } from './secret-patterns.ts';
import { createStringMatcher } from './string-matcher.ts';

export type Redactor = (text: string) => string;

/** Shorter values cannot be told from ordinary text. */
const minLength = 4;

/**
 * Characters for which encoded forms are made too; beyond them (somebody stores a file in a variable) only
 * the values themselves are hidden.
 */
const encodedBudget = 128 * 1024;

/**
 * A function that replaces the given values (of 4 characters or more, also in their base64, URL-encoded,
 * JSON-escaped forms and line by line) and whatever looks like a secret by dots. Making it costs time in
 * proportion to the values' length, using it in proportion to the text's.
 */
export function createRedactor(secrets: Iterable<string | Secret> = []): Redactor {
  const matcher = createStringMatcher(literalsOf(secrets));
  return (text) => {
    const spans = matcher.find(text);
    if (spans.length === 0) return hidePatterns(text);
    let result = '';
    let at = 0;
    for (const [start, end] of spans) {
      result += text.slice(at, start) + dots;
      at = end;
    }
    return hidePatterns(result + text.slice(at));
  };
}

/**
 * The redactor for one stream of lines: it also hides the lines between the BEGIN and END of a private key
 * (at most 200 of them).
 */
export function redactLines(redact: Redactor): Redactor {
  let hidden = 0;
  return (line) => {
    const edge = privateKeyEdge(line);
    const inside = hidden > 0;
    if (edge !== undefined) hidden = edge ? 200 : 0;
    else if (inside) hidden -= 1;
    if (edge === undefined && inside) return dots;
    return edge === false && inside ? dots : redact(line);
  };
}

function literalsOf(secrets: Iterable<string | Secret>): Set<string> {
  const literals = new Set<string>();
  let budget = encodedBudget;
  for (const secret of secrets) {
    const value = secret instanceof Secret ? secret.reveal() : secret;
    if (value.length < minLength) continue;
    literals.add(value);
    for (const line of linesOf(value)) literals.add(line);
    budget -= value.length;
    if (budget >= 0) for (const form of encodedForms(value)) literals.add(form);
  }
  return literals;
}

/** Logs come line by line, so a value of several lines must be known by each of them. */
function linesOf(value: string): string[] {
  if (!/[\r\n]/.test(value)) return [];
  return value
    .split(/\r?\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line.length >= 8 && !line.startsWith('-----'));
}

function* encodedForms(value: string): Generator<string> {
  yield JSON.stringify(value).slice(1, -1);
  const encoded = encode(value);
  yield encoded;
  // Not every program encodes these too.
  yield encodeURIComponent(value.toWellFormed());
  yield encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  yield encoded.replaceAll('%20', '+');
  yield* base64Forms(value);
}

function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * The value in base64 wherever it stands in the encoded text: three alignments, without the characters its
 * neighbours decide.
 */
function* base64Forms(value: string): Generator<string> {
  const bytes = Buffer.from(value);
  for (const shift of [0, 1, 2]) {
    const first = shift === 0 ? 0 : shift + 1;
    const last = Math.floor(((shift + bytes.length) * 8) / 6);
    const form = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(first, last);
    if (form.length < 6 && shift !== 0) continue;
    if (form.length < minLength) continue;
    yield form;
    yield form.replaceAll('+', '-').replaceAll('/', '_');
  }
}
