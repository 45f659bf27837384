/** Texts that make careless matchers slow. */

/** Texts of so many characters that make careless matchers slow. */
export function texts(length: number): string[] {
  const units = [
    'a',
    'a.',
    'a/',
    'a-',
    '../',
    '*a',
    '$',
    '${',
    '${{',
    '$$',
    '((((',
    'a?',
    '(a+)+',
    '\\',
    '"',
    "'",
  ];
  const more = [
    ' ',
    '\t',
    '\n',
    '=',
    'A=',
    'A=${A}\n',
    '#',
    ':',
    '://',
    '@',
    '[',
    '{',
    '&',
    '<',
    '%',
    ',',
    '0',
    '9.',
  ];
  const lasting = ['authorization: ', 'Bearer ', '-----BEGIN PRIVATE KEY-----', 'ghp_', '_', '://a:'];
  return [...units, ...more, ...lasting].map((unit) =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length),
  );
}

/** A run of `parse` on each of these texts. */
export const onTexts =
  (length: number, parse: (text: string) => unknown): (() => (() => unknown)[]) =>
  () =>
    texts(length).map((text) => () => parse(text));

export const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n');
