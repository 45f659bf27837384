/** The path of a service that is asked something. */
import { badField } from '../errors.ts';

/**
 * A path with or without a query, in the characters that a request line takes as they are (RFC 3986). Throws
 * BAD_REQUEST naming the field.
 */
export function parseAskedPath(text: string, field = 'allowOnDemand'): string {
  if (/^\/(?!\/)[\w\-.~%!$&'()*+,;=:@/?]*$/.test(text) && text.length <= 1000) return text;
  throw badField(
    field,
    'must be a path of the service that begins with one "/", such as /berth/allow, of letters, digits and ' +
      'the signs of an address, without host, spaces and "#"',
  );
}

/** The same with `domain=<host>` in its query. */
export const askedAbout = (path: string, host: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}domain=${encodeURIComponent(host)}`;
