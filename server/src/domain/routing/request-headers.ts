/** Headers that the proxy adds to requests to a service, or to its answers (RFC 9110, 5). */
import { badField } from '../errors.ts';

const namePattern = /^[A-Za-z0-9!#$&'*+.^`|~-]{1,100}$/;
/** Visible ASCII and spaces inside; braces would be the proxy's placeholders. */
const valuePattern = /^(?:[!-z|~](?:[ -z|~]{0,998}[!-z|~])?)?$/;

/**
 * What belongs to the connection or frames the message, and what the proxy says of the client: those are its
 * own.
 */
const reservedNames = [
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'expect',
  'proxy-.*',
  'forwarded',
  'x-forwarded-.*',
  'x-real-ip',
];
/** Headers that frame an answer, or that the proxy sets itself. */
const reservedOfAnswers = [
  'connection',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-encoding',
  'proxy-.*',
  'alt-svc',
  'date',
  'strict-transport-security',
];
const pattern = (names: readonly string[]): RegExp => new RegExp(`^(?:${names.join('|')})$`, 'i');

const most = 20;

/** The headers as they are; throws BAD_REQUEST naming `field`. */
export function parseRequestHeaders(
  headers: Readonly<Record<string, string>>,
  field = 'requestHeaders',
): Record<string, string> {
  return checked(headers, field, pattern(reservedNames));
}

/** The same for headers of answers; an empty value takes the service's header away. */
export function parseResponseHeaders(
  headers: Readonly<Record<string, string>>,
  field = 'responseHeaders',
): Record<string, string> {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'strict-transport-security'))
    throw badField(field, 'may not have Strict-Transport-Security; set hstsMaxAge instead');
  return checked(headers, field, pattern(reservedOfAnswers));
}

function checked(
  headers: Readonly<Record<string, string>>,
  field: string,
  reserved: RegExp,
): Record<string, string> {
  const entries = Object.entries(headers);
  if (entries.length > most) throw badField(field, `may have at most ${most} headers`);
  if (new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length)
    throw badField(field, 'names a header twice; upper and lower case are the same');
  for (const [name, value] of entries) {
    if (!namePattern.test(name))
      throw badField(field, `has ${JSON.stringify(name.slice(0, 100))}, which is not the name of a header`);
    if (reserved.test(name)) throw badField(field, `may not have ${name}, which the proxy sets itself`);
    if (!valuePattern.test(value))
      throw badField(
        field,
        `gives ${name} a value that cannot be sent: up to 1000 visible ASCII characters and spaces ` +
          'between them, without { and }',
      );
  }
  return Object.fromEntries(entries);
}
