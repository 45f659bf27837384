/**
 * Text of others on a terminal. Names, messages and logs may hold control characters, with which they could
 * move the cursor, rename the window or answer for the person (CWE-150), or turn the order of letters.
 */
import { stripVTControlCharacters } from 'node:util';

/** A name or a sentence on one line: nothing in it moves the cursor. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ');
}

const looks = new RegExp(String.raw`(\u{1B}\[[0-9;:]{0,40}m)`, 'u');

/** A line of a log: its colours stay where colours are wanted, tabs stay, every other control goes. */
export function printableLine(text: string, keepsColor: boolean): string {
  if (!keepsColor) return withoutControls(stripVTControlCharacters(text));
  // Colours and other looks (SGR), and nothing else that begins with an escape.
  const parts = text.split(looks);
  const shown = parts.map((part, index) =>
    index % 2 === 1 ? part : withoutControls(stripVTControlCharacters(part)),
  );
  return parts.length > 1 ? `${shown.join('')}\u001B[0m` : shown.join('');
}

/** Any text, line by line, for a terminal. */
export const onTerminal = (text: string): string =>
  text
    .split('\n')
    .map((line) => printableLine(line, true))
    .join('\n');

/** A value as JSON. Its own rules escape C0 only; C1 letters, too, move a terminal. */
export function printableJson(value: unknown, indent?: number): string {
  const escaped = (letter: string): string => `\\u00${letter.charCodeAt(0).toString(16)}`;
  return JSON.stringify(value ?? null, null, indent).replaceAll(/[\u007F-\u009F]/g, escaped);
}

function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{Cc}\t]/gu, '');
}

/** Columns that the text takes: two for wide letters, none for marks that stand on others. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += widthOfLetter(letter);
  return width;
}

/** The text cut to so many columns, the last of them "…" where it was longer. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let shown = '';
  let width = 0;
  for (const letter of text) {
    width += widthOfLetter(letter);
    if (width > columns - 1) break;
    shown += letter;
  }
  return columns < 1 ? '' : `${shown}…`;
}

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\p{Emoji_Presentation}]|[\u{20000}-\u{3FFFD}]/u;

function widthOfLetter(letter: string): number {
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(letter)) return 0;
  return wide.test(letter) ? 2 : 1;
}
