/** Where the lines of a log stand, in rows of 20 px: one each, or as many as a wrapped line needs. */
import { plainText } from './ansi.ts';
import type { Line } from './lines.ts';

export interface Rows {
  readonly total: number;
  /** The row in which a line begins; of the line after the last, the total. */
  begin(at: number): number;
  /** The line that a row belongs to. */
  at(row: number): number;
}

export const unwrapped = (total: number): Rows => ({
  total,
  begin: (at) => Math.min(at, total),
  at: (row) => Math.max(0, Math.min(total - 1, Math.floor(row))),
});

/** What a row holds. */
export interface Room {
  /** Letters of ASCII; at least one, and not always whole. */
  columns: number;
  /** Of another letter, in letters of ASCII. */
  widthOf: (letter: string) => number;
}

/** Of lines that are added at the end, those that were counted before are not counted again. */
export interface RowCounter {
  /** `found` names the lines that are shown; without, all are. */
  count(lines: readonly Line[], found: readonly number[] | undefined): Rows;
}

export function createRowCounter(room: Room): RowCounter {
  let begins = new Float64Array(1024);
  let counted: { lines: readonly Line[]; found: readonly number[] | undefined; total: number } | undefined;
  return {
    count(lines, found) {
      const total = found?.length ?? lines.length;
      // A filter gives another list each time.
      const isGrown = counted?.lines === lines && counted.found === found && counted.total <= total;
      if (begins.length <= total) begins = grown(begins, total + 1);
      for (let at = isGrown ? (counted?.total ?? 0) : 0; at < total; at += 1)
        begins[at + 1] = (begins[at] ?? 0) + rowsOf(lines[found?.[at] ?? at]?.text ?? '', room);
      counted = { lines, found, total };
      return rowsFrom(begins, total);
    },
  };
}

function grown(former: Float64Array<ArrayBuffer>, least: number): Float64Array<ArrayBuffer> {
  const next = new Float64Array(Math.max(least, former.length * 2));
  next.set(former);
  return next;
}

function rowsFrom(begins: Float64Array, total: number): Rows {
  const begin = (at: number): number => begins[Math.max(0, Math.min(at, total))] ?? 0;
  return {
    total: begin(total),
    begin,
    at(row) {
      let low = 0;
      let high = Math.max(0, total - 1);
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (begin(middle) <= row) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}

/** So many rows a wrapped line takes; the browser breaks it wherever the row is full. */
export function rowsOf(line: string, { columns, widthOf }: Room): number {
  const text = plainText(line);
  if (/^[\u0020-\u007e]*$/.test(text)) return Math.max(1, Math.ceil(text.length / Math.floor(columns)));
  let rows = 1;
  let filled = 0;
  for (const letter of text) {
    const width = letter === '\t' ? tab - (filled % tab) : widthOf(letter);
    if (filled + width > columns && filled > 0) {
      rows += 1;
      filled = 0;
    }
    filled += width;
  }
  return rows;
}

const tab = 4;
