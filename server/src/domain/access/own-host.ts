/** Hosts that belong to Berth: no service gets one, since browsers send Berth's cookies there. */
import { isIPv4 } from 'node:net';
import { badField } from '../errors.ts';
import { parseHost } from '../names/names.ts';

/** How Berth and its machine are reached. */
export interface OwnNames {
  /** Host names of Berth, ASCII and in lower case. */
  hosts: readonly string[];
  /** Of the machine, as far as it knows them: behind a router there are others. */
  addresses: readonly string[];
}

/**
 * Why no service may have the host; undefined when it may. `asciiHost` as `parseHost` gives it. A wildcard
 * is refused when it covers one of Berth's names. `isBerthsMachine`: it would be led by the proxy of the
 * machine that Berth runs on, where every address leads to Berth as well.
 */
export function whyNotForServices(
  asciiHost: string,
  own: OwnNames,
  { isBerthsMachine }: { isBerthsMachine: boolean },
): string | undefined {
  if (asciiHost === 'localhost' || /^(127|0)\.[0-9.]+$/.test(asciiHost))
    return `${asciiHost} is the machine itself`;
  if (own.addresses.includes(asciiHost)) return `${asciiHost} is an address of Berth's machine`;
  if (isBerthsMachine && isIPv4(asciiHost))
    return `${asciiHost} is an address, and Berth is reachable at every address of this machine`;
  const covered = own.hosts.find((host) => covers(asciiHost, host));
  if (covered === undefined) return undefined;
  return asciiHost === covered
    ? `${covered} is the host of Berth itself`
    : `it would include ${covered}, the host of Berth itself`;
}

/** Whether a domain of the host takes requests for the name. */
export function covers(asciiHost: string, name: string): boolean {
  return asciiHost === name || (asciiHost.startsWith('*.') && asciiHost === name.replace(/^[^.]+/, '*'));
}

/**
 * A host name for Berth itself, as ASCII in lower case: one that certificates are issued for. Throws
 * BAD_REQUEST naming `field`.
 */
export function parseOwnHost(text: string, field = 'host'): string {
  const host = parseHost(text, field);
  if (host.startsWith('*')) throw badField(field, 'must be one host name, not a wildcard');
  if (isIPv4(host)) throw badField(field, 'must be a host name, not an address');
  if (!host.includes('.') || host.endsWith('.localhost'))
    throw badField(field, 'must be a name that the DNS points here, such as berth.example.com');
  return host;
}

/** The host name of an address, when it is a name that a domain could have. */
export function hostOfUrl(url: string): string | undefined {
  const host = new URL(url).hostname;
  return host === 'localhost' || isIPv4(host) || host.startsWith('[') ? undefined : host;
}

/** Where people reach Berth: by its own host name, when it has one. */
export const ownUrl = (host: string | null, url: string): string => (host === null ? url : `https://${host}`);
