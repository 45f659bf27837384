/**
 * Domains of a running Berth: changes under load, certificates of a real authority, and what comes back by
 * itself when proxy, engine or store are lost.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../certificates/authority.ts';
import { acmeServer, type AcmeServer } from '../../integration/proxy/acme-fixture.ts';
import { greeted, type Greeting } from '../../integration/proxy/tls-client.ts';
import { dockerOf } from '../../bed/docker.ts';
import { runsAt, type PlaceName } from '../../run/places.ts';
import { data } from '../fixtures/berth-host.ts';
import { dataOfServer } from '../fixtures/placed-berth.ts';
import { startLoad, type LoadResult } from '../fixtures/load.ts';
import { nodeCommand } from '../fixtures/sources.ts';
import { docker, until, type App, type ApplicationFixture } from '../fixtures/applications.ts';

let shop: ApplicationFixture;
let app: App;
let acme: AcmeServer;

/** The last of their host, whose proxy, engine and store they take away. */
export function domainTests(fixture: () => ApplicationFixture, place: PlaceName): void {
  beforeAll(async () => {
    shop = fixture();
    const { ip } = shop.berth.services;
    [app, acme] = await Promise.all([
      shop.fromImage('domains-app', nodeCommand('v1')),
      acmeServer(shop.berth.serverId === null ? 63 : 64, { ip, httpPort: 80, tlsPort: 443 }),
    ]);
    await app.deploy();
    await shop.berth.call('settings.update', {
      acmeDirectory: acme.directoryUrl,
      acmeRoots: acme.rootCertificates,
      acmeEmail: 'ops@example.com',
      dnsResolver: acme.dns,
      serverIp: ip,
    });
  });
  afterAll(() => acme.close());

  it('a change that the proxy refuses is taken back, and the sentence says why', expectTakenBack);
  describe('200 requests a second', () => {
    loadTests(place);
  });
  describe('certificates', () => {
    certificateTests();
  });
}

interface Counted {
  minutes: { requests: number; statuses: Record<string, number>; p50: number; p99: number }[];
}

interface Certified {
  domainId: string;
  host: string;
  certificate: { status: string; issuer: string | null; expiresAt: string | null; error: string | null };
}

const addDomain = (host: string, change: object = {}): Promise<Certified> =>
  app.do<Certified>('domain.create', { host, ...change });
const stateOf = async (domainId: string): Promise<Certified['certificate']> =>
  (await shop.berth.call<Certified>('domain.one', { domainId })).certificate;
const proxyContainer = async (): Promise<string> =>
  (await dockerOf(shop.berth.services).containersOf('berth-proxy')).join();
const shown = (host: string): Promise<Greeting | undefined> =>
  greeted(host, '', { ip: shop.berth.services.ip, port: 443 }).catch(() => undefined);

async function expectTakenBack(): Promise<void> {
  // A curve that the proxy's library does not know; nobody is served with it yet.
  const { pem, key } = makeCertificate({ name: 'refused.test', hosts: ['refused.test'], curve: 'secp256k1' });
  const { certificateId } = await shop.berth.call<{ certificateId: string }>('certificate.create', {
    name: 'odd',
    certificateData: pem,
    privateKey: key,
  });
  const refused = await shop.berth.ask('domain.create', {
    applicationId: app.id,
    host: 'refused.test',
    https: true,
    certificateType: 'none',
  });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      message: expect.stringMatching(/The proxy refused the new routes and keeps the former ones.*curve/),
    },
  });
  expect(JSON.stringify(await app.do('domain.byApplicationId'))).not.toContain('refused.test');
  expect((await app.answer()).status).toBe(200);
  await shop.berth.call('certificate.remove', { certificateId });
}

function again({ sent, failed, retried, repeated }: LoadResult): string {
  return `sent ${sent}, failed ${failed}, sent again ${retried} of kept and ${repeated} of new connections`;
}

function loadTests(place: PlaceName): void {
  let answered = 0;

  it('are all answered while domains change fifty times', async () => {
    const load = startLoad({
      ip: shop.berth.services.ip,
      hostName: app.host,
      path: '/version',
      perSecond: 200,
      whileRoutesChange: true,
    });
    await wait(1_000);
    const began = performance.now();
    const times: number[] = [];
    for (let change = 0; change < 25; change += 1) {
      const startedAt = performance.now();
      const { domainId } = await addDomain(`load-${change}.test`);
      times.push(performance.now() - startedAt);
      await shop.berth.call('domain.delete', { domainId });
      await wait(20);
    }
    const seconds = (performance.now() - began) / 1000;
    await wait(1_000);
    const result = await load.stop();
    answered += result.ok;
    const median = times.toSorted((left, right) => left - right)[12] ?? 0;
    console.log(
      `50 changes in ${seconds.toFixed(1)} s (median ${median.toFixed(0)} ms): ${again(result)}; ` +
        `p99 ${result.p99} ms`,
    );
    expect({ failed: result.failed, failures: result.failures }).toEqual({ failed: 0, failures: [] });
    expect(result.ok).toBe(result.sent);
  });

  it('and as well while fifty come at once, which are few configurations', async () => {
    const load = startLoad({
      ip: shop.berth.services.ip,
      hostName: app.host,
      path: '/version',
      perSecond: 200,
      whileRoutesChange: true,
    });
    await wait(500);
    const startedAt = performance.now();
    const added = await Promise.all(
      Array.from({ length: 50 }, (_, index) => addDomain(`many-${index}.test`)),
    );
    const took = performance.now() - startedAt;
    const seen = await Promise.all(added.map(({ host }) => shop.berth.proxied(host, '/version')));
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]));
    await Promise.all(added.map(({ domainId }) => shop.berth.call('domain.delete', { domainId })));
    await wait(500);
    const result = await load.stop();
    answered += result.ok;
    console.log(`50 domains at once in ${took.toFixed(0)} ms: ${again(result)}`);
    expect({ failed: result.failed, failures: result.failures }).toEqual({ failed: 0, failures: [] });
  });

  if (!runsAt(place, 'rolling', 'requests are counted and logged')) return;
  it('were counted and logged', async () => {
    const own = (await app.do<{ domainId: string; host: string }[]>('domain.byApplicationId')).find(
      ({ host }) => host === app.host,
    );
    const input = { domainId: own?.domainId ?? '' };
    const counted = (): Promise<Counted> => shop.berth.call<Counted>('domain.requests', input);
    // Others than those of the load were made, too.
    await until(
      'the requests are counted',
      async () =>
        (await counted()).minutes.reduce((sum, { statuses }) => sum + (statuses['200'] ?? 0), 0) >= answered,
    );
    const { minutes } = await counted();
    expect(answered).toBeGreaterThan(400);
    for (const { p50, p99 } of minutes) expect(p99).toBeGreaterThanOrEqual(p50);
    const last = await shop.berth.call<unknown[]>('domain.accessLog', { ...input, tail: 3 });
    expect(last).toEqual(
      Array.from({ length: 3 }, () => ({
        at: expect.any(String),
        method: 'GET',
        host: app.host,
        path: '/version',
        status: 200,
        durationMs: expect.any(Number),
        bytes: 2,
      })),
    );
  });
}

function certificateTests(): void {
  let issued: Certified;

  it('are issued, and told', async () => {
    const startedAt = performance.now();
    issued = await addDomain('shop.test', { https: true, certificateType: 'acme', hstsMaxAge: 60 });
    await until('the certificate is told', async () => (await stateOf(issued.domainId)).status === 'issued');
    console.log(`issued and told ${(performance.now() - startedAt).toFixed(0)} ms after the change`);
    expect(await stateOf(issued.domainId)).toMatchObject({
      issuer: expect.stringContaining('Pebble Intermediate CA'),
      expiresAt: expect.any(String),
      error: null,
    });
    expect((await shown('shop.test'))?.issuer).toContain('Pebble');
  });

  it('are asked for by nobody whose DNS leads elsewhere, and the reason stands in the domain', async () => {
    const before = await acme.orders();
    await acme.resolve('elsewhere.test', ['10.98.250.9']);
    const { domainId } = await addDomain('elsewhere.test', { https: true, certificateType: 'acme' });
    expect(await stateOf(domainId)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('leads to 10.98.250.9 instead of'),
    });
    await wait(1_000);
    expect(await acme.orders()).toBe(before);
    await acme.resolve('elsewhere.test', [shop.berth.services.ip]);
    await shop.berth.call('domain.update', { domainId, host: 'elsewhere.test' });
    await until('the certificate is told', async () => (await stateOf(domainId)).status === 'issued');
  });

  it(
    'and routes are back by themselves when the proxy is killed, the engine restarted, and the store ' +
      'lost; no authority is asked',
    async () => {
      const { services: host, serverId } = shop.berth;
      const store = `${serverId === null ? data : dataOfServer}/proxy/store`;
      const [before, seen] = [await acme.orders(), await shown('shop.test')];
      const back = (what: string, startedAt: number): Promise<void> =>
        until(
          `${what}: served again`,
          async () => {
            const [plain, secure] = await Promise.all([
              shop.berth.proxied(app.host, '/version').catch(() => undefined),
              shown('shop.test'),
            ]);
            return plain?.status === 200 && secure?.chain[0] === seen?.chain[0];
          },
          120_000,
        ).then(() =>
          console.log(
            `${what}: routes and certificates back after ` +
              `${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
          ),
        );

      let startedAt = performance.now();
      await host.exec([docker, 'kill', await proxyContainer()]);
      await back('proxy killed', startedAt);
      startedAt = performance.now();
      await host.exec(['rm', '-rf', store]);
      await host.exec([docker, 'kill', await proxyContainer()]);
      await back('proxy killed and its store lost', startedAt);
      startedAt = performance.now();
      await host.engine.stop();
      await host.exec(['rm', '-rf', store]);
      await host.engine.start();
      await back('engine restarted and the store lost', startedAt);
      await wait(1_000);
      expect((await acme.orders()) - before).toBe(0);
    },
  );
}
