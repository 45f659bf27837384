/**
 * DNS providers by their published interfaces: stand-ins over real HTTP, and Debian's PowerDNS itself.
 * Foreign texts at the same name stay, whatever is added and removed.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutgoing } from '../../server/src/adapters/outgoing/outgoing.ts';
import { dnsKindNames, dnsKinds, type DnsKind } from '../../server/src/modules/dns-provider/kinds/kinds.ts';
import type { NameOfZone, Zone, ZoneAccess } from '../../server/src/domain/dns/zone.ts';
import { createWays } from '../../server/src/modules/dns-provider/way.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import type { OutgoingRequest } from '../../server/src/ports/outgoing.ts';
import { installHostPackages } from '../bed/host/host-packages.ts';
import { startPowerDns, type PowerDns } from './programs.ts';
import { standIns, type StandIn, type Texts } from './stand-ins.ts';

const name = '_acme-challenge.example.com';
const candidates = [name, 'apps.example.com', 'example.com'];
const by = { organizationId: 'first' };
const outgoing = createOutgoing({
  policyOf: async () => ({ reachesPrivate: true, allowed: ['127.0.0.0/8'], platform: [] }),
});

let server: Server;
let port = 0;
let answer: StandIn;
let texts: Texts;

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const said = answer(
        {
          method: request.method ?? '',
          url: new URL(`https://${String(request.headers['x-asked-host'])}${request.url ?? ''}`),
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
        },
        texts,
      );
      response.statusCode = said.status;
      response.end(typeof said.body === 'string' ? said.body : JSON.stringify(said.body ?? ''));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => server.close());

/** Requests to the provider's own host reach the stand-in. */
const waysToStandIn = createWays({
  clock: systemClock,
  outgoing: {
    exchange: outgoing.exchange,
    request(request: OutgoingRequest, who) {
      const { host, pathname, search } = new URL(request.url);
      const url = `http://127.0.0.1:${port}${pathname}${search}`;
      return outgoing.request(
        { ...request, url, headers: { ...request.headers, 'x-asked-host': host } },
        who,
      );
    },
  },
});

async function changed(access: ZoneAccess, at: () => Promise<string[]>): Promise<void> {
  const zone = await access.find(candidates);
  expect(zone?.name).toBe('example.com');
  if (!zone) return;
  const record = (value: string) => ({ zone, name, type: 'TXT' as const, value });
  await access.add(record('first'));
  await access.add(record('second'));
  expect((await at()).toSorted()).toEqual(['first', 'foreign', 'second']);
  await access.remove(record('first'));
  await access.remove(record('first'));
  await access.remove(record('second'));
  expect(await at()).toEqual(['foreign']);
  // A name that has nothing else has nothing left.
  const alone = { zone, name: `_acme-challenge.alone.example.com`, type: 'TXT', value: 'alone' } as const;
  await access.add(alone);
  await access.remove(alone);
  await changedAddresses(access, zone);
}

/** Records that lead a host somewhere are read, set and removed one by one. */
async function changedAddresses(access: ZoneAccess, zone: Zone): Promise<void> {
  const shop = { zone, name: 'shop.example.com' };
  const wildcard = { zone, name: '*.shop.example.com' };
  const four = { ...shop, type: 'A', value: '203.0.113.7' } as const;
  const six = { ...shop, type: 'AAAA', value: '2001:db8::7' } as const;
  const alias = { ...wildcard, type: 'CNAME', value: 'edge.example.net' } as const;
  const read = async (place: NameOfZone): Promise<string[]> =>
    (await access.read(place)).map(({ type, value }) => `${type} ${value}`).toSorted();
  expect(await read(shop)).toEqual([]);
  for (const record of [four, { ...four, value: '203.0.113.8' }, six, alias]) await access.add(record);
  expect(await read(shop)).toEqual(['A 203.0.113.7', 'A 203.0.113.8', 'AAAA 2001:db8::7']);
  expect(await read(wildcard)).toEqual(['CNAME edge.example.net']);
  // Names below a wildcard have no records of their own.
  expect(await read({ zone, name: 'a.shop.example.com' })).toEqual([]);
  await access.remove(four);
  expect(await read(shop)).toEqual(['A 203.0.113.8', 'AAAA 2001:db8::7']);
  for (const record of [{ ...four, value: '203.0.113.8' }, six, alias]) await access.remove(record);
  for (const place of [shop, wildcard]) expect(await read(place)).toEqual([]);
}

it('every kind is tried here or on a server of its own', () => {
  expect([...Object.keys(standIns), 'lego', 'powerdns', 'rfc2136'].toSorted()).toEqual(
    dnsKindNames.toSorted(),
  );
});

describe.each(Object.entries(standIns))('%s', (kind, { answer: standIn, good, bad }) => {
  const row = dnsKinds[kind as DnsKind];
  const connect = (settings: object): ZoneAccess =>
    row.connect(row.input.parse(settings), waysToStandIn(row, by));

  it('adds texts and removes them, and none of others', async () => {
    [answer, texts] = [standIn, new Map([[name, ['foreign']]])];
    await changed(connect(good), async () => texts.get(name) ?? []);
    expect([...texts.keys()]).toEqual([name]);
  });

  it('tells a refused credential, a zone that it has not, a limit, and an outage', async () => {
    [answer, texts] = [standIn, new Map()];
    const refusal = await connect(bad)
      .find(candidates)
      .then(() => undefined, String);
    expect(refusal).toMatch(new RegExp(`${row.label} refused`));
    expect(await connect(good).find(['_acme-challenge.example.net', 'example.net'])).toBeUndefined();
    answer = () => ({ status: 429, body: { message: 'slow down' } });
    await expect(connect(good).find(candidates)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringMatching(/takes no more requests now.*slow down/),
    });
    answer = () => ({ status: 503, body: '<html>gateway</html>' });
    await expect(connect(good).find(candidates)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringMatching(/cannot answer now \(503\)\. It is asked again automatically\.$/),
    });
  });
});

describe('powerdns', () => {
  let folder: string;
  let powerdns: PowerDns;
  beforeAll(async () => {
    await installHostPackages(console.error, AbortSignal.timeout(300_000), [
      'pdns-server',
      'pdns-backend-sqlite3',
      'sqlite3',
    ]);
    folder = await mkdtemp(join(tmpdir(), 'berth-pdns-'));
    powerdns = await startPowerDns(folder, { 'example.com': { [name]: 'foreign' } });
  }, 300_000);
  afterAll(async () => {
    await powerdns[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('itself has texts added and removed, and none of others', async () => {
    const row = dnsKinds.powerdns;
    const settings = row.input.parse({ apiUrl: powerdns.apiUrl, apiKey: powerdns.apiKey });
    const ways = createWays({ clock: systemClock, outgoing });
    await changed(row.connect(settings, ways(row, by)), () => powerdns.texts(name));
    const wrong = row.connect({ ...settings, apiKey: 'wrong' }, ways(row, by));
    await expect(wrong.find(candidates)).rejects.toThrow(/PowerDNS refused the credential \(401\)/);
  });
});
