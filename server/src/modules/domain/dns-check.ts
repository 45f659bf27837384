/** Whether a host name leads to a server (interface document, validateDomain). */
import { isIP } from 'node:net';
import { cdnOf } from '../../domain/network/cdn.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { isPrivate } from '../../domain/network/network.ts';
import { isPublicBase, wildcardRecord } from '../../domain/routing/base-domain.ts';
import { parseHost } from '../../domain/names/names.ts';
import { checkWildcardHost } from '../../domain/names/wildcard-host.ts';
import type { Lookup, NameResolver } from '../../ports/name-resolver.ts';

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
  /**
   * Throws BAD_REQUEST naming `baseDomain` for a domain below which anybody can have names, and when the
   * names below it certainly lead to none of the machines, named by address; Berth's own unless given. With
   * an owner it must be certain that they lead there, or a text record says that the domain is the owner's.
   */
  checkBase(base: string, machines?: readonly (string | null)[], owner?: string): Promise<void>;
  /** The IP address of a machine that may be given by name; PRECONDITION_FAILED when the name has none. */
  addressOf(machine: string): Promise<string>;
}

export interface DnsCheckOptions {
  names: Pick<NameResolver, 'lookUp' | 'records'>;
  /** Settings serverIp and dnsResolver. */
  settings(): Promise<{ serverIp: string | null; dnsResolver: string | null }>;
}

export function createDnsCheck({ names, settings }: DnsCheckOptions): DnsCheck {
  const whyNotHere: DnsCheck['whyNotHere'] = async (host, expected) =>
    reasonElsewhere(names, (await settings()).dnsResolver, host, expected);
  return {
    checkBase: (base, machines, owner) => checkBase({ names, settings }, base, { machines, owner }),
    async check(domain, serverIp) {
      const host = parseHost(domain, 'domain');
      const { serverIp: ownIp, dnsResolver } = await settings();
      const expected = serverIp || ownIp;
      if (!expected) throw badField('serverIp', 'is required while the setting serverIp is not set');
      const { addresses, fault } =
        isIP(host) === 0
          ? await names.lookUp(someNameOf(host), dnsResolver)
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
    whyNotHere,
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

async function checkBase(
  { names, settings }: DnsCheckOptions,
  base: string,
  { machines, owner }: { machines: readonly (string | null)[] | undefined; owner: string | undefined },
): Promise<void> {
  await checkWildcardHost(`*.${base}`, 'baseDomain');
  // Browsers lead these to their own machine (RFC 6761, 6.3); no DNS knows them.
  if (!isPublicBase(base)) return;
  const { serverIp, dnsResolver } = await settings();
  const found = await names.lookUp(someNameOf(`*.${base}`), dnsResolver);
  const reasons: { address: string; why: string }[] = [];
  let mayBeHere = false;
  for (const machine of new Set(machines ?? [serverIp])) {
    const address =
      machine === null || isIP(machine) !== 0
        ? machine
        : (await names.lookUp(machine, dnsResolver)).addresses[0];
    if (leadsTo(address, found)) return;
    const why = whyElsewhere(`*.${base}`, address, found);
    if (why === undefined || !address) mayBeHere = true;
    else reasons.push({ address, why });
  }
  if (owner !== undefined) return requireProof(names, { base, owner, dnsResolver });
  const [reason] = reasons;
  if (mayBeHere || reason === undefined) return;
  const records = reasons.map(({ address }) => `"${wildcardRecord(base, address)}"`);
  throw badField(
    'baseDomain',
    `does not lead to ${machines ? 'the machine of its services' : 'this machine'} yet: ${reason.why} ` +
      `The record is ${records.join(' or ')}; save again when it is known`,
  );
}

/** Whoever holds a base domain keeps others from every name below it. */
async function requireProof(
  names: Pick<NameResolver, 'records'>,
  { base, owner, dnsResolver }: { base: string; owner: string; dnsResolver: string | null },
): Promise<void> {
  const { found } = await names.records('TXT', `_berth.${base}`, dnsResolver);
  if (found.includes(`berth=${owner}`)) return;
  throw badField(
    'baseDomain',
    `is not seen to lead to the machine of your services: *.${base} has another address, none, or stands ` +
      'behind a CDN, or the machine is not set up. Correct its record, or add the record ' +
      `_berth.${base} TXT "berth=${owner}", which shows that it is yours; save again when it is known`,
  );
}

const leadsTo = (expected: string | null | undefined, { addresses }: Lookup): boolean =>
  Boolean(expected) && addresses.some((address) => plain(address) === plain(expected ?? ''));

async function reasonElsewhere(
  names: Pick<NameResolver, 'lookUp'>,
  dnsResolver: string | null,
  host: string,
  expected: string | null,
): Promise<string | undefined> {
  if (!expected || isIP(expected) === 0 || isIP(host) !== 0) return undefined;
  return whyElsewhere(host, expected, await names.lookUp(someNameOf(host), dnsResolver));
}

/** As far as it is certain. */
function whyElsewhere(
  host: string,
  expected: string | null | undefined,
  { addresses, fault }: Lookup,
): string | undefined {
  if (!expected) return undefined;
  if (
    fault !== undefined ||
    addresses.some((address) => cdnOf(address) !== undefined || plain(address) === plain(expected))
  )
    return undefined;
  // Behind a router this server knows its inner address alone.
  if (isPrivate(expected) && addresses.some((address) => !isPrivate(address))) return undefined;
  return whyNot(host, expected, addresses, undefined);
}

/** Of a wildcard, one of the names below it. */
const someNameOf = (host: string): string => host.replace(/^\*/, 'berth-check');

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
