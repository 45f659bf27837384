/** Tables for a terminal: as wide as it is, columns cut where they must be, none broken into two lines. */
import { cutTo, printable, widthOf } from './printable.ts';

export interface Column<T> {
  title: string;
  value(row: T): string | number | null | undefined;
  /** Numbers stand to the right. */
  right?: boolean;
  /** The first to go where there is no room: higher goes first; 0 or absent never goes. */
  spare?: number;
  /** Look of a cell, such as a colour; the text stays as it is. */
  look?(text: string, row: T): string;
}

const gap = 2;
/** No column is cut below this. */
const least = 8;

/** The table, each line ended; the title line is in capitals. */
export function table<T>(columns: readonly Column<T>[], rows: readonly T[], width: number): string {
  const cells = columns.map((column) => ({
    column,
    title: column.title.toUpperCase(),
    texts: rows.map((row) => printable(String(column.value(row) ?? '–')) || '–'),
  }));
  const shown = fitting(
    cells.map((cell) => ({
      ...cell,
      width: Math.max(widthOf(cell.title), ...cell.texts.map((text) => widthOf(text))),
    })),
    width,
  );
  const lines = [-1, ...rows.keys()].map((index) => {
    const row = rows[index];
    const line = shown.map(({ column, title, texts, width: columns_ }, place) => {
      const text = cutTo(index < 0 ? title : (texts[index] ?? ''), columns_);
      const space = ' '.repeat(columns_ - widthOf(text));
      const looked = row !== undefined && column.look ? column.look(text, row) : text;
      if (column.right) return `${space}${looked}`;
      return place === shown.length - 1 ? looked : `${looked}${space}`;
    });
    return `${line.join(' '.repeat(gap))}\n`;
  });
  return lines.join('');
}

interface Sized {
  column: { spare?: number };
  width: number;
}

/** Leaves out spare columns, then cuts the widest, until all fit. */
function fitting<S extends Sized>(columns: S[], width: number): S[] {
  const total = (): number =>
    kept.reduce((sum, column) => sum + column.width, 0) + gap * Math.max(0, kept.length - 1);
  let kept = [...columns];
  while (total() > width) {
    const excess = total() - width;
    const widest = kept.reduce((one, other) => (other.width > one.width ? other : one));
    const spare = kept
      .filter((column) => (column.column.spare ?? 0) > 0)
      .toSorted((one, other) => (other.column.spare ?? 0) - (one.column.spare ?? 0))[0];
    // A long text is cut before a column goes, as long as enough of it is left to know it by.
    if (widest.width - excess >= 3 * least) widest.width -= excess;
    else if (spare) kept = kept.filter((column) => column !== spare);
    else if (widest.width > least) widest.width -= 1;
    else break;
  }
  return kept;
}
