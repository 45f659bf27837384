/** Paths of domains: what lies below one leads to a service. Pure. */
import { badField } from '../errors.ts';

/**
 * The path as the proxy compares it, percent-encoding resolved: `/caf%C3%A9` is `/café`. Throws BAD_REQUEST
 * naming `field` for what a path of a request cannot be, or what the proxy would read as a pattern.
 */
export function parseRoutePath(text: string, field: string): string {
  if (!text.startsWith('/')) throw badField(field, 'must begin with "/"');
  if (/%(?:2f|5c)/i.test(text))
    throw badField(field, 'must not contain %2F or %5C, an encoded slash, which would end its part');
  const path = decoded(text, field).normalize('NFC');
  if (/[\\?#*{}%[\]\p{Cc}\p{Cs}]|[^\S ]|\p{Cf}/u.test(path) || /\s$/.test(path))
    throw badField(
      field,
      'must not contain control characters or any of \\ ? # * { } [ ] %, encoded or not, or end in a space',
    );
  if (path !== text && / /.test(text)) throw badField(field, 'must not contain spaces beside %20');
  if (path.split('/').some((part) => part === '..' || part === '.'))
    throw badField(field, 'must not contain "." or ".." as a part');
  if (path.includes('//')) throw badField(field, 'must not contain "//"');
  return path;
}

/** The path as it stands in an address (RFC 3986, 2.1). */
export function encodedPath(path: string): string {
  return encodeURI(path);
}

function decoded(text: string, field: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badField(field, 'has a "%" that does not begin the encoding of a character, such as %C3%A9 for é');
  }
}
