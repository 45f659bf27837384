/**
 * A command line as words: quotes and backslashes as in a shell (POSIX Shell Command Language, 2.2), nothing
 * else; no variable, glob or operator means anything.
 */
import { badField } from '../errors.ts';

/** The words; throws BAD_REQUEST naming `field` when a quote does not end. */
export function splitWords(text: string, field: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote === "'") {
      if (character === "'") quote = undefined;
      else word += character;
    } else if (
      character === '\\' &&
      at + 1 < text.length &&
      (quote === undefined || '"\\$`'.includes(text.charAt(at + 1)))
    ) {
      at += 1;
      word = (word ?? '') + text.charAt(at);
    } else if (quote === '"') {
      if (character === '"') quote = undefined;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== undefined) throw badField(field, `has a ${quote} that does not end`);
  if (word !== undefined) words.push(word);
  return words;
}

/** Text from elsewhere as one line of at most so many characters. */
export function oneLine(text: string, max: number): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed();
}
