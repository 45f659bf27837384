/**
 * The sentences that people read, taken out of a source file: strings of words, joined where `+` joins
 * them.
 */
import { parseSync } from 'oxc-parser';

export interface Sentence {
  file: string;
  /** With `…` where a value is put in. */
  text: string;
}

/** @throws Error when the file does not parse. */
export function sentencesOf(file: string, source: string): Sentence[] {
  const { program, errors } = parseSync(file, source);
  const [fault] = errors;
  if (fault) throw new Error(`${file} does not parse: ${fault.message}`);
  const texts: string[] = [];
  walk(program, texts);
  return texts.filter(isSentence).map((text) => ({ file, text }));
}

const inserted = '…';

/** Nodes whose strings are names or code, not sentences. */
const skipped = /^(Import|Export(All|Named)|TaggedTemplate|TS(?!AsExpression|SatisfiesExpression|NonNull))/u;

function walk(node: unknown, texts: string[]): void {
  if (Array.isArray(node)) for (const each of node) walk(each, texts);
  if (!isNode(node)) return;
  const text = textOf(node);
  if (text !== undefined) {
    texts.push(text.replaceAll(/\s+/gu, ' ').trim());
    for (const part of insertedIn(node)) walk(part, texts);
    return;
  }
  if (skipped.test(node.type) && !('declaration' in node && node.declaration)) return;
  for (const [key, value] of Object.entries(node)) if (key !== 'typeAnnotation') walk(value, texts);
}

interface Node {
  type: string;
  [key: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** What a string, a template, or a sum that holds one says; undefined for every other node. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'JSXText') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'ParenthesizedExpression') return textOfPart(node['expression']);
  if (node.type === 'TemplateLiteral') return textOfTemplate(node);
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return undefined;
  const [left, right] = [textOfPart(node['left']), textOfPart(node['right'])];
  if (left === undefined && right === undefined) return undefined;
  return `${left ?? inserted}${right ?? inserted}`;
}

const textOfPart = (part: unknown): string | undefined => (isNode(part) ? textOf(part) : undefined);

function textOfTemplate(node: Node): string {
  const quasis = Array.isArray(node['quasis']) ? node['quasis'] : [];
  return quasis.map((quasi: { value: { cooked: string | null } }) => quasi.value.cooked ?? '').join(inserted);
}

/** The expressions put into a string, which may hold sentences of their own. */
function insertedIn(node: Node): unknown[] {
  if (node.type === 'TemplateLiteral') return [node['expressions']];
  if (node.type === 'ParenthesizedExpression') return insertedOf(node['expression']);
  if (node.type === 'BinaryExpression') return [...insertedOf(node['left']), ...insertedOf(node['right'])];
  return [];
}

const insertedOf = (part: unknown): unknown[] => {
  if (!isNode(part)) return [];
  return textOf(part) === undefined ? [part] : insertedIn(part);
};

/** Not English, though they have spaces. */
const code = [
  /^(SELECT|INSERT|UPDATE [a-z_"]+ SET|DELETE FROM|CREATE|ALTER|DROP|WITH|PRAGMA|BEGIN)|^select .+ from /u,
  /^[\w.]+ as \w+$/u,
  /^(set -|#!|exec |test |if |try |<|\{)|&&|\|\||=>|[;{]$|--[a-z-]+ --|\$\d/u,
  /\b(class|const|return|import) /u,
  // Class lists of the dashboard.
  /(^| )[a-z:!-]*\b(text|p[xy]?|gap|(min-|max-)?[hw]|m[tblrxy]?|grid-cols|rounded|border|flex)-[\w[(]/u,
  /^(cut|header|encode) /u,
];

/** At least three words, of which two follow each other in small letters. */
function isSentence(text: string): boolean {
  const words = text.split(' ').filter((word) => /^[("'`]?[\p{L}…]/u.test(word));
  return words.length >= 3 && /\p{Ll}{2,}[,;:.]? \p{Ll}/u.test(text) && !code.some((each) => each.test(text));
}
