/** PowerDNS Authoritative Server by its HTTP interface. */
import { z } from 'zod';
import type { NameOfZone } from '../../../domain/dns/zone.ts';
import {
  apiOrigin,
  baseUrl,
  defineKind,
  firstZone,
  recordsOfSets,
  recordTtl,
  replacingValues,
  token,
} from './kind.ts';

const shownZone = z.object({
  id: z.string(),
  name: z.string(),
  rrsets: z
    .array(
      z.object({
        name: z.string(),
        type: z.string(),
        ttl: z.number(),
        records: z.array(z.object({ content: z.string() })),
      }),
    )
    .default([]),
});

export const powerdns = defineKind({
  label: 'PowerDNS',
  rights:
    'The api-key of the server, which changes every zone; let webserver-allow-from name this machine alone',
  source: 'https://doc.powerdns.com/authoritative/http-api/',
  fields: {
    apiUrl: baseUrl().describe('Address of its web server, such as https://ns1.example.com:8081'),
    apiKey: token().describe('Its api-key; never shown'),
    serverName: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,100}$/, 'must be the id of a server, usually localhost')
      .describe('Id of the server in its interface')
      .default('localhost'),
  },
  secrets: ['apiKey'],
  example: { apiUrl: 'https://ns1.example.com:8081', apiKey: 'a-key-of-its-own', serverName: 'localhost' },
  origin: ({ apiUrl }) => apiOrigin(apiUrl),
  connect({ apiUrl, apiKey, serverName }, way) {
    const zones = `${apiUrl.replace(/\/+$/, '')}/api/v1/servers/${serverName}/zones`;
    const headers = { 'x-api-key': apiKey };
    const setsAt = async ({ zone, name }: NameOfZone): Promise<z.output<typeof shownZone>['rrsets']> => {
      // Servers before 4.6 send the whole zone.
      const url = `${zones}/${encodeURIComponent(zone.id)}?rrset_name=${encodeURIComponent(`${name}.`)}`;
      const found = await way.ask(shownZone, { method: 'GET', url, headers });
      return (found?.rrsets ?? []).filter((each) => each.name === `${name}.`);
    };
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const url = `${zones}?zone=${encodeURIComponent(`${name}.`)}`;
          const [found] = (await way.ask(z.array(shownZone), { method: 'GET', url, headers })) ?? [];
          return found && { id: found.id, name };
        }),
      read: async (place) =>
        recordsOfSets(
          (await setsAt(place)).map(({ type, records }) => ({
            type,
            values: records.map(({ content }) => content),
          })),
        ),
      ...replacingValues(way, {
        async present(record) {
          const rrset = (await setsAt(record)).find(({ type }) => type === record.type);
          return rrset && { values: rrset.records.map(({ content }) => content), ttl: rrset.ttl };
        },
        async write({ zone, name, type }, values, ttl = recordTtl) {
          const rrset = {
            name: `${name}.`,
            type,
            ...(values.length === 0
              ? { changetype: 'DELETE' }
              : {
                  changetype: 'REPLACE',
                  ttl,
                  records: values.map((content) => ({ content, disabled: false })),
                }),
          };
          const url = `${zones}/${encodeURIComponent(zone.id)}`;
          await way.askText({ method: 'PATCH', url, headers, body: { rrsets: [rrset] }, absent: [] });
        },
      }),
    };
  },
});
