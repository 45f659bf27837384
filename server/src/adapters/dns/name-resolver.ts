import { Resolver } from 'node:dns/promises';
import type { Found, NameResolver } from '../../ports/name-resolver.ts';

export interface NameResolverOptions {
  /** For one question, in milliseconds; it is asked twice. */
  timeoutMs?: number;
}

/**
 * DNS itself: /etc/hosts and the caches of other programs do not count, since browsers elsewhere do not see
 * them.
 */
export function createNameResolver({ timeoutMs = 2000 }: NameResolverOptions = {}): NameResolver {
  const resolverAt = (address: string | null): Resolver => {
    const dns = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (address !== null) dns.setServers([address]);
    return dns;
  };
  return {
    async lookUp(host, resolver) {
      const dns = resolverAt(resolver);
      const answers = await Promise.all([asked(() => dns.resolve4(host)), asked(() => dns.resolve6(host))]);
      const addresses = answers.flatMap(({ found }) => found);
      return {
        addresses,
        fault: addresses.length > 0 ? undefined : answers.find(({ fault }) => fault !== undefined)?.fault,
      };
    },
    records: (kind, name, resolver) => asked(() => questions[kind](resolverAt(resolver), name)),
  };
}

const questions = {
  TXT: async (dns: Resolver, name: string) => (await dns.resolveTxt(name)).map((parts) => parts.join('')),
  NS: (dns: Resolver, name: string) => dns.resolveNs(name),
  CNAME: (dns: Resolver, name: string) => dns.resolveCname(name),
} satisfies Record<string, (dns: Resolver, name: string) => Promise<string[]>>;

/** "No such name" and "no address of this family" are answers (c-ares error codes). */
const nothing: readonly string[] = ['ENOTFOUND', 'ENODATA'];

const faults: Readonly<Record<string, string>> = {
  ETIMEOUT: 'the resolver gave no answer in time',
  ECONNREFUSED: 'the resolver cannot be reached',
  ESERVFAIL: 'the resolver failed to look it up',
  EREFUSED: 'the resolver refused to answer',
  EBADNAME: 'the resolver does not accept it as a host name',
};

async function asked(question: () => Promise<string[]>): Promise<Found> {
  try {
    return { found: await question(), fault: undefined };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return {
      found: [],
      fault: nothing.includes(code)
        ? undefined
        : (faults[code] ?? `the resolver failed (${code || 'without a reason'})`),
    };
  }
}
