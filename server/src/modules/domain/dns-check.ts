/** Whether a host name leads to a server (interface document, validateDomain). */
import { isIP } from 'node:net';
import { cdnOf } from '../../domain/network/cdn.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { isPrivate } from '../../domain/network/network.ts';
import { parseHost } from '../../domain/names/names.ts';
import type { NameResolver } from '../../ports/name-resolver.ts';

export interface DnsVerdict {
  isValid: boolean;
  resolvedIps: string[];
  expectedIp: string;
  /** Why it is not valid. */
  error?: string;
  cdnProvider?: string;
}

export interface DnsCheck {
  /** Of a wildcard, some name below it is asked for. BAD_REQUEST when no address is expected. */
  check(domain: string, serverIp?: string | null): Promise<DnsVerdict>;
  /**
   * Why somebody outside would not find the server of this address under the host, as far as the DNS shows it
   * for certain; of an unknown address nothing is certain.
   */
  whyNotHere(host: string, expected: string | null): Promise<string | undefined>;
  /** The IP address of a machine that may be given by name; PRECONDITION_FAILED when the name has none. */
  addressOf(machine: string): Promise<string>;
}

export interface DnsCheckOptions {
  names: NameResolver;
  /** Settings serverIp and dnsResolver. */
  settings(): Promise<{ serverIp: string | null; dnsResolver: string | null }>;
}

export function createDnsCheck({ names, settings }: DnsCheckOptions): DnsCheck {
  return {
    async check(domain, serverIp) {
      const host = parseHost(domain, 'domain');
      const { serverIp: ownIp, dnsResolver } = await settings();
      const expected = serverIp || ownIp;
      if (!expected) throw badField('serverIp', 'is required while the setting serverIp is not set');
      const { addresses, fault } =
        isIP(host) === 0
          ? await names.lookUp(host.replace(/^\*/, 'berth-check'), dnsResolver)
          : { addresses: [host], fault: undefined };
      const cdnProvider = addresses.map(cdnOf).find((name) => name !== undefined);
      const found = {
        resolvedIps: addresses,
        expectedIp: expected,
        ...(cdnProvider === undefined ? {} : { cdnProvider }),
      };
      if (cdnProvider !== undefined || addresses.some((address) => plain(address) === plain(expected)))
        return { isValid: true, ...found };
      return { isValid: false, ...found, error: whyNot(domain, expected, addresses, fault) };
    },
    async whyNotHere(host, expected) {
      const { dnsResolver } = await settings();
      if (!expected || isIP(expected) === 0 || isIP(host) !== 0) return undefined;
      const { addresses, fault } = await names.lookUp(host, dnsResolver);
      if (
        fault !== undefined ||
        addresses.some((address) => cdnOf(address) !== undefined || plain(address) === plain(expected))
      )
        return undefined;
      // Behind a router this server knows its inner address alone.
      if (isPrivate(expected) && addresses.some((address) => !isPrivate(address))) return undefined;
      return whyNot(host, expected, addresses, undefined);
    },
    async addressOf(machine) {
      if (isIP(machine) !== 0) return machine;
      const {
        addresses: [address],
        fault,
      } = await names.lookUp(machine, (await settings()).dnsResolver);
      if (address === undefined)
        throw new AppError(
          'PRECONDITION_FAILED',
          `The address of the server, ${machine}, leads nowhere: ${fault ?? 'the name has no address'}. ` +
            'Give the server an IP address with server.update, or add a record for the name.',
        );
      return address;
    },
  };
}

function whyNot(
  domain: string,
  expected: string,
  addresses: readonly string[],
  fault: string | undefined,
): string {
  if (fault !== undefined)
    return `${domain} could not be looked up: ${fault}. Try again later, or set another dnsResolver.`;
  if (addresses.length === 0)
    return (
      `${domain} has no address yet. Add a record that leads to ${expected}; it may take some minutes ` +
      'until it is seen.'
    );
  return `${domain} leads to ${addresses.join(', ')} instead of ${expected}. Change its record.`;
}

/** One text for each address, whatever way it is written. */
function plain(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname : address;
}
