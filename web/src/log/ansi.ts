/** Colours of terminals as names of classes; every other escape sequence is dropped. Text stays text. */

export interface Piece {
  text: string;
  /** Names of classes: b, i, u, d, c1 to c6. */
  look: string;
}

// oxlint-disable-next-line no-control-regex
const sequence = /\u001b\[([0-9;:]*)([A-Za-z])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-_]/g;

interface Style {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  colour: number;
}

const plain = (): Style => ({ bold: false, dim: false, italic: false, underline: false, colour: 0 });

export function pieces(line: string): Piece[] {
  if (!line.includes('\u001b')) return [{ text: line, look: '' }];
  const found: Piece[] = [];
  let style = plain();
  let at = 0;
  for (const match of line.matchAll(sequence)) {
    if (match.index > at) found.push({ text: line.slice(at, match.index), look: lookOf(style) });
    at = match.index + match[0].length;
    if (match[2] === 'm') style = changed(style, match[1] ?? '');
  }
  if (at < line.length) found.push({ text: line.slice(at), look: lookOf(style) });
  return found;
}

/** Without any sequence: what search and download see. */
export const plainText = (line: string): string =>
  line.includes('\u001b') ? line.replaceAll(sequence, '') : line;

/** What a carriage return leaves of a line: each part overwrites what stood there. */
export function rewritten(line: string): string {
  if (!line.includes('\r')) return line;
  return line
    .replace(/\r+$/, '')
    .split('\r')
    .reduce((shown, part) => part + shown.slice(part.length), '');
}

function changed(style: Style, codes: string): Style {
  const next = { ...style };
  const numbers = codes === '' ? [0] : codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    if (code === 0) Object.assign(next, plain());
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 22) next.bold = next.dim = false;
    else if (code === 39) next.colour = 0;
    else if (code === 90) next.dim = true;
    else if (code >= 31 && code <= 36) next.colour = code - 30;
    else if (code >= 91 && code <= 96) next.colour = code - 90;
    else if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
  }
  return next;
}

function lookOf({ bold, dim, italic, underline, colour }: Style): string {
  return [bold && 'b', dim && 'd', italic && 'i', underline && 'u', colour > 0 && `c${colour}`]
    .filter((name) => typeof name === 'string')
    .join(' ');
}
