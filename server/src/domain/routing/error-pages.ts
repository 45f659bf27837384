/** Pages that stand in place of errors: `404`, `502`, or `5xx` for all that have none of their own. Pure. */
import { badField } from '../errors.ts';

const mostPages = 10;
const mostCharacters = 32_768;

/** 401 and 407 are left out, since their answers carry the challenge that browsers need. */
const keyPattern = /^(?:4xx|5xx|4(?!01|07)[0-9]{2}|5[0-9]{2})$/;

/** Throws BAD_REQUEST naming `field`. */
export function parseErrorPages(
  pages: Readonly<Record<string, string>>,
  field = 'errorPages',
): Record<string, string> {
  const entries = Object.entries(pages);
  if (entries.length > mostPages) throw badField(field, `may have at most ${mostPages} pages`);
  for (const [key, page] of entries) {
    if (!keyPattern.test(key))
      throw badField(
        field,
        `has ${JSON.stringify(key.slice(0, 20))}, which is not the status of an error that may have a page ` +
          'of its own: 400 to 599 without 401 and 407, or 4xx or 5xx for all of them',
      );
    checkPage(page, `${field}.${key}`);
  }
  return Object.fromEntries(entries);
}

/** Throws BAD_REQUEST naming `field` for a page that is too large. */
export function checkPage(page: string, field: string): void {
  if (page.length > mostCharacters)
    throw badField(field, `has ${page.length} characters; a page may have at most ${mostCharacters}`);
}

/** The page for a status: its own before that of its hundred. */
export function pageFor(pages: Readonly<Record<string, string>>, status: number): string | undefined {
  return pages[String(status)] ?? pages[`${Math.floor(status / 100)}xx`];
}
