/**
 * Certificates by DNS: Berth's own client against Debian's pebble, which looks names up in Debian's bind9,
 * and updates of its zones by RFC 2136; the store, the orders and the routes are the product's.
 */
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createStores, type Stores } from '../../server/src/composition/stores.ts';
import type { Certifying } from '../../server/src/composition/upkeep/certifying.ts';
import type { Database } from '../../server/src/db/database.ts';
import type { ByDns } from '../../server/src/modules/certificate-order/by-dns.ts';
import { createDomains } from '../../server/src/modules/domain/domain.ts';
import { noSurroundings } from '../../server/src/modules/domain/naming.ts';
import { localServer } from '../../server/src/domain/names/server-key.ts';
import { createSettings } from '../../server/src/modules/settings/settings.ts';
import { anyHost } from '../http/any-host.ts';
import { installHostPackages } from '../bed/host/host-packages.ts';
import { until } from '../engine-suite/fixture.ts';
import { keptRoutes, type KeptRoutes } from '../http/kept-routes.ts';
import { createPeople } from '../http/people.ts';
import { createPlace } from '../http/places.ts';
import { temporaryDatabase } from '../http/temporary-database.ts';
import { certifyingOf, servedBy, setBase, textsOf } from './certifying-world.ts';
import { refusingAuthority } from './refusing-authority.ts';
import { startBind, startPebble, tsig, weakTsig, type Pebble, type Running } from './programs.ts';

const foreign = 'somebody else’s text'.replace('’', '-');
const zones = {
  'apps.test': `ns1 A 127.0.0.1\n_acme-challenge TXT "${foreign}"`,
  'handed.test': '_acme-challenge CNAME shop.apps.test.\n_acme-challenge.lost CNAME nowhere.elsewhere.test.',
};

let folder: string;
let bind: Running;
let pebble: Pebble;
/**
 * Its certificates live for 4 minutes: signatures of updates take a clock that is 5 minutes ahead, no
 * more.
 */
let brief: Pebble;
let temporary: Awaited<ReturnType<typeof temporaryDatabase>>;
let database: Database;
let stores: Stores;
let organizationId: string;
let projectId: string;
let applicationId: string;
let proxy: KeptRoutes;
let certifying: Certifying;
let byDns: ByDns;
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
  brief = await startPebble(join(folder, 'brief'), `127.0.0.1:${bind.port}`, {
    certificateValidityPeriod: 240,
  });
}, 300_000);
afterAll(async () => {
  await brief[Symbol.asyncDispose]();
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
  ({ projectId, applicationId } = await createPlace(database, owner, 'Shop'));
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
  const made = certifyingOf({
    stores,
    clock: { now: () => now },
    changeRoutes: proxy.changeRoutes,
    dnsPort: bind.port,
    onFault: (error) => void faults.push(error),
    onFact: (text) => void facts.push(text),
  });
  ({ byDns } = made);
  return made.certifying;
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
const textsAt = (name: string): Promise<string[]> => textsOf(bind.port, name);

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
    weakTsig,
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

it.each([
  [
    'a CAA record',
    { type: 'caa', detail: 'CAA record for apps.test prevents issuance', status: 403 },
    /A CAA record of apps\.test allows other certificate authorities only, or forbids wildcards/,
    10,
  ],
  [
    'its limit, with the time that it names',
    {
      type: 'rateLimited',
      detail: 'too many certificates (5) already issued for this exact set of identifiers',
      status: 429,
      retryAfter: '7200',
    },
    /issues no more certificates for|limit/,
    120,
  ],
])('tells that an authority refuses by %s', async (_what, refusal, sentence, minutes) => {
  await using authority = await refusingAuthority();
  authority.refusal = refusal;
  const { directoryUrl: acmeDirectory, rootCertificates: acmeRoots } = authority;
  await createSettings(stores.settings).update({ acmeDirectory, acmeRoots }, { role: 'owner' });
  certifying = berth();
  const made = await order(['*.apps.test'], await createProvider());
  const failed = await ended(made.certificateOrderId);
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(sentence) });
  expect(Date.parse(failed.nextTryAt ?? '') - now).toBe(minutes * 60_000);
  expect(facts).toEqual([`certificateFailed: ${failed.error}`]);
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
  const { dnsProviders, test } = certifying.dnsProviderDeps;
  const id = await createProvider();
  const provider = await dnsProviders.found(id, organizationId);
  expect(await test(provider, 'a.b.apps.test')).toEqual({
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

/** A domain as its handler makes it; its certificate is issued automatically. */
async function addAcmeDomain(host: string): Promise<void> {
  const { automaticOrders } = certifying;
  const clock = { now: () => now };
  const domains = createDomains(stores.domains, clock, anyHost, {
    ...noSurroundings,
    isOrdered: byDns.isOrdered,
  });
  const dnsProviderId = host.startsWith('*')
    ? await automaticOrders.prepare(host, localServer, organizationId)
    : undefined;
  await proxy.changeRoutes(
    localServer,
    (work) => database.transaction(work),
    async () => {
      if (dnsProviderId !== undefined)
        await automaticOrders.order(host, { serverKey: localServer, organizationId, dnsProviderId });
      await domains.create(organizationId, { applicationId }, { host, https: true, certificateType: 'acme' });
    },
  );
}

const served = (): Record<string, string> => servedBy(proxy.routes);
const orders = () => certifying.certificateOrders.all(organizationId);
const allEnded = async () => {
  await certifying.renewing.tick();
  return until('every attempt to end', async () => {
    const shown = await orders();
    const isOver = shown.every(({ nextTryAt }) => Date.parse(nextTryAt ?? '') > now);
    return shown.length > 0 && isOver && shown;
  });
};

it.each(['Berth', 'a project'])('asks once for 30 previews below a base of %s, and renews it', async (of) => {
  const project = of === 'Berth' ? undefined : projectId;
  const { directoryUrl: acmeDirectory, rootCertificates: acmeRoots } = brief;
  await createSettings(stores.settings).update({ acmeDirectory, acmeRoots }, { role: 'owner' });
  await setBase(stores, 'apps.test', project);
  await certifying.renewing.tick();
  expect(await orders()).toEqual([]);
  await createProvider();
  await certifying.renewing.tick();
  const hosts = Array.from({ length: 30 }, (_each, index) => `preview-shop-${index}.apps.test`);
  for (const host of hosts) await addAcmeDomain(host);
  const [issued, ...others] = await allEnded();
  expect(others).toEqual([]);
  expect([issued, faults]).toMatchObject([
    { names: ['*.apps.test'], status: 'issued', isAutomatic: true, certificateId: expect.any(String) },
    [],
  ]);
  expect(served()).toEqual(Object.fromEntries(hosts.map((host) => [host, issued?.certificateId])));
  expect(await stores.certificates.shown(organizationId)).toHaveLength(1);
  // It is renewed when a third of its life is left, with the id that it has.
  now = Date.parse(issued?.nextTryAt ?? '');
  const renewed = await until('the renewal', async () => {
    await certifying.renewing.tick();
    const [shown] = await orders();
    return shown?.issuedAt === new Date(now).toISOString() && shown.nextTryAt !== null && shown;
  });
  expect(renewed).toMatchObject({ certificateId: issued?.certificateId, status: 'issued' });
  // Without the base domain nothing needs it any more: it is not renewed again.
  await setBase(stores, null, project);
  await certifying.renewing.stop();
  certifying = berth();
  now = Date.parse(renewed.nextTryAt ?? '');
  await until('the order to go', async () => {
    await certifying.renewing.tick();
    return (await orders()).length === 0;
  });
});

it('lets hosts below a base domain ask themselves when its wildcard cannot be had', async () => {
  await setBase(stores, 'a.blocked.test');
  await createProvider();
  await stores.certificateOrders.insert({
    ...(await orderRow()),
    names: ['*.a.blocked.test'],
  });
  await addAcmeDomain('shop.a.blocked.test');
  expect(served()).toEqual({ 'shop.a.blocked.test': 'waits' });
  const [failed] = await allEnded();
  expect(failed).toMatchObject({ status: 'failed', attempts: 1 });
  await until('the proxy to ask', async () => served()['shop.a.blocked.test'] === 'asks');
});

async function orderRow() {
  const made = await order(['x.apps.test'], await createProvider());
  const row = await stores.certificateOrders.find({ certificateOrderId: made.certificateOrderId });
  await certifying.certificateOrders.remove(made.certificateOrderId, organizationId);
  if (!row) throw new Error('The order is gone.');
  return row;
}

it('orders the certificate of a wildcard host with acme where a provider serves its zone', async () => {
  await expect(addAcmeDomain('*.team.apps.test')).rejects.toThrow(
    /no DNS provider of this organization serves the zone of team\.apps\.test\. Add one with dnsProvider\.create/,
  );
  const provider = await createProvider();
  await expect(addAcmeDomain('*.elsewhere.test')).rejects.toThrow(/serves the zone of elsewhere\.test/);
  await addAcmeDomain('*.team.apps.test');
  expect(served()).toEqual({ '*.team.apps.test': 'internal' });
  const [issued] = await allEnded();
  expect(issued).toMatchObject({
    names: ['*.team.apps.test'],
    dnsProviderId: provider,
    status: 'issued',
    isAutomatic: true,
  });
  expect(served()).toEqual({ '*.team.apps.test': issued?.certificateId });
});

it('says why a provider could not be asked about the zone of a wildcard host', async () => {
  await createProvider({ server: '127.0.0.1:9' });
  await expect(addAcmeDomain('*.team.apps.test')).rejects.toThrow(
    /the DNS provider could not be asked: .*127\.0\.0\.1 cannot be reached/,
  );
  expect(await orders()).toEqual([]);
});
