/** OVHcloud, by its API v1, whose requests are signed. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isSameValue, plainValue, zoneValue, type NameOfZone } from '../../../domain/dns/zone.ts';
import { defineKind, firstZone, nameInZone, recordTtl, token, type HttpMethod } from './kind.ts';

const endpoints = {
  'ovh-eu': 'https://eu.api.ovh.com/1.0',
  'ovh-ca': 'https://ca.api.ovh.com/1.0',
  'ovh-us': 'https://api.us.ovhcloud.com/1.0',
} as const;
const names = ['ovh-eu', 'ovh-ca', 'ovh-us'] as const;
/** Records of a name that are looked at; each is a request. */
const mostOfName = 50;
const shownZone = z.object({ name: z.string() });
const shownRecord = z.object({ id: z.number(), fieldType: z.string(), target: z.string() });

export const ovh = defineKind({
  label: 'OVHcloud',
  rights:
    'Keys of an application whose consumer may GET, POST and DELETE /domain/zone/ZONE and what is below it',
  source: 'https://help.ovhcloud.com/csm/en-api-getting-started-ovhcloud-api',
  fields: {
    endpoint: z.enum(names).describe('Where the account is').default('ovh-eu'),
    applicationKey: token().describe('Application key; never shown'),
    applicationSecret: token().describe('Application secret; never shown'),
    consumerKey: token().describe('Consumer key; never shown'),
  },
  secrets: ['applicationKey', 'applicationSecret', 'consumerKey'],
  example: {
    endpoint: 'ovh-eu',
    applicationKey: 'an-application',
    applicationSecret: 'its-secret',
    consumerKey: 'a-consumer',
  },
  origin: ({ endpoint }) => endpoints[endpoint],
  connect({ endpoint, applicationKey, applicationSecret, consumerKey }, way) {
    const api = `${endpoints[endpoint]}/domain/zone`;
    /** The signature covers the provider's own time, which its clock tells. */
    const signed = async (method: HttpMethod, url: string, body = ''): Promise<Record<string, string>> => {
      const clock = await way.ask(z.number(), { method: 'GET', url: `${endpoints[endpoint]}/auth/time` });
      const time = String(clock ?? Math.floor(way.now() / 1000));
      const text = [applicationSecret, consumerKey, method, url, body, time].join('+');
      return {
        'x-ovh-application': applicationKey,
        'x-ovh-consumer': consumerKey,
        'x-ovh-timestamp': time,
        'x-ovh-signature': `$1$${createHash('sha1').update(text).digest('hex')}`,
      };
    };
    const get = async <T>(shape: z.ZodType<T>, url: string, absent = [404]): Promise<T | undefined> =>
      way.ask(shape, { method: 'GET', url, absent, headers: await signed('GET', url) });
    const change = async (method: 'POST' | 'DELETE', url: string, body?: object): Promise<void> => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const absent = method === 'DELETE' ? [404] : [];
      await way.askText({ method, url, body: text, absent, headers: await signed(method, url, text) });
    };
    const at = ({ zone }: NameOfZone): string => `${api}/${encodeURIComponent(zone.id)}`;
    const subDomain = (place: NameOfZone): string => nameInZone(place).replace(/^@$/, '');
    const recordsOf = async (place: NameOfZone, query = ''): Promise<z.output<typeof shownRecord>[]> => {
      const url = `${at(place)}/record`;
      const named = `${query}subDomain=${encodeURIComponent(subDomain(place))}`;
      const ids = (await get(z.array(z.number()), `${url}?${named}`)) ?? [];
      const found = await Promise.all(ids.slice(0, mostOfName).map((id) => get(shownRecord, `${url}/${id}`)));
      return found.filter((each) => each !== undefined);
    };
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          // Of a zone that the key does not name it says that the key may not.
          const found = await get(shownZone, `${api}/${encodeURIComponent(name)}`, [403, 404]);
          return found && { id: found.name, name };
        }),
      read: async (place) =>
        (await recordsOf(place)).map(({ fieldType: type, target }) => ({
          type,
          value: plainValue(type, target),
        })),
      async add(record) {
        const target = record.type === 'TXT' ? record.value : zoneValue(record);
        const body = { fieldType: record.type, subDomain: subDomain(record), target, ttl: recordTtl };
        await change('POST', `${at(record)}/record`, body);
        await change('POST', `${at(record)}/refresh`);
      },
      async remove(record) {
        for (const { id, target } of await recordsOf(record, `fieldType=${record.type}&`))
          if (isSameValue(record, target)) await change('DELETE', `${at(record)}/record/${id}`);
        await change('POST', `${at(record)}/refresh`);
      },
    };
  },
});
