/**
 * A certificate that Berth asks Debian's pebble for by DNS, served by the real proxy, and its renewal with
 * the clock moved: the next one takes its place, and no connection is closed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createStores } from '../../../server/src/composition/stores.ts';
import { createSettings } from '../../../server/src/modules/settings/settings.ts';
import { installHostPackages } from '../../bed/host/host-packages.ts';
import { certifyingOf } from '../../dns/certifying-world.ts';
import { startBind, startPebble, tsig } from '../../dns/programs.ts';
import { until } from '../../engine-suite/fixture.ts';
import { keptRoutes } from '../../http/kept-routes.ts';
import { createPeople } from '../../http/people.ts';
import { createPlace } from '../../http/places.ts';
import { temporaryDatabase } from '../../http/temporary-database.ts';
import { echo, openSocket } from './protocol-clients.ts';
import { attached, proxyInBed } from './proxy-fixture.ts';
import { greeted } from './tls-client.ts';

const bed = proxyInBed();
const host = 'shop.apps.test';

beforeAll(async () => {
  await installHostPackages(console.error, AbortSignal.timeout(300_000), ['bind9', 'pebble']);
  await attached(bed);
});

test('is served with its chain, and its renewal closes no connection', async () => {
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'berth-dns-'));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  const bind = cleanUp.use(await startBind(join(folder, 'bind'), { 'apps.test': 'ns1 A 127.0.0.1' }));
  // Signatures of updates take a clock that is 5 minutes ahead, no more.
  const pebble = cleanUp.use(
    await startPebble(join(folder, 'pebble'), `127.0.0.1:${bind.port}`, { certificateValidityPeriod: 240 }),
  );
  const temporary = await temporaryDatabase();
  cleanUp.defer(() => temporary.remove());
  const { database } = temporary;
  const stores = createStores(database);
  const { owner } = await createPeople(database);
  const { organizationId } = owner;
  const { applicationId } = await createPlace(database, owner, 'Shop');
  const { directoryUrl: acmeDirectory, rootCertificates: acmeRoots } = pebble;
  await createSettings(stores.settings).update(
    { acmeDirectory, acmeRoots, dnsResolver: `127.0.0.1:${bind.port}` },
    { role: 'owner' },
  );
  const routes = keptRoutes(database, { proxy: bed.proxy, service: bed.one.name });
  let now = Date.now();
  const faults: unknown[] = [];
  const { certifying } = certifyingOf({
    stores,
    clock: { now: () => now },
    changeRoutes: routes.changeRoutes,
    dnsPort: bind.port,
    onFault: (error) => void faults.push(error),
    onFact: (text) => void faults.push(text),
  });
  cleanUp.defer(() => certifying.renewing.stop());
  const { dnsProviderId } = await certifying.dnsProviderDeps.dnsProviders.create(organizationId, {
    name: 'Zones',
    kind: 'rfc2136',
    rfc2136: { server: `127.0.0.1:${bind.port}`, algorithm: 'hmac-sha256', ...tsig },
  });
  const wildcard = { name: 'apps', names: ['*.apps.test'], dnsProviderId };
  await routes.addDomain({ organizationId, applicationId, host, https: true });
  await certifying.certificateOrders.create(organizationId, wildcard);
  const issued = (): Promise<{ nextTryAt: string | null }> =>
    until('the certificate', async () => {
      await certifying.renewing.tick();
      const [shown] = await certifying.certificateOrders.all(organizationId);
      return shown?.issuedAt === new Date(now).toISOString() && shown.nextTryAt !== null && shown;
    });

  const first = await issued();
  const root = await pebble.issuingRoot();
  const before = await greeted(host, root);
  expect([before, faults]).toMatchObject([{ isProven: true }, []]);
  const socket = await openSocket(host, { secure: true });
  let isClosed = false;
  socket.once('close', () => (isClosed = true));
  expect(await echo(socket, 'before')).toBe('before');

  now = Date.parse(first.nextTryAt ?? '');
  await issued();
  const after = await greeted(host, root);
  expect([after, faults]).toMatchObject([{ isProven: true }, []]);
  expect(after.chain[0]).not.toBe(before.chain[0]);
  expect(after.endsAt).toBeGreaterThanOrEqual(before.endsAt);
  expect(await echo(socket, 'after')).toBe('after');
  expect(isClosed).toBe(false);
  socket.destroy();
});
