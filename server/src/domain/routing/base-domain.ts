/** The domain below which Berth names services by itself. */
import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { badField } from '../errors.ts';
import { hostLabel, parseHost } from '../names/names.ts';

const digestLength = 6;

/** A label of 63 and a dot go before it (RFC 1035, 2.3.4). */
const longest = 253 - 64;

/**
 * `apps.example.com`, or the same as `*.apps.example.com`: as ASCII in lower case, without the `*`. Throws
 * BAD_REQUEST naming `field`.
 */
export function parseBaseDomain(text: string, field = 'baseDomain'): string {
  const base = parseHost(text.replace(/^\*\./, ''), field);
  if (base.startsWith('*')) throw badField(field, 'may have one "*", as its whole first label');
  if (isIPv4(base)) throw badField(field, 'must be a domain, not an address');
  if (!base.includes('.')) throw badField(field, 'must have at least two labels, such as apps.example.com');
  if (base.length > longest) throw badField(field, `must have at most ${longest} characters`);
  return base;
}

/**
 * The host of a service below a base domain, in one label of at most 63 characters: a longer stem is cut
 * and ends with a digest of the whole, so that the same stem always has the same label. `suffix` makes it
 * another.
 */
export function hostBelow(base: string, stem: string, suffix = ''): string {
  const tail = suffix === '' ? '' : `-${suffix}`;
  const room = 63 - tail.length;
  if (stem.length <= room) return `${hostLabel(stem)}${tail}.${base}`;
  return `${hostLabel(stem, room - digestLength - 1)}-${digestOf(stem)}${tail}.${base}`;
}

/** A few digits that are always the same for a text. */
export const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digestLength);

/** Whether certificates are issued for names below it. */
export const isPublicBase = (base: string): boolean => !/(^|\.)localhost$/.test(base);

/** Whether the host is below the domain by exactly one label, as the names that Berth chooses are. */
export const isNameBelow = (base: string, host: string): boolean =>
  host.endsWith(`.${base}`) && !host.slice(0, -base.length - 1).includes('.') && !host.startsWith('*');

/** The record that leads the names below it to the address, as a zone file has it. */
export const wildcardRecord = (base: string, address: string): string =>
  `*.${base} ${isIPv6(address) ? 'AAAA' : 'A'} ${address}`;

/** Whether both are the same, or one lies below the other. */
export const overlaps = (one: string, other: string): boolean => isWithin(one, other) || isWithin(other, one);

/** Whether the name is the domain, or below it. */
export const isWithin = (base: string, name: string): boolean => name === base || name.endsWith(`.${base}`);
