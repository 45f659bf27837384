/** Whose customer a host is: what counts is whither its DNS leads, which no other tenant can say. */
import type { DomainRecord } from '../../db/tables.ts';
import { typeOf } from '../../domain/network/leading.ts';
import type { NameResolver } from '../../ports/name-resolver.ts';

interface OwnerParts {
  names: Pick<NameResolver, 'lookUp' | 'records'>;
  resolver(): Promise<string | null>;
}

/** Aliases that are followed (RFC 1034, 3.6.2, sets no number). */
const mostAliases = 5;

export interface Owner {
  domain: DomainRecord;
  /** Some of its addresses are not those of the domain: which, and what to do. */
  elsewhere?: string;
}

/**
 * The domain that the host leads to by its CNAME, or by its addresses; undefined when it leads to none, or
 * its addresses are those of domains of several organizations; `unknown` when DNS does not answer. Of several
 * domains of one organization the oldest is asked.
 */
export async function ownerOf(
  { names, resolver }: OwnerParts,
  host: string,
  allowing: readonly DomainRecord[],
): Promise<Owner | undefined | 'unknown'> {
  const dnsResolver = await resolver();
  let name = host;
  for (let count = 0; count < mostAliases; count += 1) {
    const { found, fault } = await names.records('CNAME', name, dnsResolver);
    if (fault !== undefined) return 'unknown';
    const [target] = found;
    if (target === undefined) break;
    name = target.toLowerCase().replace(/\.$/, '');
    const domain = allowing.find(({ asciiHost }) => asciiHost === name);
    if (domain) return { domain };
  }
  const { addresses, fault } = await names.lookUp(host, dnsResolver);
  if (fault !== undefined) return 'unknown';
  if (addresses.length === 0) return undefined;
  const [whole, partly]: [DomainRecord[], { domain: DomainRecord; own: string[] }[]] = [[], []];
  for (const domain of allowing.slice(0, mostCompared)) {
    const own = (await names.lookUp(domain.asciiHost, dnsResolver)).addresses;
    if (addresses.every((address) => own.includes(address))) whole.push(domain);
    else if (addresses.some((address) => own.includes(address))) partly.push({ domain, own });
  }
  if (whole.length > 0) {
    const domain = oldestOfOne(whole);
    return domain && { domain };
  }
  const domain = oldestOfOne(partly.map((each) => each.domain));
  const own = partly.find((each) => each.domain === domain)?.own;
  if (!domain || !own) return undefined;
  return { domain, elsewhere: elsewhereOf({ host, addresses, domain, own }) };
}

/** Undefined when they are of several organizations. */
function oldestOfOne(domains: readonly DomainRecord[]): DomainRecord | undefined {
  if (new Set(domains.map(({ organizationId }) => organizationId)).size !== 1) return undefined;
  return domains.toSorted((one, other) => one.uniqueConfigKey - other.uniqueConfigKey)[0];
}

function elsewhereOf(of: {
  host: string;
  addresses: readonly string[];
  domain: DomainRecord;
  own: readonly string[];
}): string {
  const others = of.addresses.filter((address) => !of.own.includes(address));
  const records = others.map((address) => `${of.host} ${typeOf(address)} ${address}`).join(' and ');
  return (
    `besides the addresses of ${of.domain.host} it has ${records}, which leads elsewhere; let the customer ` +
    'remove that record'
  );
}

/** Domains whose addresses are looked up for one host. */
const mostCompared = 50;
