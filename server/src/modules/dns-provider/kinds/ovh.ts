/** OVHcloud, by its API v1, whose requests are signed. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  defineKind,
  firstZone,
  nameInZone,
  recordTtl,
  token,
  unquoted,
  type HttpMethod,
  type TxtRecord,
} from './kind.ts';

const endpoints = {
  'ovh-eu': 'https://eu.api.ovh.com/1.0',
  'ovh-ca': 'https://ca.api.ovh.com/1.0',
  'ovh-us': 'https://api.us.ovhcloud.com/1.0',
} as const;
const names = ['ovh-eu', 'ovh-ca', 'ovh-us'] as const;
const shownZone = z.object({ name: z.string() });
const record = z.object({ id: z.number(), target: z.string() });

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
    const at = ({ zone }: TxtRecord): string => `${api}/${encodeURIComponent(zone.id)}`;
    const subDomain = (txt: TxtRecord): string => nameInZone(txt).replace(/^@$/, '');
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          // Of a zone that the key does not name it says that the key may not.
          const found = await get(shownZone, `${api}/${encodeURIComponent(name)}`, [403, 404]);
          return found && { id: found.name, name };
        }),
      async add(txt) {
        const body = { fieldType: 'TXT', subDomain: subDomain(txt), target: txt.text, ttl: recordTtl };
        await change('POST', `${at(txt)}/record`, body);
        await change('POST', `${at(txt)}/refresh`);
      },
      async remove(txt) {
        const query = `fieldType=TXT&subDomain=${encodeURIComponent(subDomain(txt))}`;
        const ids = (await get(z.array(z.number()), `${at(txt)}/record?${query}`)) ?? [];
        for (const id of ids) {
          const found = await get(record, `${at(txt)}/record/${id}`);
          if (found && unquoted(found.target) === txt.text) await change('DELETE', `${at(txt)}/record/${id}`);
        }
        await change('POST', `${at(txt)}/refresh`);
      },
    };
  },
});
