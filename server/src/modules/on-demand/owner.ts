/** Whose customer a host is: what counts is whither its DNS leads, which no other tenant can say. */
import type { DomainRecord } from '../../db/tables.ts';
import type { NameResolver } from '../../ports/name-resolver.ts';

interface OwnerParts {
  names: Pick<NameResolver, 'lookUp' | 'records'>;
  resolver(): Promise<string | null>;
}

/** Aliases that are followed (RFC 1034, 3.6.2, sets no number). */
const mostAliases = 5;

/**
 * The domain that the host leads to by its CNAME, or by addresses that are all the domain's; undefined when
 * it leads to none, or its addresses are those of domains of several organizations; `unknown` when DNS does
 * not answer. Of several domains of one organization the oldest is asked.
 */
export async function ownerOf(
  { names, resolver }: OwnerParts,
  host: string,
  allowing: readonly DomainRecord[],
): Promise<DomainRecord | undefined | 'unknown'> {
  const dnsResolver = await resolver();
  let name = host;
  for (let count = 0; count < mostAliases; count += 1) {
    const { found, fault } = await names.records('CNAME', name, dnsResolver);
    if (fault !== undefined) return 'unknown';
    const [target] = found;
    if (target === undefined) break;
    name = target.toLowerCase().replace(/\.$/, '');
    const domain = allowing.find(({ asciiHost }) => asciiHost === name);
    if (domain) return domain;
  }
  const { addresses, fault } = await names.lookUp(host, dnsResolver);
  if (fault !== undefined) return 'unknown';
  if (addresses.length === 0) return undefined;
  const sharing: DomainRecord[] = [];
  for (const domain of allowing.slice(0, mostCompared)) {
    const own = new Set((await names.lookUp(domain.asciiHost, dnsResolver)).addresses);
    if (addresses.every((address) => own.has(address))) sharing.push(domain);
  }
  if (new Set(sharing.map(({ organizationId }) => organizationId)).size !== 1) return undefined;
  return sharing.toSorted((one, other) => one.uniqueConfigKey - other.uniqueConfigKey)[0];
}

/** Domains whose addresses are looked up for one host. */
const mostCompared = 50;
