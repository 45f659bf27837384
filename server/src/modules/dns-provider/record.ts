/** The record of a DNS provider; its credentials are never in an answer. */
import { z } from 'zod';
import { perKind } from '../../procedure/input/kind-settings.ts';
import { dnsKindNames, dnsKinds, type DnsKind } from './kinds/kinds.ts';

/** A value for each kind of DNS provider, by its name. */
export const perDnsKind = <T>(make: (kind: DnsKind) => T): Record<DnsKind, T> => perKind(dnsKindNames, make);

export const dnsProviderRecord = z
  .object({
    dnsProviderId: z.string(),
    name: z.string(),
    kind: z.enum(dnsKindNames),
    rights: z.string().describe('Least rights that its credential needs'),
    ...perDnsKind((kind) =>
      dnsKinds[kind].shown.nullable().describe(`Settings of ${dnsKinds[kind].label}; null for other kinds`),
    ),
    lastUsedAt: z.string().nullable().describe('When it last took a record'),
    lastError: z.string().nullable().describe('Why the newest attempt failed; null when it did not'),
    lastErrorAt: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'DnsProvider' });
