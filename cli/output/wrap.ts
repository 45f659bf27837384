/** Sentences in lines: a terminal by itself breaks them within a word. */
import { printable, widthOf } from './printable.ts';

/** Lines of at most so many columns, broken at spaces; a longer word has a line of its own. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let width = 0;
  for (const word of text.split(' ')) {
    const more = widthOf(word) + 1;
    const last = lines.at(-1);
    if (last !== undefined && width + more <= columns) {
      lines[lines.length - 1] = `${last} ${word}`;
      width += more;
    } else {
      lines.push(word);
      width = more - 1;
    }
  }
  return lines;
}

export const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** What a sentence that is one of a list begins with: its further lines stand below its first word. */
const mark = /^(?:[·!>✓✗] | {2})/;

export interface Page {
  isTerminal: boolean;
  columns: number;
}

/** A sentence, its line ends its own: in lines on a terminal, and whole in a pipe. */
export function sentence(text: string, { isTerminal, columns }: Page): string {
  const lines = text.split('\n').flatMap((line) => {
    const shown = printable(line);
    if (!isTerminal) return [shown];
    const [begin = ''] = mark.exec(shown) ?? [];
    const parts = wrapped(shown.slice(begin.length), columns - begin.length);
    return parts.map((part, at) => `${at === 0 ? begin : ' '.repeat(begin.length)}${part}`);
  });
  return lines.join('\n');
}
