/**
 * The published interfaces of DNS providers over HTTP, each with the zone `example.com` in it: what they
 * check of a request, what they answer, and what they refuse.
 */
import { createHash, createHmac } from 'node:crypto';

/** TXT values by their whole name, as all interfaces below change them. */
export type Texts = Map<string, string[]>;

export interface Asked {
  method: string;
  /** Address as it was asked for, with the provider's own host. */
  url: URL;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

export interface Said {
  status: number;
  body?: unknown;
}

export type StandIn = (asked: Asked, texts: Texts) => Said;

const zone = 'example.com';
const whole = (name: string): string => (name === '@' || name === '' ? zone : `${name}.${zone}`);
const refused: Said = { status: 401, body: { message: 'Unauthorized' } };
const absent: Said = { status: 404, body: { message: 'not found' } };
const json = (text: string): unknown => JSON.parse(text);
const bare = (value: string): string => {
  if (!/^".*"$/.test(value)) throw new Error(`${value} stands without quotes.`);
  return value.slice(1, -1);
};
const put = (texts: Texts, name: string, values: string[]): void =>
  void (values.length === 0 ? texts.delete(name) : texts.set(name, values));
const has = ({ headers }: Asked, name: string, value: string): boolean => headers[name] === value;
/** Ids of records, which are a place in what there is. */
const listed = (texts: Texts): { id: number; name: string; text: string }[] =>
  [...texts].flatMap(([name, values]) => values.map((text) => ({ id: idOf(name, text), name, text })));
const idOf = (name: string, text: string): number =>
  createHash('md5').update(`${name} ${text}`).digest().readUInt32BE(0);
const removeId = (texts: Texts, id: number): boolean => {
  const found = listed(texts).find((each) => each.id === id);
  if (found)
    put(
      texts,
      found.name,
      (texts.get(found.name) ?? []).filter((text) => text !== found.text),
    );
  return found !== undefined;
};

const cloudflare: StandIn = (asked, texts) => {
  const { method, url, body } = asked;
  if (!has(asked, 'authorization', 'Bearer good'))
    return { status: 403, body: { success: false, errors: [] } };
  const at = url.pathname.replace('/client/v4/zones', '');
  if (at === '')
    return {
      status: 200,
      body: { result: url.searchParams.get('name') === zone ? [{ id: 'z1', name: zone }] : [] },
    };
  const [, id] = /^\/z1\/dns_records(?:\/(\w+))?$/.exec(at) ?? [];
  if (method === 'GET') {
    const result = listed(texts)
      .filter(({ name }) => name === url.searchParams.get('name') && url.searchParams.get('type') === 'TXT')
      .map(({ id: own, text }) => ({ id: String(own), content: `"${text}"` }));
    return { status: 200, body: { result } };
  }
  if (method === 'DELETE') return removeId(texts, Number(id)) ? { status: 200, body: {} } : absent;
  const { type, name, content, ttl } = json(body) as Record<string, string>;
  if (type !== 'TXT' || Number(ttl) < 60) return { status: 400, body: {} };
  put(texts, name ?? '', [...(texts.get(name ?? '') ?? []), bare(content ?? '')]);
  return { status: 200, body: { success: true } };
};

const hetzner: StandIn = (asked, texts) => {
  const { url, body } = asked;
  if (!has(asked, 'authorization', 'Bearer good')) return refused;
  const at = url.pathname.replace('/v1', '');
  if (at === `/zones/${zone}`) return { status: 200, body: { zone: { id: 7, name: zone } } };
  if (at === '/actions/3') return { status: 200, body: { action: { id: 3, status: 'success' } } };
  const [, name, what] = /^\/zones\/7\/rrsets\/([^/]+)\/TXT\/actions\/(add|remove)_records$/.exec(at) ?? [];
  if (name === undefined) return absent;
  const owner = whole(decodeURIComponent(name));
  const { records } = json(body) as { records: { value: string }[] };
  const given = records.map(({ value }) => bare(value));
  const present = texts.get(owner) ?? [];
  if (what === 'remove' && present.length === 0) return absent;
  put(
    texts,
    owner,
    what === 'add' ? [...present, ...given] : present.filter((text) => !given.includes(text)),
  );
  return { status: 201, body: { action: { id: 3, status: 'running' } } };
};

const digitalocean: StandIn = (asked, texts) => {
  const { method, url, body } = asked;
  if (!has(asked, 'authorization', 'Bearer good')) return refused;
  const at = url.pathname.replace('/v2/domains/', '');
  if (at === zone) return { status: 200, body: { domain: { name: zone } } };
  const [, id] = /^example\.com\/records(?:\/(\d+))?$/.exec(at) ?? [at];
  if (!at.startsWith(`${zone}/records`)) return absent;
  if (method === 'DELETE') return removeId(texts, Number(id)) ? { status: 204 } : absent;
  if (method === 'GET') {
    const found = listed(texts).filter(({ name }) => name === url.searchParams.get('name'));
    return {
      status: 200,
      body: { domain_records: found.map(({ id: own, text }) => ({ id: own, type: 'TXT', data: text })) },
    };
  }
  const { name, data } = json(body) as Record<string, string>;
  const owner = whole(name ?? '');
  put(texts, owner, [...(texts.get(owner) ?? []), data ?? '']);
  return { status: 201, body: { domain_record: { id: idOf(owner, data ?? '') } } };
};

const desec: StandIn = (asked, texts) => {
  const { method, url, body } = asked;
  if (!has(asked, 'authorization', 'Token good')) return refused;
  const at = url.pathname.replace('/api/v1/domains/', '');
  if (at === `${zone}/`) return { status: 200, body: { name: zone, minimum_ttl: 3600 } };
  if (method === 'PUT' && at === `${zone}/rrsets/`) {
    const [{ subname, ttl, records }] = json(body) as [{ subname: string; ttl: number; records: string[] }];
    if (ttl < 3600) return { status: 400, body: [{ ttl: ['too small'] }] };
    put(texts, whole(subname), records.map(bare));
    return { status: 200, body: [] };
  }
  const [, name] = /^example\.com\/rrsets\/([^/]+)\/TXT\/$/.exec(at) ?? [];
  const values = name === undefined ? undefined : texts.get(whole(decodeURIComponent(name)));
  return values ? { status: 200, body: { ttl: 3600, records: values.map((text) => `"${text}"`) } } : absent;
};

const gandi: StandIn = (asked, texts) => {
  const { method, url, body } = asked;
  if (!has(asked, 'authorization', 'Bearer good')) return refused;
  const at = url.pathname.replace('/v5/livedns/domains/', '');
  if (at === zone) return { status: 200, body: { fqdn: zone } };
  const [, name] = /^example\.com\/records\/([^/]+)\/TXT$/.exec(at) ?? [];
  if (name === undefined) return { status: 403, body: { message: 'Access to this resource is denied' } };
  const owner = whole(decodeURIComponent(name));
  if (method === 'DELETE') return texts.delete(owner) ? { status: 204 } : absent;
  if (method === 'PUT') {
    const { rrset_values: values, rrset_ttl: ttl } = json(body) as {
      rrset_values: string[];
      rrset_ttl: number;
    };
    if (ttl < 300) return { status: 400, body: {} };
    put(texts, owner, values.map(bare));
    return { status: 201, body: { message: 'DNS Record Created' } };
  }
  const values = texts.get(owner);
  return values
    ? { status: 200, body: { rrset_ttl: 300, rrset_values: values.map((text) => `"${text}"`) } }
    : absent;
};

const porkbun: StandIn = ({ method, url, body }, texts) => {
  const wrong = (message: string): Said => ({ status: 400, body: { status: 'ERROR', message } });
  const { apikey, secretapikey, name, type, content } = json(body) as Record<string, string>;
  if (method !== 'POST' || apikey !== 'pk1_good' || secretapikey !== 'sk1_good')
    return wrong('Invalid API key. (002)');
  const at = url.pathname.replace('/api/json/v3/', '');
  const done = (more: object = {}): Said => ({ status: 200, body: { status: 'SUCCESS', ...more } });
  if (at === 'ping') return done({ yourIp: '192.0.2.1' });
  const [, what, domain, rest = ''] = /^dns\/(\w+)\/([^/]+)(?:\/(.*))?$/.exec(at) ?? [];
  if (domain !== zone) return wrong('Invalid domain.');
  if (what === 'retrieveByNameType' && rest === 'NS') return done({ records: [] });
  if (what === 'delete') return removeId(texts, Number(rest)) ? done() : wrong('Invalid record ID.');
  if (what === 'create') {
    if (type !== 'TXT') return wrong('Invalid type.');
    const owner = whole(name ?? '');
    put(texts, owner, [...(texts.get(owner) ?? []), content ?? '']);
    return done({ id: idOf(owner, content ?? '') });
  }
  const owner = whole(decodeURIComponent(rest.replace('TXT/', '')));
  const found = listed(texts).filter((each) => each.name === owner);
  return done({ records: found.map(({ id, text }) => ({ id: String(id), content: text })) });
};

const ovh: StandIn = (asked, texts) => {
  const { method, url, headers, body } = asked;
  if (url.pathname === '/1.0/auth/time') return { status: 200, body: 1_700_000_000 };
  const signed = ['secret', 'consumer', method, url.href, body, '1700000000'].join('+');
  const expected = `$1$${createHash('sha1').update(signed).digest('hex')}`;
  if (headers['x-ovh-application'] !== 'application' || headers['x-ovh-signature'] !== expected)
    return { status: 400, body: { message: 'Invalid signature' } };
  const at = url.pathname.replace('/1.0/domain/zone/', '');
  if (at === zone) return { status: 200, body: { name: zone } };
  if (!at.startsWith(`${zone}/`)) return { status: 403, body: { message: 'This call has not been granted' } };
  if (at === `${zone}/refresh`) return { status: 200, body: null };
  const [, id] = /\/record\/(\d+)$/.exec(at) ?? [];
  if (method === 'DELETE') return removeId(texts, Number(id)) ? { status: 200, body: null } : absent;
  if (method === 'POST') {
    const { subDomain, target } = json(body) as Record<string, string>;
    const owner = whole(subDomain ?? '');
    put(texts, owner, [...(texts.get(owner) ?? []), target ?? '']);
    return { status: 200, body: { id: idOf(owner, target ?? '') } };
  }
  if (id !== undefined) {
    const found = listed(texts).find((each) => each.id === Number(id));
    return found ? { status: 200, body: { id: found.id, target: `"${found.text}"` } } : absent;
  }
  const owner = whole(url.searchParams.get('subDomain') ?? '');
  return {
    status: 200,
    body: listed(texts).flatMap((each) => (each.name === owner ? [each.id] : [])),
  };
};

const route53: StandIn = (asked, texts) => {
  const { method, url, body } = asked;
  if (!isSigned(asked)) return { status: 403, body: '<ErrorResponse>SignatureDoesNotMatch</ErrorResponse>' };
  const at = url.pathname.replace('/2013-04-01/', '');
  if (at === 'hostedzonesbyname') {
    const zones = [
      ['ZP', 'true'],
      ['Z1', 'false'],
    ].map(
      ([id, isPrivate]) =>
        `<HostedZone><Id>/hostedzone/${id}</Id><Name>example.com.</Name>` +
        `<Config><PrivateZone>${isPrivate}</PrivateZone></Config></HostedZone>`,
    );
    return { status: 200, body: `<HostedZones>${zones.join('')}</HostedZones>` };
  }
  if (at !== 'hostedzone/Z1/rrset') return absent;
  if (method === 'GET') {
    const name = (url.searchParams.get('name') ?? '').replace(/\.$/, '');
    const values = texts
      .get(name)
      ?.map((text) => `<ResourceRecord><Value>&quot;${text}&quot;</Value></ResourceRecord>`);
    const set =
      `<ResourceRecordSet><Name>${values ? name : 'zzz.example.com'}.</Name><Type>TXT</Type>` +
      `<TTL>300</TTL><ResourceRecords>${values?.join('') ?? ''}</ResourceRecords></ResourceRecordSet>`;
    return { status: 200, body: `<ResourceRecordSets>${set}</ResourceRecordSets>` };
  }
  const [, action, name = '', ttl] =
    /<Action>(\w+)<\/Action>.*<Name>(.*?)\.<\/Name><Type>TXT<\/Type><TTL>(\d+)</.exec(body) ?? [];
  const given = [...body.matchAll(/<Value>(.*?)<\/Value>/g)].map(([, value = '']) => bare(value));
  const present = texts.get(name) ?? [];
  if (action === 'DELETE' && (Number(ttl) < 60 || given.join() !== present.join()))
    return { status: 400, body: '<ErrorResponse>InvalidChangeBatch</ErrorResponse>' };
  put(texts, name, action === 'DELETE' ? [] : given);
  return { status: 200, body: '<ChangeResourceRecordSetsResponse/>' };
};

/** Signature Version 4, made anew from what came. */
function isSigned({ method, url, headers, body }: Asked): boolean {
  const time = String(headers['x-amz-date']);
  const scope = `${time.slice(0, 8)}/us-east-1/route53/aws4_request`;
  const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
  const pairs = url.search.slice(1).split('&').filter(Boolean).toSorted().join('&');
  const shown = `host:${url.host}\nx-amz-date:${time}\n\nhost;x-amz-date`;
  const request = `${method}\n${url.pathname}\n${pairs}\n${shown}\n${sha(body)}`;
  let key: Buffer | string = 'AWS4good';
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  const signed = createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha(request)}`);
  return (
    headers['authorization'] ===
    `AWS4-HMAC-SHA256 Credential=AKIA/${scope}, SignedHeaders=host;x-amz-date, ` +
      `Signature=${signed.digest('hex')}`
  );
}

/** Each with settings that it takes, and settings that it refuses. */
export const standIns = {
  cloudflare: { answer: cloudflare, good: { apiToken: 'good' }, bad: { apiToken: 'bad' } },
  hetzner: { answer: hetzner, good: { apiToken: 'good' }, bad: { apiToken: 'bad' } },
  digitalocean: { answer: digitalocean, good: { apiToken: 'good' }, bad: { apiToken: 'bad' } },
  desec: { answer: desec, good: { apiToken: 'good' }, bad: { apiToken: 'bad' } },
  gandi: { answer: gandi, good: { apiToken: 'good' }, bad: { apiToken: 'bad' } },
  porkbun: {
    answer: porkbun,
    good: { apiKey: 'pk1_good', secretApiKey: 'sk1_good' },
    bad: { apiKey: 'pk1_bad', secretApiKey: 'sk1_bad' },
  },
  ovh: {
    answer: ovh,
    good: { applicationKey: 'application', applicationSecret: 'secret', consumerKey: 'consumer' },
    bad: { applicationKey: 'application', applicationSecret: 'wrong', consumerKey: 'consumer' },
  },
  route53: {
    answer: route53,
    good: { accessKeyId: 'AKIA', secretAccessKey: 'good' },
    bad: { accessKeyId: 'AKIA', secretAccessKey: 'bad' },
  },
} as const;
