/** Proxies in front of Berth's proxy whose forwarding headers are believed. Pure. */
import { badField } from '../errors.ts';
import { isAddressRange, parseAddressRanges } from '../network/address-range.ts';
import { publishedRanges } from '../network/cdn.ts';

/**
 * Lists that may stand in place of their networks. `private` is what a tunnel on this machine or a load
 * balancer in the same network connects from (RFC 1918, RFC 4193, loopback).
 */
export const knownProxies: Readonly<Record<string, readonly string[]>> = {
  cloudflare: publishedRanges.Cloudflare,
  fastly: publishedRanges.Fastly,
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8', 'fc00::/7', '::1/128'],
};

/** Whether the text is the name of a known list, an address or a network. */
export function isTrustedProxy(text: string): boolean {
  return Object.hasOwn(knownProxies, text) || isAddressRange(text);
}

/** The list as it was given, without repetitions; throws BAD_REQUEST naming `field`. */
export function parseTrustedProxies(list: readonly string[], field = 'trustedProxies'): string[] {
  const unknown = list.find((text) => !isTrustedProxy(text) && /^[a-z-]+$/i.test(text));
  if (unknown !== undefined)
    throw badField(
      field,
      `has ${JSON.stringify(unknown.slice(0, 100))}, which is not a known list; there are ` +
        `${Object.keys(knownProxies).join(', ')}, and every address or network`,
    );
  parseAddressRanges(
    list.filter((text) => !Object.hasOwn(knownProxies, text)),
    field,
  );
  return [...new Set(list)];
}

/** The networks of a list, in a stable order. */
export function rangesOf(list: readonly string[]): string[] {
  return [...new Set(list.flatMap((text) => knownProxies[text] ?? [text]))].toSorted();
}
