/** Cloudflare, by its client API v4. */
import { z } from 'zod';
import { isSameValue, plainValue, zoneValue, type NameOfZone } from '../../../domain/dns/zone.ts';
import { bearer, defineKind, firstZone, recordTtl, token } from './kind.ts';

const api = 'https://api.cloudflare.com/client/v4';
const zones = z.object({ result: z.array(z.object({ id: z.string(), name: z.string() })) });
const records = z.object({
  result: z.array(z.object({ id: z.string(), type: z.string(), content: z.string() })),
});

export const cloudflare = defineKind({
  label: 'Cloudflare',
  rights: 'An API token with Zone:Read and DNS:Edit for the zones alone, not the Global API Key',
  source: 'https://developers.cloudflare.com/api/resources/dns/subresources/records/',
  fields: { apiToken: token().describe('API token; never shown') },
  secrets: ['apiToken'],
  example: { apiToken: 'a-token-of-its-own' },
  origin: () => api,
  connect({ apiToken }, way) {
    const headers = bearer(apiToken);
    const at = ({ zone }: NameOfZone): string => `${api}/zones/${encodeURIComponent(zone.id)}/dns_records`;
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const url = `${api}/zones?name=${encodeURIComponent(name)}`;
          const { result = [] } = (await way.ask(zones, { method: 'GET', url, headers })) ?? {};
          return result.find((zone) => zone.name === name);
        }),
      async read(place) {
        const url = `${at(place)}?per_page=100&name=${encodeURIComponent(place.name)}`;
        const { result = [] } = (await way.ask(records, { method: 'GET', url, headers })) ?? {};
        return result.map(({ type, content }) => ({ type, value: plainValue(type, content) }));
      },
      async add(record) {
        const { type, name, value } = record;
        const content = type === 'TXT' ? zoneValue(record) : value;
        const body = { type, name, content, ttl: recordTtl, ...(type === 'TXT' ? {} : { proxied: false }) };
        await way.askText({ method: 'POST', url: at(record), headers, body, absent: [] });
      },
      async remove(record) {
        const query = `type=${record.type}&per_page=100&name=${encodeURIComponent(record.name)}`;
        const url = `${at(record)}?${query}`;
        const { result = [] } = (await way.ask(records, { method: 'GET', url, headers })) ?? {};
        for (const { id } of result.filter(({ content }) => isSameValue(record, content)))
          await way.askText({ method: 'DELETE', url: `${at(record)}/${encodeURIComponent(id)}`, headers });
      },
    };
  },
});
