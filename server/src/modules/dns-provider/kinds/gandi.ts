/** Gandi LiveDNS, by its API v5. */
import { z } from 'zod';
import type { NameOfZone, ZoneRecord } from '../../../domain/dns/zone.ts';
import { bearer, defineKind, firstZone, nameInZone, recordsOfSets, replacingValues, token } from './kind.ts';

const api = 'https://api.gandi.net/v5/livedns/domains';
const shownDomain = z.object({ fqdn: z.string() });
const rrset = z.object({
  rrset_type: z.string(),
  rrset_values: z.array(z.string()),
  rrset_ttl: z.number(),
});
/** The least that LiveDNS allows. */
const leastTtl = 300;

export const gandi = defineKind({
  label: 'Gandi',
  rights: 'A personal access token for the domains alone, with "Manage domain name technical configurations"',
  source: 'https://api.gandi.net/docs/livedns/',
  fields: { apiToken: token().describe('Personal access token; never shown') },
  secrets: ['apiToken'],
  example: { apiToken: 'a-token-of-its-own' },
  origin: () => api,
  connect({ apiToken }, way) {
    const headers = bearer(apiToken);
    const named = (place: NameOfZone): string =>
      `${api}/${encodeURIComponent(place.zone.id)}/records/${encodeURIComponent(nameInZone(place))}`;
    const at = (record: ZoneRecord): string => `${named(record)}/${record.type}`;
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const url = `${api}/${encodeURIComponent(name)}`;
          // Of a domain that the token does not name it says that the token may not.
          const found = await way.ask(shownDomain, { method: 'GET', url, headers, absent: [403, 404] });
          return found && { id: found.fqdn, name };
        }),
      async read(place) {
        const found = (await way.ask(z.array(rrset), { method: 'GET', url: named(place), headers })) ?? [];
        return recordsOfSets(found.map(({ rrset_type: type, rrset_values: values }) => ({ type, values })));
      },
      ...replacingValues(way, {
        async present(record) {
          const found = await way.ask(rrset, { method: 'GET', url: at(record), headers });
          return found && { values: found.rrset_values, ttl: found.rrset_ttl };
        },
        async write(record, values, ttl = leastTtl) {
          const url = at(record);
          await (values.length === 0
            ? way.askText({ method: 'DELETE', url, headers })
            : way.askText({
                method: 'PUT',
                url,
                headers,
                body: { rrset_ttl: ttl, rrset_values: values },
                absent: [],
              }));
        },
      }),
    };
  },
});
