/**
 * Records that Berth sets for people, in Debian's bind9 by RFC 2136 and in Debian's PowerDNS over HTTP: those
 * of others stay, whatever happens, and a Berth that is killed at any change leaves nothing half-made.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createStores, type Stores } from '../../server/src/composition/stores.ts';
import { localServer } from '../../server/src/domain/names/server-key.ts';
import { createDnsProviders } from '../../server/src/modules/dns-provider/dns-provider.ts';
import type { Zone, ZoneAccess } from '../../server/src/domain/dns/zone.ts';
import { createConnect, noted, type Connect } from '../../server/src/modules/dns-provider/zone-access.ts';
import {
  createDnsRecords,
  type DnsRecords,
  type RecordWish,
} from '../../server/src/modules/dns-record/dns-record.ts';
import { createTarget } from '../../server/src/modules/dns-record/target.ts';
import { installHostPackages } from '../bed/host/host-packages.ts';
import { keptRoutes, type KeptRoutes } from '../http/kept-routes.ts';
import { createPeople } from '../http/people.ts';
import { createPlace } from '../http/places.ts';
import { temporaryDatabase } from '../http/temporary-database.ts';
import { localOutgoing } from './certifying-world.ts';
import { startBind, startPowerDns, tsig, type PowerDns, type Running } from './programs.ts';

const foreign = [
  'www A 198.51.100.1',
  'taken A 198.51.100.2',
  'mail MX 10 mail.elsewhere.test.',
  'texts TXT "v=spf1 -all"',
  'alias CNAME elsewhere.test.',
  '*.wild A 198.51.100.3',
];
const mine = '203.0.113.7';
const byName: Record<string, string> = { 'edge.elsewhere.test': '203.0.113.9' };

let folder: string;
let bind: Running;
let powerdns: PowerDns;
let stores: Stores;
let organizationId: string;
let applicationId: string;
let proxy: KeptRoutes;
let address: string | null;
let now: number;
let faults: unknown[];

beforeAll(async () => {
  await installHostPackages(console.error, AbortSignal.timeout(300_000), [
    'bind9',
    'pdns-server',
    'pdns-backend-sqlite3',
    'sqlite3',
  ]);
  folder = await mkdtemp(join(tmpdir(), 'berth-records-'));
  bind = await startBind(join(folder, 'bind'), {
    'apps.test': ['ns1 A 127.0.0.1', ...foreign].join('\n'),
  });
  powerdns = await startPowerDns(folder, { 'power.test': { 'texts.power.test': 'v=spf1 -all' } });
}, 300_000);
afterAll(async () => {
  await bind[Symbol.asyncDispose]();
  await powerdns[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  [address, now, faults] = [mine, Date.now(), []];
  const temporary = await temporaryDatabase();
  stores = createStores(temporary.database);
  const { owner } = await createPeople(temporary.database);
  ({ organizationId } = owner);
  ({ applicationId } = await createPlace(temporary.database, owner, 'Shop'));
  proxy = keptRoutes(temporary.database);
  const providers = createDnsProviders(stores.dnsProviders, clock, async () => undefined);
  await providers.create(organizationId, {
    name: 'Zones',
    kind: 'rfc2136',
    rfc2136: { server: `127.0.0.1:${bind.port}`, algorithm: 'hmac-sha256', ...tsig },
  });
  const { apiUrl, apiKey } = powerdns;
  await providers.create(organizationId, { name: 'Power', kind: 'powerdns', powerdns: { apiUrl, apiKey } });
  return () => temporary.remove();
});

const clock = { now: () => now };
const connect = (): Connect => createConnect({ outgoing: localOutgoing(), clock });

/** A Berth; `between` sees each change before it is made. */
function berth(between: () => Promise<void> = async () => undefined): DnsRecords {
  const whole = connect();
  return createDnsRecords({
    store: stores.dnsRecords,
    providers: stores.dnsProviders,
    connect: (provider) => {
      const access = whole(provider);
      return {
        ...access,
        add: async (record) => (await between(), access.add(record)),
        remove: async (record) => (await between(), access.remove(record)),
      };
    },
    noted: (provider, work) => noted({ store: stores.dnsProviders, clock }, provider, work),
    target: createTarget({
      addressOf: async () => address,
      lookUp: async (host) => ({ addresses: host in byName ? [byName[host] ?? ''] : [], fault: undefined }),
    }),
    installationId: 'installation0001',
    baseDomain: async () => null,
    clock,
    onFault: (error) => void faults.push(error),
  });
}

const wish = (name: string, change: Partial<RecordWish> = {}): RecordWish => ({
  organizationId,
  name,
  serverKey: localServer,
  isRemoval: false,
  keepMs: 0,
  ...change,
});
const written = <T>(work: () => Promise<T>): Promise<T> => work();

async function set(records: DnsRecords, wanted: RecordWish): Promise<string[]> {
  const { digest } = await records.plan(wanted);
  const { changes } = await records.apply(wanted, digest, written);
  return changes.map(({ action, name, type, value }) => `${action} ${name} ${type} ${value}`);
}

/** The zone as its provider has it, at the names that a test looks at. */
async function zoneAt(names: readonly string[]): Promise<Record<string, string[]>> {
  const [zone, access] = await accessOf(names[0] ?? '');
  const found: Record<string, string[]> = {};
  for (const name of names) {
    const records = await access.read({ zone, name });
    found[name] = records.map(({ type, value }) => `${type} ${value}`).toSorted();
  }
  return found;
}

async function accessOf(name: string): Promise<[Zone, ZoneAccess]> {
  const zoneName = name.endsWith('power.test') ? 'power.test' : 'apps.test';
  for (const provider of await stores.dnsProviders.list({ organizationId })) {
    const access = connect()(provider);
    const zone = await access.find([zoneName]);
    if (zone) return [zone, access];
  }
  throw new Error(`Nobody serves ${name}.`);
}

const foreignNames = ['www', 'taken', 'mail', 'texts', 'alias', '*.wild'].map((name) => `${name}.apps.test`);
const mark = (record: string, at = '@'): string => `berth installation0001 ${organizationId} ${at} ${record}`;

describe.each(['apps.test', 'power.test'])('records of %s', (zone) => {
  it('are planned, set, right, changed with the address, and go with the domain', async () => {
    const records = berth();
    const host = `shop.${zone}`;
    const marks = `_berth-owner.${host}`;
    await proxy.addDomain({ organizationId, applicationId, host });
    const shown = await records.plan(wish(host));
    expect(shown).toMatchObject({
      zone,
      changes: [
        { action: 'create', name: marks, type: 'TXT', value: mark(`A ${mine}`) },
        { action: 'create', name: host, type: 'A', value: mine },
      ],
      right: [],
      foreign: [],
    });
    expect(await zoneAt([host, marks])).toEqual({ [host]: [], [marks]: [] });
    await set(records, wish(host));
    expect(await records.plan(wish(host))).toMatchObject({
      changes: [],
      right: [{ name: host, type: 'A', value: mine, isOwn: true }],
    });
    address = '2001:db8::7';
    expect(await set(records, wish(host))).toEqual([
      `create ${marks} TXT ${mark('AAAA 2001:db8::7')}`,
      `create ${host} AAAA 2001:db8::7`,
      `remove ${host} A ${mine}`,
      `remove ${marks} TXT ${mark(`A ${mine}`)}`,
    ]);
    address = 'edge.elsewhere.test';
    await set(records, wish(host));
    expect(await zoneAt([host, marks])).toEqual({
      [host]: ['CNAME edge.elsewhere.test'],
      [marks]: [`TXT ${mark('CNAME edge.elsewhere.test')}`],
    });
    // While its domain is there the records stay.
    await records.tick();
    expect((await zoneAt([host]))[host]).toHaveLength(1);
    await stores.domains.remove({ asciiHost: host });
    await records.tick();
    expect(await zoneAt([host, marks])).toEqual({ [host]: [], [marks]: [] });
    expect([await stores.dnsRecords.list({}), faults]).toEqual([[], []]);
  });

  it('of a base domain are set before it is saved, and go after a day in which nobody has', async () => {
    const records = berth();
    const [host, marks] = [`*.base.${zone}`, `_berth-owner.base.${zone}`];
    await set(records, wish(host, { keepMs: 24 * 3_600_000 }));
    expect(await zoneAt([host, marks])).toEqual({
      [host]: [`A ${mine}`],
      [marks]: [`TXT ${mark(`A ${mine}`, '*')}`],
    });
    now += 23 * 3_600_000;
    await records.tick();
    // The server takes signatures of a clock that is right alone.
    now -= 23 * 3_600_000;
    expect((await zoneAt([host]))[host]).toHaveLength(1);
    await stores.dnsRecords.update({ name: host }, { keptUntil: now });
    await records.tick();
    expect(await zoneAt([host, marks])).toEqual({ [host]: [], [marks]: [] });
  });
});

it('leaves records of others as they are through 50 changes, and says what is in the way', async () => {
  const before = await zoneAt(foreignNames);
  expect(before['taken.apps.test']).toEqual(['A 198.51.100.2']);
  const records = berth();
  for (let index = 0; index < 50; index += 1) {
    // Every name of others is tried, and names beside and below theirs.
    const name = foreignNames[index % foreignNames.length] ?? '';
    const host = index % 2 === 0 ? `h${index}.wild.apps.test` : name;
    address = `203.0.113.${index}`;
    const { digest, foreign: inTheWay } = await records.plan(wish(host));
    const applied = await records.apply(wish(host), digest, written).catch((error: unknown) => error);
    const isRefused = inTheWay.length > 0;
    expect((applied as { code?: string }).code).toBe(isRefused ? 'CONFLICT' : undefined);
    const removed = isRefused ? [] : await set(records, wish(host, { isRemoval: true }));
    expect(removed).toHaveLength(isRefused ? 0 : 2);
  }
  expect(await zoneAt(foreignNames)).toEqual(before);
  expect(await stores.dnsRecords.list({})).toEqual([]);
  await expect(set(records, wish('taken.apps.test'))).rejects.toThrow(
    'taken.apps.test has records that Berth did not make, which it never changes: taken.apps.test A ' +
      '198.51.100.2 (Remove it at the DNS provider if the name is to lead here, then look again.)',
  );
  // A removal of what Berth has not made removes nothing.
  expect(await set(records, wish('taken.apps.test', { isRemoval: true }))).toEqual([]);
  expect(await zoneAt(foreignNames)).toEqual(before);
});

it('refuses a plan of a zone that has changed, and takes a right record of others as it is', async () => {
  const records = berth();
  const host = 'race.apps.test';
  const { digest } = await records.plan(wish(host));
  const [zone, access] = await accessOf(host);
  const theirs = { zone, name: host, type: 'A', value: mine } as const;
  await access.add(theirs);
  await expect(records.apply(wish(host), digest, written)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await records.plan(wish(host))).toMatchObject({
    changes: [],
    right: [{ value: mine, isOwn: false }],
  });
  expect(await set(records, wish(host))).toEqual([]);
  await records.tick();
  expect(await zoneAt([host, `_berth-owner.${host}`])).toEqual({
    [host]: [`A ${mine}`],
    [`_berth-owner.${host}`]: [],
  });
  await access.remove(theirs);
});

it('tells whose marked records are, and which record to set where no provider serves the zone', async () => {
  const host = 'other.apps.test';
  const [zone, access] = await accessOf(host);
  const theirs = [
    { zone, name: host, type: 'A', value: '198.51.100.9' },
    { zone, name: `_berth-owner.${host}`, type: 'TXT', value: 'berth another theirs @ A 198.51.100.9' },
  ] as const;
  for (const record of theirs) await access.add(record);
  expect(await berth().plan(wish(host))).toMatchObject({
    foreign: [{ hint: 'The Berth with the id another has set it. Remove the domain there first.' }],
  });
  for (const record of theirs) await access.remove(record);
  await expect(berth().plan(wish('shop.nobody.test'))).rejects.toThrow(
    `Add one with dnsProvider.create. Or set the record where the zone is served: shop.nobody.test A ${mine}`,
  );
  address = null;
  await expect(berth().plan(wish(host))).rejects.toThrow(/Set serverIp with settings\.update first/);
});

it('killed before any change, goes on with it; records of others that came meanwhile stay', async () => {
  const host = 'killed.apps.test';
  const marks = `_berth-owner.${host}`;
  await proxy.addDomain({ organizationId, applicationId, host });
  const ends = { [host]: ['A 203.0.113.8'], [marks]: [`TXT ${mark('A 203.0.113.8')}`] };
  // From one address to another: two marks and two records.
  for (let kill = 0; kill < 4; kill += 1) {
    address = mine;
    await set(berth(), wish(host));
    address = '203.0.113.8';
    await killedAt(kill, host);
    const found = await zoneAt([host, marks]);
    // Nothing of Berth's is ever without its mark.
    for (const record of found[host] ?? []) expect(found[marks]).toContain(`TXT ${mark(record)}`);
    await berth().tick();
    expect(await zoneAt([host, marks])).toEqual(found);
    await later();
    expect([await zoneAt([host, marks]), faults]).toEqual([ends, []]);
  }
  await set(berth(), wish(host, { isRemoval: true }));
  // Killed after the first mark, while somebody takes the name.
  await killedAt(1, host);
  const [zone, access] = await accessOf(host);
  const theirs = { zone, name: host, type: 'A', value: '198.51.100.7' } as const;
  await access.add(theirs);
  await later();
  expect(await zoneAt([host, marks])).toEqual({ [host]: ['A 198.51.100.7'], [marks]: [] });
  expect([await stores.dnsRecords.list({}), faults]).toEqual([[], []]);
  await access.remove(theirs);
});

/** Applies the plan with a Berth that is no more when it comes to its n-th change. */
async function killedAt(kill: number, host: string): Promise<void> {
  const dead = Promise.withResolvers<void>();
  let count = 0;
  const records = berth(async () => {
    if (count++ < kill) return;
    dead.resolve();
    await new Promise<never>(() => undefined);
  });
  const { digest } = await records.plan(wish(host));
  void records.apply(wish(host), digest, written);
  await dead.promise;
}

/** The next Berth, when the time of the change is over. */
async function later(): Promise<void> {
  now += 120_000;
  await berth().tick();
  now -= 120_000;
}

it('tries a removal again until the provider answers', async () => {
  const host = 'away.apps.test';
  await set(berth(), wish(host));
  const [row] = await stores.dnsProviders.list({ organizationId, kind: 'rfc2136' });
  const away = (row?.settings ?? '').replace(String(bind.port), '9');
  await stores.dnsProviders.update({ kind: 'rfc2136' }, { settings: away });
  await berth().tick();
  expect(await stores.dnsRecords.list({ name: host })).toMatchObject([
    { isRemoved: true, attempts: 1, error: expect.stringContaining('cannot be reached') },
  ]);
  expect(faults).toHaveLength(1);
  await stores.dnsProviders.update({ kind: 'rfc2136' }, { settings: row?.settings ?? '' });
  await later();
  expect(await zoneAt([host])).toEqual({ [host]: [] });
  expect(await stores.dnsRecords.list({})).toEqual([]);
});
