/** Inputs and answers of the procedures that set records of domains. */
import { z } from 'zod';
import { baseDomainName } from '../base-domain/contract-field.ts';
import { recordTypeNames } from '../../domain/dns/zone.ts';

const id = z.string().min(1).max(100);

export const recordsInput = z.object({
  domainId: id.optional().describe('A domain of a service'),
  baseDomain: baseDomainName.optional().meta({
    description: 'In place of a domain: a base domain, whose wildcard is meant; saved or about to be',
    examples: ['apps.example.com'],
  }),
  serverId: id
    .nullish()
    .describe("Of a base domain: the server that it is to lead to; absent or null: Berth's own machine"),
  remove: z.boolean().default(false).describe('Plans that the records which Berth has made go again'),
});

const record = {
  name: z.string().describe('Whole name, without a dot at its end'),
  type: z.string().describe('A, AAAA, CNAME or TXT; of records of others any'),
  value: z.string().describe('As a zone file has it, a text without quotes'),
};

export const recordPlan = z
  .object({
    name: z.string().describe('Name that leads to the server'),
    zone: z.string().describe('Zone of the provider in which it stands'),
    dnsProviderId: z.string(),
    dnsProvider: z.string().describe('Name of the DNS provider that serves the zone'),
    changes: z
      .array(
        z.object({
          action: z.enum(['create', 'remove']).describe('What becomes of the record'),
          ...record,
          type: z.enum(recordTypeNames),
        }),
      )
      .describe(
        'In the order in which they are made. TXT records of _berth-owner names say which records are ' +
          "Berth's; a record that changes is created and removed",
      ),
    right: z
      .array(z.object({ ...record, isOwn: z.boolean().describe('Berth has made it, and removes it') }))
      .describe('Records that are right already'),
    foreign: z
      .array(z.object({ ...record, hint: z.string().describe('What to do') }))
      .describe(
        'Records that Berth did not make and that lead elsewhere; with one of them nothing is changed',
      ),
    unfinished: z.string().nullable().describe('Why the last change is not finished; it is tried again'),
    digest: z.string().describe('Names this plan of this zone'),
  })
  .meta({ id: 'DnsRecordPlan' });
