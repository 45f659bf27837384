/** DigitalOcean, by its API v2. */
import { z } from 'zod';
import { bearer, defineKind, firstZone, nameInZone, recordTtl, token, type TxtRecord } from './kind.ts';

const api = 'https://api.digitalocean.com/v2/domains';
const shownDomain = z.object({ domain: z.object({ name: z.string() }) });
const records = z.object({ domain_records: z.array(z.object({ id: z.number(), data: z.string() })) });

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
    const at = ({ zone }: TxtRecord): string => `${api}/${encodeURIComponent(zone.id)}/records`;
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const url = `${api}/${encodeURIComponent(name)}`;
          const found = await way.ask(shownDomain, { method: 'GET', url, headers });
          return found && { id: found.domain.name, name };
        }),
      async add(record) {
        const body = { type: 'TXT', name: nameInZone(record), data: record.text, ttl: recordTtl };
        await way.askText({ method: 'POST', url: at(record), headers, body, absent: [] });
      },
      async remove(record) {
        const url = `${at(record)}?type=TXT&per_page=200&name=${encodeURIComponent(record.name)}`;
        const found = await way.ask(records, { method: 'GET', url, headers });
        for (const { id, data } of found?.domain_records ?? [])
          if (data === record.text)
            await way.askText({ method: 'DELETE', url: `${at(record)}/${id}`, headers });
      },
    };
  },
});
