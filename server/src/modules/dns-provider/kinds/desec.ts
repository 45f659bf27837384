/** deSEC, by its API v1. */
import { z } from 'zod';
import { defineKind, firstZone, nameInZone, replacingTexts, token, type TxtRecord } from './kind.ts';

const api = 'https://desec.io/api/v1/domains';
const shownDomain = z.object({ name: z.string() });
const rrset = z.object({ records: z.array(z.string()), ttl: z.number() });
/** The least that every domain allows. */
const leastTtl = 3600;

export const desec = defineKind({
  label: 'deSEC',
  rights:
    'A token with policies that let it write TXT record sets of _acme-challenge names of the domain alone',
  source: 'https://desec.readthedocs.io/en/latest/dns/rrsets.html',
  fields: { apiToken: token().describe('Token; never shown') },
  secrets: ['apiToken'],
  example: { apiToken: 'a-token-of-its-own' },
  origin: () => api,
  connect({ apiToken }, way) {
    const headers = { authorization: `Token ${apiToken}` };
    const subname = (record: TxtRecord): string => nameInZone(record).replace(/^@$/, '');
    const at = (record: TxtRecord): string =>
      `${api}/${encodeURIComponent(record.zone.id)}/rrsets/${encodeURIComponent(nameInZone(record))}/TXT/`;
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const url = `${api}/${encodeURIComponent(name)}/`;
          const found = await way.ask(shownDomain, { method: 'GET', url, headers });
          return found && { id: found.name, name };
        }),
      ...replacingTexts(way, {
        async read(record) {
          const found = await way.ask(rrset, { method: 'GET', url: at(record), headers });
          return found && { values: found.records, ttl: found.ttl };
        },
        // An empty list removes the set; the list of sets is put as a whole and leaves others as they are.
        async write(record, values, ttl = leastTtl) {
          const url = `${api}/${encodeURIComponent(record.zone.id)}/rrsets/`;
          const body = [{ subname: subname(record), type: 'TXT', ttl, records: values }];
          await way.askText({ method: 'PUT', url, headers, body, absent: [] });
        },
      }),
    };
  },
});
