/**
 * Providers that Berth does not know, by Debian's lego: the records of a certificate that Berth itself asks
 * Debian's pebble for, set in Debian's bind9.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createStores, type Stores } from '../../server/src/composition/stores.ts';
import type { Certifying } from '../../server/src/composition/upkeep/certifying.ts';
import type { Database } from '../../server/src/db/database.ts';
import { createSettings } from '../../server/src/modules/settings/settings.ts';
import { installHostPackages } from '../bed/host/host-packages.ts';
import { until } from '../engine-suite/fixture.ts';
import { keptRoutes } from '../http/kept-routes.ts';
import { createPeople } from '../http/people.ts';
import { temporaryDatabase } from '../http/temporary-database.ts';
import { certifyingOf, textsOf, type CertifyingWorld } from './certifying-world.ts';
import { startBind, startPebble, tsig, type Pebble, type Running } from './programs.ts';

let folder: string;
let bind: Running;
let pebble: Pebble;
let database: Database;
let stores: Stores;
let organizationId: string;
let certifying: Certifying;
let facts: string[];
let faults: unknown[];

beforeAll(async () => {
  await installHostPackages(console.error, AbortSignal.timeout(300_000), ['bind9', 'lego', 'pebble']);
  folder = await mkdtemp(join(tmpdir(), 'berth-lego-'));
  bind = await startBind(join(folder, 'bind'), {
    'apps.test': 'ns1 A 127.0.0.1',
    'handed.test': '_acme-challenge CNAME shop.apps.test.',
  });
  pebble = await startPebble(join(folder, 'pebble'), `127.0.0.1:${bind.port}`);
}, 300_000);
afterAll(async () => {
  await pebble[Symbol.asyncDispose]();
  await bind[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  [facts, faults] = [[], []];
  const temporary = await temporaryDatabase();
  ({ database } = temporary);
  stores = createStores(database);
  ({ organizationId } = (await createPeople(database)).owner);
  await createSettings(stores.settings).update(
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

const berth = (change: Partial<CertifyingWorld> = {}): Certifying =>
  certifyingOf({
    stores,
    clock: { now: () => Date.now() },
    changeRoutes: keptRoutes(database).changeRoutes,
    dnsPort: bind.port,
    onFault: (error) => void faults.push(error),
    onFact: (text) => void facts.push(text),
    ...change,
  }).certifying;

const variables = (change: Record<string, string> = {}): string =>
  Object.entries({
    RFC2136_NAMESERVER: `127.0.0.1:${bind.port}`,
    RFC2136_TSIG_ALGORITHM: 'hmac-sha256.',
    RFC2136_TSIG_KEY: tsig.keyName,
    RFC2136_TSIG_SECRET: tsig.secret,
    RFC2136_SEQUENCE_INTERVAL: '1',
    ...change,
  })
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

const createProvider = async (change: object = {}): Promise<string> => {
  const { dnsProviderId } = await certifying.dnsProviderDeps.dnsProviders.create(organizationId, {
    name: 'By lego',
    kind: 'lego',
    lego: {
      provider: 'rfc2136',
      zones: ['apps.test'],
      environment: variables(),
      // Name servers of the zone are asked at port 53, which nobody has here.
      awaitsNameServers: false,
      ...change,
    },
  });
  return dnsProviderId;
};

async function ordered(names: string[], dnsProviderId: string) {
  const { certificateOrderId } = await certifying.certificateOrders.create(organizationId, {
    name: names.join(' '),
    names,
    dnsProviderId,
  });
  await certifying.renewing.tick();
  return until('the attempt to end', async () => {
    const shown = await certifying.certificateOrders.one(certificateOrderId, organizationId);
    return shown.nextTryAt !== null && Date.parse(shown.nextTryAt) > Date.now() && shown;
  });
}

it('proves a wildcard and its apex, one after the other, and leaves no record', async () => {
  const issued = await ordered(['*.apps.test', 'apps.test'], await createProvider());
  expect([issued, faults]).toMatchObject([{ status: 'issued', error: null }, []]);
  expect(await textsOf(bind.port, '_acme-challenge.apps.test')).toEqual([]);
});

it('follows a CNAME of the challenge into the zone that it leads to', async () => {
  const issued = await ordered(['*.handed.test'], await createProvider());
  expect([issued, faults]).toMatchObject([{ status: 'issued', error: null }, []]);
  expect(await textsOf(bind.port, 'shop.apps.test')).toEqual([]);
});

it('orders the wildcard of a base domain in one of its zones by itself', async () => {
  await createSettings(stores.settings).update({ baseDomain: 'apps.test' }, { role: 'owner' });
  await createProvider();
  const [issued] = await until('the certificate', async () => {
    await certifying.renewing.tick();
    const orders = await certifying.certificateOrders.all(organizationId);
    return orders.some(({ status }) => status !== 'waiting') && orders;
  });
  expect(issued).toMatchObject({ names: ['*.apps.test'], status: 'issued', isAutomatic: true });
});

it.each<[string, object, RegExp]>([
  [
    'a wrong secret',
    { environment: '<secret>' },
    /^lego did not set the TXT record of apps\.test by its provider rfc2136: .*bad authentication/,
  ],
  ['a variable that is missing', { environment: 'NOTHING=here' }, /missing: RFC2136_NAMESERVER/],
  [
    'a provider that this lego has not',
    { provider: 'nonesuch' },
    /unrecognized DNS provider: nonesuch\. This lego has no provider of that name; "lego dnshelp" lists/,
  ],
])('tells %s in a sentence without the secret', async (_what, change, sentence) => {
  const wrong = 'd3JvbmctYW5kLXNlY3JldA==';
  const environment =
    'environment' in change && change.environment === '<secret>'
      ? { environment: variables({ RFC2136_TSIG_SECRET: wrong }) }
      : {};
  const failed = await ordered(['*.apps.test'], await createProvider({ ...change, ...environment }));
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(sentence) });
  expect(failed.error).not.toContain(wrong);
  expect(facts).toEqual([`certificateFailed: ${failed.error}`]);
});

it('says how lego is installed where it is not', async () => {
  certifying = berth({ legoPath: '/usr/bin/no-lego' });
  const failed = await ordered(['*.apps.test'], await createProvider());
  expect(failed.error).toBe(
    'The program lego is not installed on the machine of Berth at /usr/bin/no-lego. Install it there ' +
      '(Debian: apt-get install lego), or let BERTH_LEGO name it.',
  );
});

it('tries a provider with a record that goes again, in its zones alone', async () => {
  const { dnsProviders, test } = certifying.dnsProviderDeps;
  const provider = await dnsProviders.found(await createProvider(), organizationId);
  expect(await test(provider, 'shop.apps.test')).toEqual({
    zone: 'apps.test',
    name: '_acme-challenge.shop.apps.test',
  });
  expect(await textsOf(bind.port, '_acme-challenge.shop.apps.test')).toEqual([]);
  await expect(test(provider, 'shop.elsewhere.test')).rejects.toThrow(
    /is not said to serve the zone of _acme-challenge\.shop\.elsewhere\.test/,
  );
});

it('is for the organization of the installation alone, also when it was not at first', async () => {
  const provider = await createProvider();
  certifying = berth({ standing: 'trusted' });
  await expect(createProvider()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await ordered(['*.apps.test'], provider)).toMatchObject({
    error: expect.stringMatching(/only the installation's own organization may use it/),
  });
});

it.each([
  ['provider', { provider: 'exec' }, /lego\.provider.*needs a person or runs a program/],
  ['environment', { environment: 'HTTPREQ_PASSWORD_FILE=/etc/shadow' }, /give the value itself in HTTPREQ_P/],
  ['environment', { environment: 'LEGO_PATH=/tmp' }, /may not set LEGO_PATH/],
  ['environment', { environment: 'a b=c' }, /lego\.environment/],
])('refuses a %s that would reach the machine itself', async (_field, change, sentence) => {
  await expect(createProvider(change)).rejects.toThrow(sentence);
});
