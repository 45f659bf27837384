/** Users of HTTP basic authentication at the proxy (RFC 7617). Pure. */
import { badField } from '../errors.ts';

/** What a bcrypt hash looks like: version, cost, 22 characters of salt and 31 of hash. */
export const bcryptPattern = /^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$/;

/** bcrypt reads no more; longer passwords with the same beginning would all be right. */
const maxPasswordBytes = 72;

/**
 * The name itself; throws BAD_REQUEST naming `field`. A colon would end it (RFC 7617), and the proxy fills
 * placeholders in names when it loads them.
 */
export function parseUsername(text: string, field = 'username'): string {
  if (text !== '' && text.length <= 100 && !/[{}:\p{C}]/u.test(text)) return text;
  throw badField(field, 'must have 1 to 100 characters without any of { } : and without control characters');
}

/** The password itself; throws BAD_REQUEST naming `field`. */
export function parsePassword(text: string, field = 'password'): string {
  if (text === '') throw badField(field, 'must not be empty');
  if (/\p{Cc}/u.test(text)) throw badField(field, 'must not contain control characters (RFC 7617)');
  if (Buffer.byteLength(text) > maxPasswordBytes)
    throw badField(field, `must have at most ${maxPasswordBytes} bytes; bcrypt would ignore the rest`);
  return text;
}
