/** Porkbun, by its JSON API v3, which has POST for everything. */
import { z } from 'zod';
import { isSameValue, plainValue, type NameOfZone } from '../../../domain/dns/zone.ts';
import { defineKind, firstZone, nameInZone, token } from './kind.ts';

const api = 'https://api.porkbun.com/api/json/v3';
const records = z.object({
  status: z.string(),
  records: z
    .array(z.object({ id: z.coerce.string(), name: z.string(), type: z.string(), content: z.string() }))
    .default([]),
});
/** The least that Porkbun allows. */
const ttl = '600';

export const porkbun = defineKind({
  label: 'Porkbun',
  rights: 'An API key with its secret key, and "API access" switched on for the domains alone',
  source: 'https://porkbun.com/api/json/v3/documentation',
  fields: {
    apiKey: token().describe('API key, pk1_…; never shown'),
    secretApiKey: token().describe('Secret key, sk1_…; never shown'),
  },
  secrets: ['apiKey', 'secretApiKey'],
  example: { apiKey: 'pk1_of-its-own', secretApiKey: 'sk1_of-its-own' },
  origin: () => api,
  connect({ apiKey, secretApiKey }, way) {
    const signed = { apikey: apiKey, secretapikey: secretApiKey };
    const subdomain = (place: NameOfZone): string => nameInZone(place).replace(/^@$/, '');
    const post = (path: string, more: object = {}, absent: readonly number[] = []) =>
      way.ask(records, { method: 'POST', url: `${api}/${path}`, body: { ...signed, ...more }, absent });
    return {
      async find(candidates) {
        await post('ping');
        // A domain that is not the account's is refused as a bad request.
        return firstZone(candidates, async (name) => {
          const found = await post(`dns/retrieveByNameType/${encodeURIComponent(name)}/NS`, {}, [400, 404]);
          return found?.status === 'SUCCESS' ? { id: name, name } : undefined;
        });
      },
      async read({ zone, name }) {
        const found = await post(`dns/retrieve/${encodeURIComponent(zone.id)}`);
        return (found?.records ?? []).flatMap(({ name: owner, type, content }) =>
          owner === name ? [{ type, value: plainValue(type, content) }] : [],
        );
      },
      async add(record) {
        const more = { name: subdomain(record), type: record.type, content: record.value, ttl };
        await post(`dns/create/${encodeURIComponent(record.zone.id)}`, more);
      },
      async remove(record) {
        const zone = encodeURIComponent(record.zone.id);
        const place = `${zone}/${record.type}/${encodeURIComponent(subdomain(record))}`;
        const found = await post(`dns/retrieveByNameType/${place}`, {}, [404]);
        for (const { id, content } of found?.records ?? [])
          if (isSameValue(record, content))
            await post(`dns/delete/${zone}/${encodeURIComponent(id)}`, {}, [404]);
      },
    };
  },
});
