/** Amazon Route 53, by its API 2013-04-01, in XML and signed with Signature Version 4. */
import { createHash, createHmac } from 'node:crypto';
import { plainValue, zoneValue, type NameOfZone } from '../../../domain/dns/zone.ts';
import { defineKind, firstZone, recordTtl, replacingValues, token, type HttpMethod } from './kind.ts';

const api = 'https://route53.amazonaws.com/2013-04-01';
/** Route 53 is one service in one place, whatever region the account uses. */
const region = 'us-east-1';

export const route53 = defineKind({
  label: 'Amazon Route 53',
  rights:
    'An access key of a user with route53:ListHostedZonesByName, and of the zone ' +
    'route53:ListResourceRecordSets and route53:ChangeResourceRecordSets with the condition ' +
    'route53:ChangeResourceRecordSetsNormalizedRecordNames for _acme-challenge names; to set records of ' +
    'domains also for their names and _berth-owner names',
  source: 'https://docs.aws.amazon.com/Route53/latest/APIReference/',
  fields: {
    accessKeyId: token().describe('Access key id'),
    secretAccessKey: token().describe('Secret access key; never shown'),
  },
  secrets: ['secretAccessKey'],
  example: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'a-secret-of-its-own' },
  origin: () => api,
  connect({ accessKeyId, secretAccessKey }, way) {
    const ask = (method: HttpMethod, url: string, body?: string, absent: readonly number[] = [404]) =>
      way.askText({
        method,
        url,
        body,
        absent,
        headers: {
          'content-type': 'application/xml',
          accept: 'application/xml',
          ...signature({ accessKeyId, secretAccessKey }, { method, url, body: body ?? '', now: way.now() }),
        },
      });
    const setsAt = async ({ zone, name }: NameOfZone, more: string): Promise<string[]> => {
      const query = `${more}&name=${strict(`${name}.`)}`;
      const text = await ask('GET', `${api}/hostedzone/${zone.id}/rrset?${query}`);
      // The list begins at the name, and goes on with later ones.
      return elements(text ?? '', 'ResourceRecordSet').filter(
        (each) => asWritten(valueOf(each, 'Name') ?? '') === `${name}.`,
      );
    };
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const text = await ask(
            'GET',
            `${api}/hostedzonesbyname?dnsname=${encodeURIComponent(name)}&maxitems=20`,
          );
          const zone = elements(text ?? '', 'HostedZone').find(
            (each) => valueOf(each, 'Name') === `${name}.` && valueOf(each, 'PrivateZone') !== 'true',
          );
          const id = zone && valueOf(zone, 'Id')?.replace(/^\/hostedzone\//, '');
          return id === undefined ? undefined : { id, name };
        }),
      read: async (place) =>
        (await setsAt(place, 'maxitems=100')).flatMap((set) => {
          const type = valueOf(set, 'Type') ?? '';
          const alias = valueOf(set, 'DNSName');
          if (alias !== undefined) return [{ type, value: `alias of ${alias}` }];
          return valuesOf(set).map((value) => ({ type, value: plainValue(type, value) }));
        }),
      ...replacingValues(way, {
        async present(record) {
          const sets = await setsAt(record, 'maxitems=100');
          const set = sets.find((each) => valueOf(each, 'Type') === record.type);
          return set === undefined ? undefined : { values: valuesOf(set), ttl: Number(valueOf(set, 'TTL')) };
        },
        async write(record, values, ttl = recordTtl) {
          // A deletion names what is there, which is this value alone.
          const change =
            values.length === 0
              ? changeOf('DELETE', { ...record, ttl, values: [zoneValue(record)] })
              : changeOf('UPSERT', { ...record, ttl, values });
          await ask('POST', `${api}/hostedzone/${record.zone.id}/rrset`, change, []);
        },
      }),
    };
  },
});

const valuesOf = (set: string): string[] =>
  elements(set, 'ResourceRecord').map((each) => valueOf(each, 'Value') ?? '');

/** A name in which Route 53 has written some signs by their octal codes, such as `*`. */
const asWritten = (name: string): string =>
  name.replace(/\\(\d{3})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 8)));

function changeOf(
  action: 'UPSERT' | 'DELETE',
  { name, type, ttl, values }: { name: string; type: string; ttl: number; values: readonly string[] },
): string {
  const records = values.map((value) => element('ResourceRecord', element('Value', escaped(value))));
  const set = [
    element('Name', `${escaped(name)}.`),
    element('Type', type),
    element('TTL', String(ttl)),
    element('ResourceRecords', records.join('')),
  ].join('');
  const change = element('Change', element('Action', action) + element('ResourceRecordSet', set));
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/">' +
    element('ChangeBatch', element('Changes', change)) +
    '</ChangeResourceRecordSetsRequest>'
  );
}

const element = (name: string, content: string): string => `<${name}>${content}</${name}>`;

/** Contents of elements of this name; Route 53 nests none in one of its own name. */
function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, content = '']) => content);
}

function valueOf(xml: string, name: string): string | undefined {
  const [content] = elements(xml, name);
  return content
    ?.replace(/&(quot|amp|lt|gt|apos|#34);/g, (_all, entity: string) => entities[entity] ?? '')
    .trim();
}

const entities: Readonly<Record<string, string>> = {
  quot: '"',
  '#34': '"',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
};

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => (sign === '&' ? '&amp;' : sign === '<' ? '&lt;' : '&gt;'));

/** Headers of Signature Version 4 (AWS IAM User Guide, "Create a signed AWS API request"). */
function signature(
  { accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string },
  { method, url, body, now }: { method: string; url: string; body: string; now: number },
): Record<string, string> {
  const { host, pathname, searchParams } = new URL(url);
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const query = [...searchParams]
    .map(([name, value]) => `${strict(name)}=${strict(value)}`)
    .toSorted()
    .join('&');
  const canonical = [
    method,
    pathname,
    query,
    `host:${host}`,
    `x-amz-date:${time}`,
    '',
    'host;x-amz-date',
    hash(body),
  ];
  const scope = `${day}/${region}/route53/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, hash(canonical.join('\n'))].join('\n');
  const key = [day, region, 'route53', 'aws4_request'].reduce(
    (secret: Buffer, part) => hmac(secret, part),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
  return {
    'x-amz-date': time,
    authorization:
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=host;x-amz-date, ` +
      `Signature=${hmac(key, text).toString('hex')}`,
  };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const strict = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
