/** Whether a host name leads to a server (interface document, validateDomain). */
import { isIP } from 'node:net';
import { cdnOf } from '../../domain/network/cdn.ts';
import { besides, isInRanges, plainAddress, sorted } from '../../domain/network/leading.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { isPrivate } from '../../domain/network/network.ts';
import { isPublicBase, wildcardRecord } from '../../domain/routing/base-domain.ts';
import type { LeadingMachine } from '../base-domain/base-domain.ts';
import { parseHost } from '../../domain/names/names.ts';
import { checkWildcardHost } from '../../domain/names/wildcard-host.ts';
import type { Lookup, NameResolver } from '../../ports/name-resolver.ts';

export interface DnsVerdict {
  isValid: boolean;
  resolvedIps: string[];
  expectedIp: string;
  /** Why it is not valid. */
  error?: string;
  /** What is to be mended although it is valid. */
  hint?: string;
  cdnProvider?: string;
  machines: ExpectedMachine[];
}

/** A machine to which a name is to lead; one of several is enough. */
export interface ExpectedMachine {
  /** null: Berth's own. */
  serverId: string | null;
  /** IP address; null while nobody knows it. */
  address: string | null;
  isLed: boolean;
}

export interface DnsCheck {
  /**
   * Whether the host leads to one of the machines, which are named by address or by name; of a wildcard, some
   * name below it is asked for. BAD_REQUEST naming `serverIp` when no address is known.
   */
  check(domain: string, machines: readonly LeadingMachine[]): Promise<DnsVerdict>;
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
  settings(): Promise<{
    serverIp: string | null;
    dnsResolver: string | null;
    /** Proxies in front of Berth's own. */
    trustedProxies?: readonly string[];
  }>;
}

export function createDnsCheck({ names, settings }: DnsCheckOptions): DnsCheck {
  const whyNotHere: DnsCheck['whyNotHere'] = async (host, expected) =>
    reasonElsewhere(names, (await settings()).dnsResolver, host, expected);
  return {
    checkBase: (base, machines, owner) => checkBase({ names, settings }, base, { machines, owner }),
    check: (domain, machines) => check({ names, settings }, domain, machines),
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

async function check(
  { names, settings }: DnsCheckOptions,
  domain: string,
  machines: readonly LeadingMachine[],
): Promise<DnsVerdict> {
  const host = parseHost(domain, 'domain');
  const { dnsResolver, trustedProxies = [] } = await settings();
  const lookUp = async (name: string): Promise<Lookup> =>
    isIP(name) === 0 ? names.lookUp(name, dnsResolver) : { addresses: [name], fault: undefined };
  const addresses = await Promise.all(
    machines.map(async ({ address }) => (address === null ? [] : (await lookUp(address)).addresses)),
  );
  const [expectedIp] = addresses.flat();
  if (expectedIp === undefined) throw unknownMachine(machines);
  const { addresses: found, fault } = await lookUp(someNameOf(host));
  const led = { name: host, found, machines: addresses };
  const { right, isLed } = sorted(led);
  const cdnProvider = found.map((address) => proxyOf(address, trustedProxies)).find((name) => name);
  const hint = besides(led);
  const verdict = {
    resolvedIps: [...found],
    expectedIp,
    ...(cdnProvider === undefined ? {} : { cdnProvider }),
    machines: machines.map(({ serverId }, index) => ({
      serverId,
      address: addresses[index]?.[0] ?? null,
      isLed: isLed[index] ?? false,
    })),
  };
  // Behind a network of others nobody sees where the name leads from there.
  if (cdnProvider !== undefined) return { isValid: true, ...verdict };
  if (right.length > 0) return { isValid: true, ...verdict, ...(hint === undefined ? {} : { hint }) };
  const to = machines.length === 1 ? expectedIp : [...new Set(addresses.flat())].join(' or ');
  return { isValid: false, ...verdict, error: whyNot(domain, to, found, fault) };
}

function unknownMachine(machines: readonly LeadingMachine[]): AppError {
  const name = machines.find(({ address }) => address !== null)?.address;
  return name === undefined || name === null
    ? badField('serverIp', 'is required while the setting serverIp is not set')
    : badField('serverIp', `is required while the address of the server, ${name}, leads nowhere`);
}

/** What stands in front of the machine by design: a network for content, or a proxy of the installation. */
function proxyOf(address: string, trustedProxies: readonly string[]): string | undefined {
  const trusted = trustedProxies.filter((each) => each !== 'private' && isIP(each.split('/')[0] ?? '') !== 0);
  return (
    cdnOf(address) ?? (isInRanges(address, trusted) ? 'a proxy of the setting trustedProxies' : undefined)
  );
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
  Boolean(expected) && addresses.some((address) => plainAddress(address) === plainAddress(expected ?? ''));

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
    addresses.some(
      (address) => cdnOf(address) !== undefined || plainAddress(address) === plainAddress(expected),
    )
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
