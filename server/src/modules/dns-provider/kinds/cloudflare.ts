/** Cloudflare, by its client API v4. */
import { z } from 'zod';
import { bearer, defineKind, firstZone, recordTtl, token, unquoted, type TxtRecord } from './kind.ts';

const api = 'https://api.cloudflare.com/client/v4';
const zones = z.object({ result: z.array(z.object({ id: z.string(), name: z.string() })) });
const records = z.object({ result: z.array(z.object({ id: z.string(), content: z.string() })) });

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
    const at = ({ zone }: TxtRecord): string => `${api}/zones/${encodeURIComponent(zone.id)}/dns_records`;
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const url = `${api}/zones?name=${encodeURIComponent(name)}`;
          const { result = [] } = (await way.ask(zones, { method: 'GET', url, headers })) ?? {};
          return result.find((zone) => zone.name === name);
        }),
      async add(record) {
        const body = { type: 'TXT', name: record.name, content: `"${record.text}"`, ttl: recordTtl };
        await way.askText({ method: 'POST', url: at(record), headers, body, absent: [] });
      },
      async remove(record) {
        const url = `${at(record)}?type=TXT&per_page=100&name=${encodeURIComponent(record.name)}`;
        const { result = [] } = (await way.ask(records, { method: 'GET', url, headers })) ?? {};
        for (const { id } of result.filter(({ content }) => unquoted(content) === record.text))
          await way.askText({ method: 'DELETE', url: `${at(record)}/${encodeURIComponent(id)}`, headers });
      },
    };
  },
});
