/**
 * Host names of customers from the first connection to the certificate: a real proxy, a real authority, a
 * real database, and a real service that is asked within its container.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNameResolver } from '../../../server/src/adapters/dns/name-resolver.ts';
import { createStores } from '../../../server/src/composition/stores.ts';
import { probeTarget } from '../../../server/src/deploy/release/health-check.ts';
import { createBaseDomains } from '../../../server/src/modules/base-domain/base-domain.ts';
import { createDomains, type Domains } from '../../../server/src/modules/domain/domain.ts';
import { noSurroundings } from '../../../server/src/modules/domain/naming.ts';
import { createAdmission, type Admission } from '../../../server/src/modules/on-demand/admission.ts';
import { createAskService } from '../../../server/src/modules/on-demand/ask-service.ts';
import { questionsAMinute } from '../../../server/src/modules/on-demand/questions.ts';
import { createRefusedNames } from '../../../server/src/modules/on-demand/refused-names.ts';
import { createHostRules } from '../../../server/src/modules/own-host/own-host.ts';
import { systemClock } from '../../../server/src/ports/clock.ts';
import type { Route } from '../../../server/src/ports/proxy.ts';
import { routesOf } from '../../../server/src/reconcile/routes.ts';
import { createPeople } from '../../http/people.ts';
import { createPlace } from '../../http/places.ts';
import { temporaryDatabase } from '../../http/temporary-database.ts';
import { listens, until, untilRunning } from '../../engine-suite/fixture.ts';
import { bedEngine, nodeService } from '../engine/engine-fixture.ts';
import { acmeServer, type AcmeServer } from './acme-fixture.ts';
import { ask, attached, proxyInBed, type Answer } from './proxy-fixture.ts';

const local = 'local';
const service = 't-allowing';
const saas = 'app.saas.test';
/** Says yes to `yes…`, nothing at all to `hang…`, and how often it was asked. */
const program = `
  let count = 0;
  require('node:http').createServer(({ url, headers }, response) => {
    const host = new URL(url, 'http://x').searchParams.get('domain');
    if (host === null) return response.end(JSON.stringify({ count, host: headers.host }));
    count += 1;
    if (headers.host !== '${saas}') return response.writeHead(500).end();
    if (host.startsWith('hang')) return;
    const status = host.startsWith('yes') ? 204 : host.startsWith('moved') ? 302 : 404;
    response.writeHead(status, { Location: '/' }).end();
  }).listen(3000);
  process.on('SIGTERM', () => process.exit(0));`;

const refused = createRefusedNames(systemClock);
let admission: Admission;
const bed = proxyInBed({ fresh: true, events: { allows: (host) => admission.allows(local, host) } });
const { proxy, environment } = bed;

let acme: AcmeServer;
let temporary: Awaited<ReturnType<typeof temporaryDatabase>>;
let stores: ReturnType<typeof createStores>;

async function desired(): Promise<Route[]> {
  const sources = {
    certificates: [],
    resolvers: [],
    settings: { acmeDirectory: acme.directoryUrl, acmeEmail: null, acmeRoots: acme.rootCertificates },
    withheld: new Set<string>(),
    orders: [],
    base: null,
  };
  return routesOf(await stores.domains.routed(local), sources, systemClock.now(), { leadsTo: () => service });
}

function admissionOf(domains: Domains, hosts: ReturnType<typeof createHostRules>): Admission {
  const { engine } = bedEngine();
  return createAdmission({
    store: stores.domains,
    domains,
    hosts,
    baseDomains: createBaseDomains({
      store: stores.baseDomains,
      settings: async () => ({ baseDomain: 'apps.saas.test' }),
    }),
    names: createNameResolver(),
    resolver: async () => acme.dns,
    clock: systemClock,
    isWithheld: async () => false,
    ask: createAskService({
      engineOf: async () => engine,
      routed: stores.domains.routed,
      leadsTo: () => service,
      busybox: probeTarget,
    }),
    refused,
    changeRoutes: (_serverKey, write, change) =>
      write(async () => {
        const made = await change();
        await proxy.apply(await desired());
        return made;
      }),
    withinQuota: (_organizationId, work) => work(),
    tell: async () => undefined,
    changed: async () => undefined,
    onFault: (error) => console.error(error),
  });
}

beforeAll(async () => {
  temporary = await temporaryDatabase();
  stores = createStores(temporary.database);
  acme = await acmeServer(63);
  const { engine } = bedEngine();
  await engine.applyService(
    nodeService(service, program, {
      networks: [environment],
      healthCheck: listens,
      release: 'r1',
      mounts: [{ type: 'bind', source: '/bin/busybox', target: probeTarget, readOnly: true }],
    }),
  );
  await untilRunning(engine, service);
  const people = await createPeople(temporary.database);
  const [place, foreign] = [
    await createPlace(temporary.database, people.owner, 'Shop'),
    await createPlace(temporary.database, people.stranger, 'Rival'),
  ];
  const hosts = createHostRules({
    settings: async () => ({ host: 'berth.saas.test', serverIp: bedEngine().ip, baseDomain: null }),
    url: 'http://localhost:3000',
    facts: async () => ({ addresses: [], hostName: 'machine' }),
  });
  const domains = createDomains(stores.domains, systemClock, hosts, noSurroundings);
  const { applicationId } = place;
  await domains.create(
    people.owner.organizationId,
    { applicationId },
    { host: saas, https: true, certificateType: 'acme', allowOnDemand: '/allow', port: 3000 },
  );
  await domains.create(
    people.stranger.organizationId,
    { applicationId: foreign.applicationId },
    { host: 'yes.rival.test', port: 3000 },
  );
  admission = admissionOf(domains, hosts);
  await attached(bed);
  await proxy.apply(await desired());
}, 120_000);

afterAll(async () => {
  await bedEngine().engine.removeService(service);
  await acme.close();
  await temporary.remove();
});

/** Undefined: the proxy has no certificate for it. */
const opened = (host: string): Promise<Answer | undefined> =>
  ask(host, { secure: true }).catch(() => undefined);
const served = (host: string): Promise<Answer> =>
  until(`${host} to be served`, async () => {
    const answer = await opened(host);
    return answer?.status === 200 && answer;
  });
const asked = async (): Promise<number> =>
  Number((JSON.parse((await served(saas)).body) as { count: number }).count);
const names = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${kind}${index}.cust.test`);

test('20 hosts that the service allows are served by its authority, 20 others not', async () => {
  const before = await asked();
  const [first] = names('yes', 1);
  const startedAt = performance.now();
  const answer = await served(first ?? '');
  console.log(`first host served ${(performance.now() - startedAt).toFixed(0)} ms after it was opened`);
  expect(answer.issuer).toContain('Pebble Intermediate CA');
  expect(JSON.parse(answer.body)).toMatchObject({ host: first });
  const [allowed, others] = await Promise.all([
    Promise.all(names('yes', 20).map(served)),
    Promise.all(names('no', 20).map(opened)),
  ]);
  expect(allowed.map(({ status }) => status)).toEqual(allowed.map(() => 200));
  expect(others).toEqual(others.map(() => undefined));
  expect(await Promise.all(names('no', 20).map(opened))).toEqual(others);
  // What waited too long for its turn is asked again, within what a minute allows.
  expect((await asked()) - before).toBeLessThanOrEqual(questionsAMinute);
  // A visitor by http is led to https, where the question is asked.
  expect(await ask('no0.cust.test')).toMatchObject({ status: 308 });
}, 180_000);

test("another's host, Berth's own, one below a base domain and a redirect are no yes", async () => {
  const before = await acme.orders();
  for (const host of ['yes.rival.test', 'berth.saas.test', 'yes.apps.saas.test', 'moved.cust.test'])
    expect(await opened(host), host).toBeUndefined();
  expect(await acme.orders()).toBe(before);
  const allowing = await stores.domains.find({ serverKey: local, asciiHost: saas });
  const reasons = refused.of(allowing?.domainId ?? '').map(({ host, reason }) => `${host}: ${reason}`);
  expect(reasons).toContain('moved.cust.test: /allow answered 302, and a redirect is no yes');
  expect(reasons).toContainEqual(expect.stringMatching(/^no\d+\.cust\.test: \/allow answered 404$/));
}, 60_000);

test('an endpoint that hangs keeps nobody from what is served, nor from a yes', async () => {
  const hanging = names('hang', 3).map(opened);
  expect((await opened('yes0.cust.test'))?.status).toBe(200);
  expect((await served('yes-meanwhile.cust.test')).status).toBe(200);
  expect(await Promise.all(hanging)).toEqual([undefined, undefined, undefined]);
}, 60_000);

test('a flood of 500 hosts costs the service few questions, and others nothing', async () => {
  const before = await asked();
  const flood = Promise.all(names('no-flood', 500).map(opened));
  const during = [];
  for (let index = 0; index < 10; index += 1) during.push((await opened('yes1.cust.test'))?.status);
  expect(await flood).toEqual(names('no-flood', 500).map(() => undefined));
  expect(during).toEqual(during.map(() => 200));
  expect((await asked()) - before).toBeLessThanOrEqual(questionsAMinute);
}, 180_000);
