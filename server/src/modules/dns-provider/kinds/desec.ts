/** deSEC, by its API v1. */
import { z } from 'zod';
import type { NameOfZone, ZoneRecord } from '../../../domain/dns/zone.ts';
import { defineKind, firstZone, nameInZone, recordsOfSets, replacingValues, token } from './kind.ts';

const api = 'https://desec.io/api/v1/domains';
const shownDomain = z.object({ name: z.string() });
const rrset = z.object({ type: z.string(), records: z.array(z.string()), ttl: z.number() });
/** The least that every domain allows. */
const leastTtl = 3600;

export const desec = defineKind({
  label: 'deSEC',
  rights:
    'A token with policies that let it write TXT record sets of _acme-challenge names of the domain alone; ' +
    'to set records of domains also their A, AAAA and CNAME, and TXT of _berth-owner names',
  source: 'https://desec.readthedocs.io/en/latest/dns/rrsets.html',
  fields: { apiToken: token().describe('Token; never shown') },
  secrets: ['apiToken'],
  example: { apiToken: 'a-token-of-its-own' },
  origin: () => api,
  connect({ apiToken }, way) {
    const headers = { authorization: `Token ${apiToken}` };
    const subname = (place: NameOfZone): string => nameInZone(place).replace(/^@$/, '');
    const sets = ({ zone }: NameOfZone): string => `${api}/${encodeURIComponent(zone.id)}/rrsets/`;
    const at = (record: ZoneRecord): string =>
      `${sets(record)}${encodeURIComponent(nameInZone(record))}/${record.type}/`;
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const url = `${api}/${encodeURIComponent(name)}/`;
          const found = await way.ask(shownDomain, { method: 'GET', url, headers });
          return found && { id: found.name, name };
        }),
      async read(place) {
        const url = `${sets(place)}?subname=${encodeURIComponent(subname(place))}`;
        const found = (await way.ask(z.array(rrset), { method: 'GET', url, headers })) ?? [];
        return recordsOfSets(found.map(({ type, records }) => ({ type, values: records })));
      },
      ...replacingValues(way, {
        async present(record) {
          const found = await way.ask(rrset, { method: 'GET', url: at(record), headers });
          return found && { values: found.records, ttl: found.ttl };
        },
        // An empty list removes the set; the list of sets is put as a whole and leaves others as they are.
        async write(record, values, ttl = leastTtl) {
          const body = [{ subname: subname(record), type: record.type, ttl, records: values }];
          await way.askText({ method: 'PUT', url: sets(record), headers, body, absent: [] });
        },
      }),
    };
  },
});
