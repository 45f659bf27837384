/**
 * Certificates by DNS: Berth's own client against Debian's pebble, which looks names up in Debian's bind9,
 * and updates of its zones by RFC 2136; the store, the orders and the routes are the product's.
 */
import { X509Certificate } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createNameResolver } from '../../server/src/adapters/dns/name-resolver.ts';
import { createOutgoing } from '../../server/src/adapters/outgoing/outgoing.ts';
import { createStores, type Stores } from '../../server/src/composition/stores.ts';
import { createCertifying, type Certifying } from '../../server/src/composition/upkeep/certifying.ts';
import type { Database } from '../../server/src/db/database.ts';
import { createSettings } from '../../server/src/modules/settings/settings.ts';
import { installHostPackages } from '../bed/host/host-packages.ts';
import { until } from '../engine-suite/fixture.ts';
import { keptRoutes, type KeptRoutes } from '../http/kept-routes.ts';
import { createPeople } from '../http/people.ts';
import { createPlace } from '../http/places.ts';
import { temporaryDatabase } from '../http/temporary-database.ts';
import { startBind, startPebble, tsig, weakTsig, type Pebble, type Running } from './programs.ts';

const foreign = 'somebody else’s text'.replace('’', '-');
const zones = {
  'apps.test': `ns1 A 127.0.0.1\n_acme-challenge TXT "${foreign}"`,
  'handed.test': '_acme-challenge CNAME shop.apps.test.\n_acme-challenge.lost CNAME nowhere.elsewhere.test.',
};

let folder: string;
let bind: Running;
let pebble: Pebble;
let temporary: Awaited<ReturnType<typeof temporaryDatabase>>;
let database: Database;
let stores: Stores;
let organizationId: string;
let applicationId: string;
let proxy: KeptRoutes;
let certifying: Certifying;
let now = Date.now();
let facts: string[] = [];
let faults: unknown[] = [];

beforeAll(async () => {
  await installHostPackages(console.error, AbortSignal.timeout(300_000), ['bind9', 'pebble']);
  folder = await mkdtemp(join(tmpdir(), 'berth-dns-'));
  bind = await startBind(join(folder, 'bind'), zones);
  pebble = await startPebble(join(folder, 'pebble'), `127.0.0.1:${bind.port}`, {
    domainBlocklist: ['blocked.test'],
  });
}, 300_000);
afterAll(async () => {
  await pebble[Symbol.asyncDispose]();
  await bind[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  [now, facts, faults] = [Date.now(), [], []];
  temporary = await temporaryDatabase();
  database = temporary.database;
  stores = createStores(database);
  const { owner } = await createPeople(database);
  ({ organizationId } = owner);
  ({ applicationId } = await createPlace(database, owner, 'Shop'));
  proxy = keptRoutes(database);
  const settings = createSettings(stores.settings);
  await settings.update(
    {
      acmeDirectory: pebble.directoryUrl,
      acmeRoots: pebble.rootCertificates,
      dnsResolver: `127.0.0.1:${bind.port}`,
    },
    { role: 'owner' },
  );
  certifying = berth();
  return async () => {
    await certifying.renewing.stop();
    await temporary.remove();
  };
});

function berth(): Certifying {
  const policy = { reachesPrivate: true, allowed: ['127.0.0.0/8'], platform: [] };
  return createCertifying({
    stores,
    clock: { now: () => now },
    adapters: {
      names: createNameResolver(),
      outgoing: createOutgoing({ policyOf: async () => policy, lookUp: async () => ['127.0.0.1'] }),
    },
    settings: createSettings(stores.settings),
    log: { fault: (error) => String(faults.push(error)) },
    accounts: { events: { tellAll: async () => undefined } },
    notifying: { tell: async ({ event, sentence }) => void facts.push(`${event}: ${sentence}`) },
    changeRoutes: proxy.changeRoutes,
    nameServerAddress: (address) => `${address}:${bind.port}`,
  });
}

const createProvider = async (change: object = {}): Promise<string> => {
  const { dnsProviders } = certifying.dnsProviderDeps;
  const { dnsProviderId } = await dnsProviders.create(organizationId, {
    name: 'Zones',
    kind: 'rfc2136',
    rfc2136: { server: `127.0.0.1:${bind.port}`, algorithm: 'hmac-sha256', ...tsig, ...change },
  });
  return dnsProviderId;
};
const order = async (names: string[], dnsProviderId: string) =>
  certifying.certificateOrders.create(organizationId, { name: names.join(' '), names, dnsProviderId });
async function ended(certificateOrderId: string) {
  await certifying.renewing.tick();
  return until('the attempt to end', async () => {
    const shown = await certifying.certificateOrders.one(certificateOrderId, organizationId);
    return shown.nextTryAt !== null && Date.parse(shown.nextTryAt) > now && shown;
  });
}
async function textsAt(name: string): Promise<string[]> {
  const dns = new Resolver();
  dns.setServers([`127.0.0.1:${bind.port}`]);
  return (await dns.resolveTxt(name).catch(() => [])).map((parts) => parts.join(''));
}

it('issues a wildcard with its apex, which the proxy serves, and leaves foreign texts alone', async () => {
  await proxy.addDomain({ organizationId, applicationId, host: 'shop.apps.test', https: true });
  const made = await order(['*.apps.test', 'apps.test'], await createProvider());
  expect(made).toMatchObject({ status: 'waiting', certificateId: null });
  const issued = await ended(made.certificateOrderId);
  expect([issued, faults]).toMatchObject([{ status: 'issued', error: null, attempts: 0 }, []]);
  const [served] = proxy.routes.flatMap(({ certificate }) =>
    certificate?.source === 'uploaded' ? [certificate] : [],
  );
  const leaf = new X509Certificate(served?.chain ?? '');
  expect([leaf.checkHost('shop.apps.test'), leaf.checkHost('apps.test')]).toEqual([
    '*.apps.test',
    'apps.test',
  ]);
  const issuer = new X509Certificate(served?.chain.slice(served.chain.lastIndexOf('-----BEGIN')) ?? '');
  expect(issuer.checkIssued(new X509Certificate(await pebble.issuingRoot()))).toBe(true);
  expect(await textsAt('_acme-challenge.apps.test')).toEqual([foreign]);
  expect(await stores.dnsProviders.challenges.list({})).toEqual([]);
  // Asked for again, it keeps its id and gets another key.
  await certifying.certificateOrders.retry(made.certificateOrderId, organizationId);
  const renewed = await ended(made.certificateOrderId);
  expect(renewed).toMatchObject({ status: 'issued', certificateId: issued.certificateId });
  const [next] = proxy.routes.flatMap(({ certificate }) =>
    certificate?.source === 'uploaded' ? [certificate] : [],
  );
  expect(next?.privateKey.reveal()).not.toBe(served?.privateKey.reveal());
  expect(facts).toEqual([]);
});

it('follows a CNAME of the challenge into the zone that it leads to', async () => {
  const made = await order(['*.handed.test'], await createProvider());
  expect(await ended(made.certificateOrderId)).toMatchObject({ status: 'issued', error: null });
  expect(await textsAt('shop.apps.test')).toEqual([]);
});

const weak = { ...weakTsig };
it.each<[string, string[], object, RegExp]>([
  ['an unknown key', ['a.apps.test'], { keyName: 'nobody' }, /does not know the key nobody.*Check keyName/],
  [
    'a wrong secret',
    ['a.apps.test'],
    { secret: 'd3Jvbmc=' },
    /refused the signature of the key berth\. Check secret/,
  ],
  [
    'a key without the right',
    ['a.apps.test'],
    weak,
    /did not take the change of apps\.test \(REFUSED\): the key may not/,
  ],
  ['a name of no zone', ['a.foreign.test'], {}, /serves no zone of _acme-challenge\.a\.foreign\.test/],
  [
    'a CNAME to a zone of others',
    ['lost.handed.test'],
    {},
    /serves no zone of nowhere\.elsewhere\.test, to which a CNAME leads from lost\.handed\.test,/,
  ],
  [
    'a name server that is away',
    ['a.apps.test'],
    { server: '127.0.0.1:9' },
    /127\.0\.0\.1 cannot be reached/,
  ],
  [
    'a name that the authority refuses',
    ['a.blocked.test'],
    {},
    /by its policy.*a\.blocked\.test|a\.blocked\.test by its policy/,
  ],
])('tells %s in a sentence, once, and tries again later', async (_what, names, change, sentence) => {
  const made = await order(names, await createProvider(change));
  const failed = await ended(made.certificateOrderId);
  expect(failed).toMatchObject({ status: 'failed', attempts: 1, error: expect.stringMatching(sentence) });
  expect(Date.parse(failed.nextTryAt ?? '') - now).toBe(10 * 60_000);
  await certifying.certificateOrders.retry(made.certificateOrderId, organizationId);
  expect(await ended(made.certificateOrderId)).toMatchObject({ attempts: 2 });
  expect(facts).toEqual([expect.stringMatching(/^certificateFailed: /)]);
  expect(facts[0]).toMatch(sentence);
  expect(await textsAt('_acme-challenge.a.apps.test')).toEqual([]);
});

it('tells of an authority that is away or is none', async () => {
  for (const [acmeDirectory, sentence] of [
    ['https://127.0.0.1:9/dir', /127\.0\.0\.1 cannot be reached/],
    [pebble.directoryUrl.replace('/dir', '/nowhere'), /does not answer as an ACME authority does/],
  ] as const) {
    await createSettings(stores.settings).update({ acmeDirectory }, { role: 'owner' });
    certifying = berth();
    const made = await order(['a.apps.test'], await createProvider());
    expect(await ended(made.certificateOrderId)).toMatchObject({ error: expect.stringMatching(sentence) });
  }
});

it('tries a provider with a record that goes again, and shows which zone took it', async () => {
  const { dnsProviders, challengeRecords } = certifying.dnsProviderDeps;
  const id = await createProvider();
  const provider = await dnsProviders.found(id, organizationId);
  expect(await challengeRecords.test(provider, 'a.b.apps.test')).toEqual({
    zone: 'apps.test',
    name: '_acme-challenge.a.b.apps.test',
  });
  expect(await textsAt('_acme-challenge.a.b.apps.test')).toEqual([]);
  expect(await dnsProviders.one(id, organizationId)).toMatchObject({
    lastUsedAt: expect.any(String),
    lastError: null,
  });
});

it('removes what a killed Berth has left, when its time is over and not before', async () => {
  const id = await createProvider();
  const provider = await certifying.dnsProviderDeps.dnsProviders.found(id, organizationId);
  const { challengeRecords } = certifying;
  await challengeRecords.set(provider, 'apps.test', 'of a killed attempt', 60_000);
  await certifying.renewing.tick();
  expect(await textsAt('_acme-challenge.apps.test')).toHaveLength(2);
  now += 60_000;
  certifying = berth();
  await certifying.renewing.tick();
  expect(await textsAt('_acme-challenge.apps.test')).toEqual([foreign]);
});
