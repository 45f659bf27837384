/** The kinds of DNS providers, one file each. */
import { rfc2136 } from './rfc2136.ts';

export const dnsKinds = { rfc2136 };

export type DnsKind = keyof typeof dnsKinds;
export const dnsKindNames = Object.keys(dnsKinds).filter((name): name is DnsKind => name in dnsKinds);
