/** Amazon Route 53, by its API 2013-04-01, in XML and signed with Signature Version 4. */
import { createHash, createHmac } from 'node:crypto';
import { defineKind, firstZone, quoted, recordTtl, replacingTexts, token, type HttpMethod } from './kind.ts';

const api = 'https://route53.amazonaws.com/2013-04-01';
/** Route 53 is one service in one place, whatever region the account uses. */
const region = 'us-east-1';

export const route53 = defineKind({
  label: 'Amazon Route 53',
  rights:
    'An access key of a user with route53:ListHostedZonesByName, and of the zone ' +
    'route53:ListResourceRecordSets and route53:ChangeResourceRecordSets with the condition ' +
    'route53:ChangeResourceRecordSetsNormalizedRecordNames for _acme-challenge names',
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
      ...replacingTexts(way, {
        async read({ zone, name }) {
          const query = `maxitems=1&name=${encodeURIComponent(`${name}.`)}&type=TXT`;
          const text = await ask('GET', `${api}/hostedzone/${zone.id}/rrset?${query}`);
          // The list begins at the name, and goes on with later ones where there is none.
          const set = elements(text ?? '', 'ResourceRecordSet').find(
            (each) => valueOf(each, 'Name') === `${name}.` && valueOf(each, 'Type') === 'TXT',
          );
          if (set === undefined) return undefined;
          const values = elements(set, 'ResourceRecord').map((each) => valueOf(each, 'Value') ?? '');
          return { values, ttl: Number(valueOf(set, 'TTL')) };
        },
        async write({ zone, name, text }, values, ttl = recordTtl) {
          // A deletion names what is there, which is this text alone.
          const change =
            values.length === 0
              ? changeOf('DELETE', { name, ttl, values: [quoted(text)] })
              : changeOf('UPSERT', { name, ttl, values });
          await ask('POST', `${api}/hostedzone/${zone.id}/rrset`, change, []);
        },
      }),
    };
  },
});

function changeOf(
  action: 'UPSERT' | 'DELETE',
  { name, ttl, values }: { name: string; ttl: number; values: readonly string[] },
): string {
  const records = values.map((value) => element('ResourceRecord', element('Value', escaped(value))));
  const set = [
    element('Name', `${escaped(name)}.`),
    element('Type', 'TXT'),
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
