/**
 * V8 keeps a module's source as long as the program runs, with two bytes for each character as soon as one of
 * them is beyond Latin-1: one dash in a sentence would cost 3 MB. In the bundle such characters are escaped.
 */
import type { Plugin } from 'rolldown';

export function asciiOnly(): Plugin {
  return {
    name: 'ASCII only',
    // Any earlier, and Rolldown would write the characters themselves again.
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle))
        if (output.type === 'chunk') output.code = escapeCharacters(output.code);
    },
  };
}

/**
 * The same program in ASCII: `\u2013` means the same in strings, templates, patterns and names. Throws where
 * it would not, after a backslash; no text of ours with such a character is in String.raw.
 */
export function escapeCharacters(code: string): string {
  return code.replace(/(\\*)([\u0080-\uffff])/g, (_all, slashes: string, character: string) => {
    if (slashes.length % 2 === 1)
      throw new Error(
        `The bundle has ${JSON.stringify(character)} after a backslash, which cannot be escaped.`,
      );
    return `${slashes}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
