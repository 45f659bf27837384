/** Pairs of sentences as a table in Markdown. */
import type { Pair } from './pair.ts';

export function tableOf(pairs: readonly Pair[]): string {
  const rows = pairs.map(({ before, after }, index) => {
    const now = after === null ? '(removed)' : after.text === before.text ? '(unchanged)' : cell(after.text);
    return `| ${index + 1} | \`${after?.file ?? before.file}\` | ${cell(before.text)} | ${now} |\n`;
  });
  return `| | file | before | after |\n|---|---|---|---|\n${rows.join('')}`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
