/** No line of code is wider than the formatter makes it, tests included. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sourceFiles } from '../source-files.ts';

/** Columns; the lineWidth of biome.json. */
export const limit = 110;

/** One thing alone on its line that has no place to break it: a regular expression, an address, base64. */
const unbreakable = [/^\/(?![/*]).+\/[dgimsuvy]*[,;]?$/, /^\W*\w+:\/\/\S+$/, /^\W*[\w+/=-]+\W*$/];

export interface Line {
  file: string;
  /** From 1. */
  number: number;
  text: string;
}

/** Every line of every .ts, .tsx and .mjs file below the root. */
export async function linesOf(root: string): Promise<Line[]> {
  const files = (await sourceFiles(root)).filter((file) => /\.(tsx?|mjs)$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return files.flatMap((file, index) =>
    (texts[index] ?? '').split('\n').map((text, at) => ({ file, number: at + 1, text })),
  );
}

/** One sentence per line that is too wide and could be broken. No line at all is a fault too. */
export function widthFaults(lines: readonly Line[]): string[] {
  if (lines.length === 0)
    return ['The width check saw no line, so it proves nothing. Mend its list of files.'];
  return lines
    .filter(({ text }) => columnsOf(text) > limit && !unbreakable.some((one) => one.test(text.trim())))
    .map(
      ({ file, number, text }) =>
        `${file}:${number} is ${columnsOf(text)} columns wide; ${limit} are allowed. Break it.`,
    );
}

/** Width that so many of a hundred lines do not exceed; empty lines do not count. */
export function widthAt(percent: number, lines: readonly Line[]): number {
  const widths = lines
    .map(({ text }) => columnsOf(text))
    .filter((width) => width > 0)
    .toSorted((left, right) => left - right);
  return widths[Math.ceil((percent / 100) * widths.length) - 1] ?? 0;
}

/** Characters, not bytes. */
function columnsOf(text: string): number {
  return text.length;
}
