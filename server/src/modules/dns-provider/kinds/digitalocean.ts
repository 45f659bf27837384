/** DigitalOcean, by its API v2. */
import { z } from 'zod';
import { isSameValue, plainValue, zoneValue, type NameOfZone } from '../../../domain/dns/zone.ts';
import { bearer, defineKind, firstZone, nameInZone, recordTtl, token } from './kind.ts';

const api = 'https://api.digitalocean.com/v2/domains';
const shownDomain = z.object({ domain: z.object({ name: z.string() }) });
const records = z.object({
  domain_records: z.array(z.object({ id: z.number(), type: z.string(), data: z.string() })),
});

export const digitalocean = defineKind({
  label: 'DigitalOcean',
  rights: 'A personal access token with the custom scopes domain:read, domain:create and domain:delete',
  source: 'https://docs.digitalocean.com/reference/api/digitalocean/#tag/Domain-Records',
  fields: { apiToken: token().describe('Personal access token; never shown') },
  secrets: ['apiToken'],
  example: { apiToken: 'a-token-of-its-own' },
  origin: () => api,
  connect({ apiToken }, way) {
    const headers = bearer(apiToken);
    const at = ({ zone }: NameOfZone): string => `${api}/${encodeURIComponent(zone.id)}/records`;
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const url = `${api}/${encodeURIComponent(name)}`;
          const found = await way.ask(shownDomain, { method: 'GET', url, headers });
          return found && { id: found.domain.name, name };
        }),
      async read(place) {
        const url = `${at(place)}?per_page=200&name=${encodeURIComponent(place.name)}`;
        const found = await way.ask(records, { method: 'GET', url, headers });
        return (found?.domain_records ?? []).map(({ type, data }) => ({
          type,
          value: plainValue(type, data),
        }));
      },
      async add(record) {
        const { type, value } = record;
        const data = type === 'TXT' ? value : zoneValue(record);
        const body = { type, name: nameInZone(record), data, ttl: recordTtl };
        await way.askText({ method: 'POST', url: at(record), headers, body, absent: [] });
      },
      async remove(record) {
        const query = `type=${record.type}&per_page=200&name=${encodeURIComponent(record.name)}`;
        const found = await way.ask(records, { method: 'GET', url: `${at(record)}?${query}`, headers });
        for (const { id, data } of found?.domain_records ?? [])
          if (isSameValue(record, data))
            await way.askText({ method: 'DELETE', url: `${at(record)}/${id}`, headers });
      },
    };
  },
});
