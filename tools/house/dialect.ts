/**
 * Wordings that make a reader stop (CONTRIBUTING, Comments), counted in the comments of the product. The
 * limits only ever fall: a change that adds one removes another.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { sourceFiles } from '../source-files.ts';

export interface Wording {
  name: string;
  pattern: RegExp;
  /** What to write. */
  instead: string;
  /** Comments of a thousand that may have it. */
  limit: number;
}

export const wordings: readonly Wording[] = [
  {
    name: 'begins with "What"',
    pattern: /^What\b/,
    instead: 'name the thing, or begin with a verb',
    limit: 85,
  },
  {
    name: 'begins with a preposition',
    pattern: /^(Of|By|For|From|With|Without|In|At|To|As|Between|Among|Beside|Behind)\b/,
    instead: 'write a whole sentence',
    limit: 78,
  },
  { name: 'own', pattern: /\bown\b/i, instead: "its, Berth's, or nothing", limit: 68 },
  {
    name: '"is no", "has none"',
    pattern: /\b(is|are|was|were) no\b|\b(has|have) none\b/i,
    instead: '"is not a", "does not have"',
    limit: 18,
  },
  { name: 'gives', pattern: /\b(gives|given back)\b/i, instead: '"returns"', limit: 26 },
  {
    name: 'tells, told',
    pattern: /\b(tells?|told)\b/i,
    instead: '"says", "reports", "notifies"',
    limit: 33,
  },
  { name: 'nobody, whoever', pattern: /\b(nobody|somebody|whoever)\b/i, instead: 'name who', limit: 46 },
];

/** Comments of the product's sources, without their marks; lines of `//` that follow each other are one. */
export async function commentsBelow(root: string): Promise<string[]> {
  const files = (await sourceFiles(root)).filter(
    (file) =>
      /^(server|cli|client|web|setup)\/.*\.tsx?$/.test(file) && !/\.test\.ts$|\/generated\//.test(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return files.flatMap((file, index) => commentsOf(file, texts[index] ?? ''));
}

export function commentsOf(file: string, source: string): string[] {
  const found: { text: string; end: number }[] = [];
  for (const { type, value, start, end } of parseSync(file, source).comments) {
    const text = value
      .replaceAll(/\n\s*\*/g, ' ')
      .replace(/^\*/, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const last = found.at(-1);
    if (type === 'Line' && last && /^\n[ \t]*$/.test(source.slice(last.end, start))) {
      last.text += ` ${text}`;
      last.end = end;
    } else found.push({ text, end });
  }
  return found.map(({ text }) => text);
}

/** One sentence per wording that more comments have than before, or so many fewer that the limit can fall. */
export function dialectFaults(comments: readonly string[], table: readonly Wording[] = wordings): string[] {
  return table.flatMap(({ name, pattern, instead, limit }) => {
    const share = (comments.filter((text) => pattern.test(text)).length / comments.length) * 1000;
    const counted = `${share.toFixed(1)} of 1,000 comments`;
    if (share > limit)
      return [`${name}: ${counted}, and ${limit} are allowed. In comments that you add, ${instead}.`];
    if (share < limit - slack)
      return [`${name}: ${counted}. Set its limit to ${Math.ceil(share)}, so that it stays there.`];
    return [];
  });
}

/** So much below its limit a wording may be before the limit has to fall. */
const slack = 3;
