import { expect, it } from 'vitest';
import { iconAddress } from './icon.ts';

const svg = (inside: string, attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"${attributes}>${inside}</svg>`;

it('takes plain shapes as a data address', () => {
  const text = svg(
    '<title>A b</title><defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/>' +
      '</linearGradient></defs>' +
      '<g fill="url(#a)"><path d="M0 0h8v8z" /></g>',
  );
  expect(iconAddress(`${text}\n`, 'icon')).toBe(
    `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`,
  );
});

it.each([
  ['a script', svg('<script>x()</script>')],
  ['an event', svg('<path d="" onload="x()"/>')],
  ['a style', svg('<path style="fill:red" d=""/>')],
  ['a style element', svg('<style>a{}</style>')],
  ['an element of another document', svg('<use href="#a"/>')],
  ['a foreign object', svg('<foreignObject/>')],
  ['an image', svg('<image href="https://example.com/a.png"/>')],
  ['an address as a colour', svg('<path fill="url(https://example.com/a)" d=""/>')],
  ['an entity', svg('<path d="&amp;"/>')],
  ['a document type', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('')}`],
  ['an instruction', `<?xml-stylesheet href="a"?>${svg('')}`],
  ['a comment', svg('<!-- a -->')],
  ['another namespace', svg('', ' xmlns="http://www.w3.org/1999/xhtml"')],
  ['two documents', svg('') + svg('')],
  ['text beside it', `a${svg('')}`],
  ['an element that is left open', '<svg><g></svg>'],
  ['nothing', ''],
  ['too much', svg(`<path d="${'M0 0'.repeat(3000)}"/>`)],
])('refuses %s', (_what, text) => {
  expect(() => iconAddress(text, 'icon')).toThrow(/^icon/);
});
