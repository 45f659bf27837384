/** Accounts at DNS providers, by which Berth proves to authorities that names are yours (dns-01). */
import { z } from 'zod';
import { parseHost } from '../../domain/names/names.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { name } from '../service/contract-fields.ts';
import { dnsKindNames, dnsKinds } from './kinds/kinds.ts';
import { dnsProviderRecord, perDnsKind } from './record.ts';

const id = z.object({ dnsProviderId: z.string().min(1).max(100) });
const own = { class: 'admin', resources: [{ kind: 'dnsProvider', field: 'dnsProviderId' }] } as const;
const describedBy = (kind: keyof typeof dnsKinds): string =>
  `${dnsKinds[kind].label}. Needs: ${dnsKinds[kind].rights} (${dnsKinds[kind].source})`;

export const dnsProviderContract = {
  create: mutation({
    summary: 'Stores the credential of a DNS provider, by which certificates are proved',
    description:
      'Give the settings of the kind under its own name, such as {kind: "rfc2136", rfc2136: {…}}. The ' +
      'credential is stored encrypted and never shown again. Berth adds TXT records below _acme-challenge ' +
      'names while a certificate is asked for, and removes these texts alone. Addresses are judged as ' +
      "those of buckets are: the platform's own networks are never reached, private ones only as the " +
      'settings allow. The kind lego, a program of the machine of Berth, is for the organization of the ' +
      'installation alone.',
    access: { class: 'admin', resources: [] },
    input: z.object({
      name,
      kind: z.enum(dnsKindNames),
      ...perDnsKind((kind) => dnsKinds[kind].input.nullish().describe(describedBy(kind))),
    }),
    example: { name: 'Our zones', kind: 'rfc2136', rfc2136: dnsKinds.rfc2136.example },
    output: dnsProviderRecord,
    refusals: ['CONFLICT', 'FORBIDDEN'],
  }),
  one: query({
    summary: 'One DNS provider with its last error, without its credential',
    access: own,
    input: id,
    output: dnsProviderRecord,
  }),
  all: query({
    summary: 'The DNS providers of the organization, newest first',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(dnsProviderRecord),
  }),
  update: mutation({
    summary: 'Changes a DNS provider; absent fields stay, the credential too, null clears what is optional',
    description:
      'The kind stays. If its credential would go to another host, it has to be given again. The next ' +
      'renewals use it.',
    access: own,
    input: id.extend({
      name: name.optional(),
      ...perDnsKind((kind) => dnsKinds[kind].changes.nullish().describe(describedBy(kind))),
    }),
    output: dnsProviderRecord,
    refusals: ['FORBIDDEN'],
  }),
  remove: mutation({
    summary: 'Removes a DNS provider; refused while certificates are renewed by it',
    access: own,
    input: id,
    output: dnsProviderRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  test: mutation({
    summary: 'Sets a TXT record below _acme-challenge of a name and removes it again',
    description: 'Shows that the credential is right, may change the zone, and which zone serves the name.',
    access: own,
    input: id.extend({
      hostName: ruled(z.string().min(1).max(253, { abort: true }), parseHost)
        .meta({ examples: ['example.com'] })
        .describe('A host name of the zone, such as example.com'),
    }),
    output: z.object({
      success: z.literal(true),
      zone: z.string().describe('Zone that took the record'),
      name: z.string().describe('Name that the record had'),
    }),
    refusals: ['FORBIDDEN', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
};
