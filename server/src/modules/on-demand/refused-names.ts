/**
 * Why names of customers were refused lately, by the domain that would have allowed them. In memory, since
 * anybody can have names refused by opening connections: the newest of each domain, of the newest domains.
 */
import { isoTime, type Clock } from '../../ports/clock.ts';

export interface RefusedName {
  host: string;
  reason: string;
  at: string;
}

export interface RefusedNames {
  note(domainId: string, host: string, reason: string): void;
  /** Newest first, each host once. */
  of(domainId: string): RefusedName[];
}

export const mostNames = 20;
const mostDomains = 500;
const longestReason = 500;

export function createRefusedNames(clock: Clock): RefusedNames {
  const byDomain = new Map<string, RefusedName[]>();
  return {
    note(domainId, host, reason) {
      const others = (byDomain.get(domainId) ?? []).filter((each) => each.host !== host);
      byDomain.delete(domainId);
      const [oldest] = byDomain.keys();
      if (byDomain.size >= mostDomains && oldest !== undefined) byDomain.delete(oldest);
      const refused = { host, reason: reason.slice(0, longestReason), at: isoTime(clock) };
      byDomain.set(domainId, [refused, ...others].slice(0, mostNames));
    },
    of: (domainId) => [...(byDomain.get(domainId) ?? [])],
  };
}
