/**
 * The published interfaces of DNS providers over HTTP, each with the zone `example.com` in it: what they
 * check of a request, what they answer, and what they refuse.
 */
import { createHash, createHmac } from 'node:crypto';

/** Values by name for TXT, by name and type for others, as all interfaces below change them. */
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
/** Under which records of a type are kept. */
export const keyOf = (name: string, type: string): string => (type === 'TXT' ? name : `${name} ${type}`);
/** A value of a zone file: texts have quotes, names a dot at their end. */
function plain(type: string, value: string): string {
  if (type === 'TXT') return bare(value);
  if (type === 'CNAME' && !value.endsWith('.')) throw new Error(`${value} is not absolute.`);
  return type === 'CNAME' ? value.slice(0, -1) : value;
}
const shown = (type: string, value: string): string =>
  type === 'TXT' ? `"${value}"` : type === 'CNAME' ? `${value}.` : value;
const put = (texts: Texts, name: string, values: string[]): void =>
  void (values.length === 0 ? texts.delete(name) : texts.set(name, values));
const has = ({ headers }: Asked, name: string, value: string): boolean => headers[name] === value;
interface Listed {
  /** A place in what there is. */
  id: number;
  name: string;
  type: string;
  text: string;
}
const listed = (texts: Texts): Listed[] =>
  [...texts].flatMap(([key, values]) => {
    const [name = '', type = 'TXT'] = key.split(' ');
    return values.map((text) => ({ id: idOf(key, text), name, type, text }));
  });
/** Records of a name; of one type unless it is missing. */
const ofName = (texts: Texts, name: string | null, type?: string | null): Listed[] =>
  listed(texts).filter((each) => each.name === name && (type ?? each.type) === each.type);
/** Record sets of a name. */
const setsOf = (texts: Texts, name: string): { type: string; values: string[] }[] =>
  [...Map.groupBy(ofName(texts, name), ({ type }) => type)].map(([type, found]) => ({
    type,
    values: found.map(({ text }) => shown(type, text)),
  }));
const idOf = (key: string, text: string): number =>
  createHash('md5').update(`${key} ${text}`).digest().readUInt32BE(0);
const removeId = (texts: Texts, id: number): boolean => {
  const found = listed(texts).find((each) => each.id === id);
  if (!found) return false;
  const key = keyOf(found.name, found.type);
  put(
    texts,
    key,
    (texts.get(key) ?? []).filter((text) => text !== found.text),
  );
  return true;
};
const append = (texts: Texts, key: string, value: string): number => {
  put(texts, key, [...(texts.get(key) ?? []), value]);
  return idOf(key, value);
};
/** What a record of each type that Berth sets has as its value. */
const isValue = (type: string, value: string): boolean =>
  ({
    A: /^\d+(\.\d+){3}$/,
    AAAA: /^[0-9a-f:]+$/,
    CNAME: /^[a-z0-9.-]+$/,
    TXT: /./,
  })[type]?.test(value) ?? false;

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
    const result = ofName(texts, url.searchParams.get('name'), url.searchParams.get('type')).map(
      ({ id: own, type, text }) => ({ id: String(own), type, content: type === 'TXT' ? `"${text}"` : text }),
    );
    return { status: 200, body: { result } };
  }
  if (method === 'DELETE') return removeId(texts, Number(id)) ? { status: 200, body: {} } : absent;
  const { type = '', name = '', content = '', ttl, proxied } = json(body) as Record<string, string>;
  const value = type === 'TXT' ? bare(content) : content;
  if (!isValue(type, value) || Number(ttl) < 60 || proxied) return { status: 400, body: {} };
  append(texts, keyOf(name, type), value);
  return { status: 200, body: { success: true } };
};

const hetzner: StandIn = (asked, texts) => {
  const { url, body } = asked;
  if (!has(asked, 'authorization', 'Bearer good')) return refused;
  const at = url.pathname.replace('/v1', '');
  if (at === `/zones/${zone}`) return { status: 200, body: { zone: { id: 7, name: zone } } };
  if (at === '/actions/3') return { status: 200, body: { action: { id: 3, status: 'success' } } };
  if (at === '/zones/7/rrsets') {
    const sets = setsOf(texts, whole(url.searchParams.get('name') ?? ''));
    const rrsets = sets.map(({ type, values }) => ({ type, records: values.map((value) => ({ value })) }));
    return { status: 200, body: { rrsets } };
  }
  const [, name, type = '', what] =
    /^\/zones\/7\/rrsets\/([^/]+)\/(A|AAAA|CNAME|TXT)\/actions\/(add|remove)_records$/.exec(at) ?? [];
  if (name === undefined) return absent;
  const key = keyOf(whole(decodeURIComponent(name)), type);
  const { records } = json(body) as { records: { value: string }[] };
  const given = records.map(({ value }) => plain(type, value));
  const present = texts.get(key) ?? [];
  if (what === 'remove' && present.length === 0) return absent;
  put(texts, key, what === 'add' ? [...present, ...given] : present.filter((text) => !given.includes(text)));
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
    const found = ofName(texts, url.searchParams.get('name'), url.searchParams.get('type'));
    return {
      status: 200,
      body: { domain_records: found.map(({ id: own, type, text }) => ({ id: own, type, data: text })) },
    };
  }
  const { type = '', name = '', data = '' } = json(body) as Record<string, string>;
  const value = type === 'CNAME' ? plain(type, data) : data;
  if (!isValue(type, value)) return { status: 422, body: { message: 'Data is not valid' } };
  return {
    status: 201,
    body: { domain_record: { id: append(texts, keyOf(whole(name), type), value) } },
  };
};

const desec: StandIn = (asked, texts) => {
  const { method, url, body } = asked;
  if (!has(asked, 'authorization', 'Token good')) return refused;
  const at = url.pathname.replace('/api/v1/domains/', '');
  if (at === `${zone}/`) return { status: 200, body: { name: zone, minimum_ttl: 3600 } };
  if (method === 'PUT' && at === `${zone}/rrsets/`) {
    const [{ subname, type, ttl, records }] = json(body) as [
      { subname: string; type: string; ttl: number; records: string[] },
    ];
    if (ttl < 3600) return { status: 400, body: [{ ttl: ['too small'] }] };
    put(
      texts,
      keyOf(whole(subname), type),
      records.map((value) => plain(type, value)),
    );
    return { status: 200, body: [] };
  }
  const asSet = ({ type, values }: { type: string; values: string[] }) => ({
    type,
    ttl: 3600,
    records: values,
  });
  if (at === `${zone}/rrsets/`)
    return { status: 200, body: setsOf(texts, whole(url.searchParams.get('subname') ?? '-')).map(asSet) };
  const [, name, type] = /^example\.com\/rrsets\/([^/]+)\/(\w+)\/$/.exec(at) ?? [];
  const found =
    name === undefined
      ? undefined
      : setsOf(texts, whole(decodeURIComponent(name))).find((each) => each.type === type);
  return found ? { status: 200, body: asSet(found) } : absent;
};

const gandi: StandIn = (asked, texts) => {
  const { method, url, body } = asked;
  if (!has(asked, 'authorization', 'Bearer good')) return refused;
  const at = url.pathname.replace('/v5/livedns/domains/', '');
  if (at === zone) return { status: 200, body: { fqdn: zone } };
  const [, name, type] = /^example\.com\/records\/([^/]+)(?:\/(\w+))?$/.exec(at) ?? [];
  if (name === undefined) return { status: 403, body: { message: 'Access to this resource is denied' } };
  const owner = whole(decodeURIComponent(name));
  const sets = setsOf(texts, owner).map((each) => ({
    rrset_type: each.type,
    rrset_ttl: 300,
    rrset_values: each.values,
  }));
  if (type === undefined) return { status: 200, body: sets };
  if (method === 'DELETE') return texts.delete(keyOf(owner, type)) ? { status: 204 } : absent;
  if (method === 'PUT') {
    const { rrset_values: values, rrset_ttl: ttl } = json(body) as {
      rrset_values: string[];
      rrset_ttl: number;
    };
    if (ttl < 300) return { status: 400, body: {} };
    put(
      texts,
      keyOf(owner, type),
      values.map((value) => plain(type, value)),
    );
    return { status: 201, body: { message: 'DNS Record Created' } };
  }
  const found = sets.find((each) => each.rrset_type === type);
  return found ? { status: 200, body: found } : absent;
};

const porkbun: StandIn = ({ method, url, body }, texts) => {
  const wrong = (message: string): Said => ({ status: 400, body: { status: 'ERROR', message } });
  const { apikey, secretapikey, name, type = '', content = '' } = json(body) as Record<string, string>;
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
    if (!isValue(type, content)) return wrong('Invalid type.');
    return done({ id: append(texts, keyOf(whole(name ?? ''), type), content) });
  }
  const [ofType, ofOwner = ''] = rest.split('/');
  const owner = whole(decodeURIComponent(ofOwner));
  const found = what === 'retrieve' ? listed(texts) : ofName(texts, owner, ofType);
  return done({
    records: found.map((each) => ({
      id: String(each.id),
      name: each.name,
      type: each.type,
      content: each.text,
    })),
  });
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
    const { fieldType = '', subDomain = '', target = '' } = json(body) as Record<string, string>;
    const value = fieldType === 'CNAME' ? plain(fieldType, target) : target;
    if (!isValue(fieldType, value)) return { status: 400, body: { message: 'Invalid value' } };
    return {
      status: 200,
      body: { id: append(texts, keyOf(whole(subDomain), fieldType), value) },
    };
  }
  if (id !== undefined) {
    const found = listed(texts).find((each) => each.id === Number(id));
    if (!found) return absent;
    const { id: own, type, text } = found;
    return { status: 200, body: { id: own, fieldType: type, target: shown(type, text) } };
  }
  const owner = whole(url.searchParams.get('subDomain') ?? '');
  return {
    status: 200,
    body: ofName(texts, owner, url.searchParams.get('fieldType')).map((each) => each.id),
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
    const sets = [...setsOf(texts, name), { type: 'NS', values: ['later.example.net.'] }].map(
      ({ type, values }, index, all) => {
        const records = values.map(
          (value) => `<ResourceRecord><Value>${value.replaceAll('"', '&quot;')}</Value></ResourceRecord>`,
        );
        // The list goes on with later names.
        const owner = index === all.length - 1 ? 'zzz.example.com' : name.replace('*', '\\052');
        return (
          `<ResourceRecordSet><Name>${owner}.</Name><Type>${type}</Type><TTL>300</TTL>` +
          `<ResourceRecords>${records.join('')}</ResourceRecords></ResourceRecordSet>`
        );
      },
    );
    return { status: 200, body: `<ResourceRecordSets>${sets.join('')}</ResourceRecordSets>` };
  }
  const [, action, name = '', type = '', ttl] =
    /<Action>(\w+)<\/Action>.*<Name>(.*?)\.<\/Name><Type>(\w+)<\/Type><TTL>(\d+)</.exec(body) ?? [];
  const given = [...body.matchAll(/<Value>(.*?)<\/Value>/g)].map(([, value = '']) => plain(type, value));
  const key = keyOf(name, type);
  const present = texts.get(key) ?? [];
  if (action === 'DELETE' && (Number(ttl) < 60 || given.join() !== present.join()))
    return { status: 400, body: '<ErrorResponse>InvalidChangeBatch</ErrorResponse>' };
  put(texts, key, action === 'DELETE' ? [] : given);
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
