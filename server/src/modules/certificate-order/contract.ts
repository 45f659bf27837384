/** Certificates that Berth asks authorities for, proved by DNS, and renews; wildcards among them. */
import { z } from 'zod';
import { parseHost } from '../../domain/names/names.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { name } from '../service/contract-fields.ts';
import { certificateOrderRecord } from './record.ts';

const id = z.object({ certificateOrderId: z.string().min(1).max(100) });
const order = { kind: 'certificateOrder', field: 'certificateOrderId' } as const;
const own = { class: 'admin', resources: [order] } as const;
const named = (kind: 'dnsProvider' | 'certificateResolver' | 'server') =>
  ({ kind, field: `${kind}Id` }) as const;
const reference = z.string().min(1).max(100);

const fields = {
  dnsProviderId: reference.describe('DNS provider that serves the zones of all names'),
  certificateResolverId: reference
    .nullish()
    .describe('Authority; null: the one of the settings, usually Let’s Encrypt'),
};

export const certificateOrderContract = {
  create: mutation({
    summary: 'Asks an authority for a certificate by DNS, wildcards among them, and renews it',
    description:
      'Berth answers at once and asks in the background: it sets a TXT record below _acme-challenge of ' +
      'each name, waits until the name servers of the zone have it, lets the authority check it, and ' +
      'removes it. The certificate serves domains with https and certificateType `none` as an uploaded one ' +
      'does. It is renewed 30 days before its end, or when a third of its life is left if that is later; ' +
      'what failed is tried again after 10 minutes, then less often, and is an alarm. The private key ' +
      'never leaves Berth and the proxy of its server.',
    access: {
      class: 'admin',
      resources: [named('dnsProvider'), named('certificateResolver'), named('server')],
    },
    input: z.object({
      name,
      names: z
        .array(ruled(z.string().min(1).max(253, { abort: true }), (text) => parseHost(text, 'names')))
        .min(1)
        .max(50)
        .meta({ examples: [['*.apps.example.com', 'apps.example.com']] })
        .describe('Host names; a wildcard stands for one label and not for the name below it'),
      ...fields,
      serverId: reference
        .nullish()
        .describe('Server it is for; required in a cloud installation, else this one'),
    }),
    output: certificateOrderRecord,
    refusals: ['CONFLICT'],
  }),
  one: query({
    summary: 'One certificate order: what became of it, and when it is renewed',
    access: own,
    input: id,
    output: certificateOrderRecord,
  }),
  all: query({
    summary: 'The certificate orders of the organization, newest first',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(certificateOrderRecord),
  }),
  update: mutation({
    summary: 'Changes by which DNS provider and authority a certificate is renewed',
    access: { class: 'admin', resources: [order, named('dnsProvider'), named('certificateResolver')] },
    input: id.extend({
      name: name.optional(),
      dnsProviderId: fields.dnsProviderId.optional(),
      certificateResolverId: fields.certificateResolverId,
    }),
    output: certificateOrderRecord,
  }),
  retry: mutation({
    summary: 'Asks for the certificate now: the first one, after a failure, or before it is due',
    access: own,
    input: id,
    output: certificateOrderRecord,
  }),
  remove: mutation({
    summary: 'Ends the renewal; the certificate that is there stays as an uploaded one does',
    access: own,
    input: id,
    output: certificateOrderRecord,
  }),
};
