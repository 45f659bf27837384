/**
 * Issuance as a person reads it, and certificates that outlive the proxy's store: a real authority, the real
 * proxy, a real database.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createNameResolver } from '../../../server/src/adapters/dns/name-resolver.ts';
import { storeFolder } from '../../../server/src/adapters/proxy/caddy-store.ts';
import { createDnsCheck } from '../../../server/src/modules/domain/dns-check.ts';
import { createIssuance, type Issuance } from '../../../server/src/modules/issuance/issuance.ts';
import type { AskedAuthority } from '../../../server/src/modules/issuance/issued.ts';
import { createIssuanceStore, type IssuanceRecord } from '../../../server/src/modules/issuance/store.ts';
import { Secret } from '../../../server/src/domain/secrets/secret.ts';
import { systemClock } from '../../../server/src/ports/clock.ts';
import type { AcmeCertificate, Route } from '../../../server/src/ports/proxy.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { temporaryDatabase } from '../../http/temporary-database.ts';
import { acmeServer, type AcmeServer } from './acme-fixture.ts';
import { until } from '../../engine-suite/fixture.ts';
import { bedEngine } from '../engine/engine-fixture.ts';
import { attached, httpPort, proxyInBed, route } from './proxy-fixture.ts';
import { greeted } from './tls-client.ts';

let issuance: Issuance;
const warnings: string[] = [];
const bed = proxyInBed({
  fresh: true,
  events: { onNews: (news) => void issuance.hear(news), beforeLoad: () => issuance.putBack() },
});
const { proxy, one } = bed;

let acme: AcmeServer;
let open: AcmeCertificate;
let temporary: Awaited<ReturnType<typeof temporaryDatabase>>;
let store: ReturnType<typeof createIssuanceStore>;
/** Where the authority's DNS leads for a host that somebody else's server answers for. */
let elsewhere: string;

beforeAll(async () => {
  temporary = await temporaryDatabase();
  store = createIssuanceStore(temporary.database, 'local');
  acme = await acmeServer(61);
  const dns = createDnsCheck({
    names: createNameResolver(),
    settings: async () => ({ serverIp: bedEngine().ip, dnsResolver: acme.dns }),
  });
  issuance = createIssuance({
    store,
    clock: systemClock,
    files: bed.store,
    whyNot: (host) => dns.whyNotHere(host, bedEngine().ip),
    changed: () => undefined,
    warn: (sentence) => warnings.push(sentence),
  });
  open = {
    source: 'acme',
    account: null,
    directoryUrl: acme.directoryUrl,
    email: 'ops@example.com',
    rootCertificates: acme.rootCertificates,
    eab: null,
    isWithheld: false,
  };
  const other = await (await bedOfRun()).host('elsewhere', { index: 62 });
  await other.launch('web', [
    'node',
    '-e',
    `require('node:http').createServer((q, r) => r.writeHead(404).end('Nothing here')).listen(${httpPort})`,
  ]);
  elsewhere = other.ip;
  await attached(bed);
});
afterAll(async () => {
  await acme.close();
  await temporary.remove();
});

const secured = (host: string, change: Partial<AcmeCertificate> = {}): Route =>
  route({ id: host, host, https: true, service: one.name, certificate: { ...open, ...change } });
const stateOf = (host: string, asked: Partial<AskedAuthority> = {}): Promise<IssuanceRecord | undefined> =>
  issuance.of(host, { directoryUrl: acme.directoryUrl, account: null, ...asked });
const issued = (host: string, asked?: Partial<AskedAuthority>): Promise<IssuanceRecord> =>
  until(`a certificate for ${host}`, async () => {
    const state = await stateOf(host, asked);
    return state?.status === 'issued' && state;
  }).catch(async (error: unknown) => {
    throw new Error(`${String(error)}; its state is ${JSON.stringify(await stateOf(host, asked))}`);
  });

/** What came first for the host whose certificates end within seconds. */
let brief: IssuanceRecord;

test('a certificate that came is told with its issuer and end', async () => {
  const { directoryUrl } = acme.brief;
  await proxy.apply([secured('shop.test'), secured('brief.test', { directoryUrl })]);
  const startedAt = performance.now();
  const state = await issued('shop.test');
  console.log(`told ${(performance.now() - startedAt).toFixed(0)} ms after the change`);
  const seen = await greeted('shop.test', await acme.issuingRoot());
  expect(state).toMatchObject({
    issuer: expect.stringContaining('Pebble Intermediate CA'),
    expiresAt: seen.endsAt,
    error: null,
  });
  expect(seen).toMatchObject({ isProven: true });
  expect(await stateOf('shop.test', { directoryUrl: 'https://other.test/dir' })).toBeUndefined();
  // Its life goes on while others are looked at.
  brief = await issued('brief.test', { directoryUrl });
});

describe('a refusal is told in a sentence', () => {
  test.each<[string, string, () => Partial<AcmeCertificate>, RegExp]>([
    [
      'whose address answers nothing',
      'silent.test',
      () => ({}),
      /nothing listens on its port 80|could not reach port (?:80|443)/,
    ],
    [
      'which another server answers for',
      'elsewhere.test',
      () => ({}),
      // The other server has a web page and no TLS; the proxy chooses which challenge it tries first.
      /Another server answered for elsewhere\.test|could not reach port 443/,
    ],
    ['whose DNS fails', 'broken.test', () => ({}), /DNS/],
    ['which the authority has on its list', 'blocked.test', () => ({}), /by its policy/],
    [
      'at a wrong directory',
      'wrong.test',
      () => ({ directoryUrl: acme.directoryUrl.replace('/dir', '/nowhere') }),
      /no ACME directory at the address/,
    ],
    [
      'at an authority that nobody trusts',
      'untrusted.test',
      () => ({ rootCertificates: null, email: 'b@example.com' }),
      /is not trusted/,
    ],
    [
      'at an authority that is away',
      'away.test',
      () => ({ directoryUrl: acme.directoryUrl.replace(/:\d+/, ':9') }),
      /does not answer/,
    ],
    [
      'without the binding',
      'unbound.test',
      () => ({ directoryUrl: acme.bound.directoryUrl, email: 'c@example.com' }),
      /requires an account binding/,
    ],
  ])('of a host %s', async (_, host, change, sentence) => {
    if (host === 'silent.test') await acme.resolve(host, [inject('servers').s1.ip]);
    if (host === 'elsewhere.test') await acme.resolve(host, [elsewhere]);
    if (host === 'broken.test') await acme.fail(host);
    const { directoryUrl } = { ...open, ...change() };
    await proxy.apply([secured('shop.test'), secured(host, change())]);
    const state = await until(`a refusal of ${host}`, () => stateOf(host, { directoryUrl }));
    expect(state).toMatchObject({ status: 'failed', attempts: 1, error: expect.stringMatching(sentence) });
    expect(state.nextAt - Date.now()).toBeGreaterThan(9 * 60_000);
  });

  test('and the authority is not asked again by the next change, until it is due', async () => {
    expect(await issuance.withheld()).toContain('blocked.test');
    await proxy.apply([secured('shop.test'), secured('blocked.test')]);
    // What this change began must be over first.
    const { orders: before } = await until('no order is under way', async () => {
      const orders = await acme.orders();
      await new Promise((resolve) => setTimeout(resolve, 700));
      return orders === (await acme.orders()) && { orders };
    });
    // That a host is withheld is no reason to load anything; with the next change it is left out.
    expect(await proxy.apply([secured('shop.test'), secured('blocked.test', { isWithheld: true })])).toEqual({
      changed: false,
    });
    await proxy.apply([
      secured('shop.test'),
      secured('blocked.test', { isWithheld: true }),
      route({ id: 'x', host: 'x.test', service: one.name }),
    ]);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await acme.orders()).toBe(before);
    expect(
      await proxy.apply([
        secured('shop.test'),
        secured('blocked.test'),
        route({ id: 'x', host: 'x.test', service: one.name }),
      ]),
    ).toEqual({ changed: true });
    await until('another order', async () => (await acme.orders()) > before);
  });
});

describe('before an authority is asked', () => {
  test('the DNS is, and a host that does not lead here is withheld with the reason', async () => {
    await acme.resolve('early.test', [elsewhere]);
    await issuance.prepare('early.test');
    expect(await issuance.withheld()).toContain('early.test');
    expect(await stateOf('early.test')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`leads to ${elsewhere} instead of`),
    });
    // The person mends it and says so.
    await acme.resolve('early.test', [bedEngine().ip]);
    await issuance.prepare('early.test');
    expect(await issuance.withheld()).not.toContain('early.test');
    expect(await stateOf('early.test')).toBeUndefined();
  });
});

test('a certificate is renewed when a third of its life is left; the new one is told and kept', async () => {
  const { directoryUrl, seconds } = acme.brief;
  const endsAt = brief.expiresAt ?? 0;
  await new Promise((resolve) => setTimeout(resolve, endsAt - Date.now() - (seconds * 1000) / 4));
  // Caddy looks every ten minutes, and with every change.
  await proxy.apply([
    secured('brief.test', { directoryUrl }),
    route({ id: 'y', host: 'y.test', service: one.name }),
  ]);
  const second = await until('another certificate', async () => {
    const state = await stateOf('brief.test', { directoryUrl });
    return (state?.expiresAt ?? 0) > endsAt && state;
  });
  expect(second.status).toBe('issued');
  await until(
    'the new certificate to be served',
    async () => (await greeted('brief.test', '')).endsAt === second.expiresAt,
  );
});

test('a lost store is put back before anything is asked: no order, and the same certificate', async () => {
  await proxy.apply([secured('shop.test')]);
  await issued('shop.test');
  await issuance.keep();
  const [before, seen] = [await acme.orders(), await greeted('shop.test', await acme.issuingRoot())];
  const startedAt = performance.now();
  const former = await bed.container();
  await bedEngine().engine.restartService(bed.name);
  await until('another container', async () => (await bed.container()) !== former);
  await rm(join(bed.folder, storeFolder), { recursive: true });
  await attached(bed);
  await proxy.apply([secured('shop.test')]);
  const again = await until('the certificate', () => greeted('shop.test', '').catch(() => undefined));
  console.log(
    `proxy killed and its store lost: served again after ${(performance.now() - startedAt).toFixed(0)} ms`,
  );
  expect(again.chain[0]).toBe(seen.chain[0]);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect((await acme.orders()) - before).toBe(0);
  // Account and key are what they were: a new host is asked for with the same account.
  await proxy.apply([secured('shop.test'), secured('second.test')]);
  await issued('second.test');
  const secrets = (await store.filePaths()).map(({ path }) => path).filter((path) => path.endsWith('.key'));
  expect(secrets.some((path) => path.startsWith('acme/'))).toBe(true);
  expect(warnings).toEqual([]);
});

describe('two organizations with one directory and one e-mail', () => {
  const addressOf = async (account: string): Promise<string> => {
    const file = (await bed.store.files()).find(
      ({ path }) => path.startsWith(`accounts/${account}/acme/`) && path.endsWith('.json'),
    );
    return /"location":\s*"([^"]+)"/.exec(file?.content ?? '')?.[1] ?? '';
  };
  const at = (account: string, eab: { keyId: string; hmacKey: string } | null): Partial<AcmeCertificate> => ({
    directoryUrl: acme.bound.directoryUrl,
    email: 'same@example.com',
    account,
    eab: eab && { keyId: eab.keyId, hmacKey: new Secret(eab.hmacKey) },
  });
  const askedBy = (account: string): AskedAuthority => ({ directoryUrl: acme.bound.directoryUrl, account });
  const ours = (): Route => secured('ours.test', at('ours', acme.bound));
  const theirs = (host: string): Route => secured(host, at('theirs', acme.bound.other));

  test('have an account each: the binding of one is not used by the other', async () => {
    await proxy.apply([ours()]);
    await issued('ours.test', askedBy('ours'));
    await proxy.apply([ours(), secured('theirs.test', at('theirs', null))]);
    expect(await until('a refusal', () => stateOf('theirs.test', askedBy('theirs')))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('requires an account binding'),
    });
    await proxy.apply([ours(), theirs('theirs.test')]);
    await issued('theirs.test', askedBy('theirs'));
    const [first, second] = [await addressOf('ours'), await addressOf('theirs')];
    expect([first, second]).toEqual([
      expect.stringContaining('/my-account/'),
      expect.stringContaining('/my-account/'),
    ]);
    expect(first).not.toBe(second);
  });

  test('lose nothing by the removal of the other, nor when the store is lost', async () => {
    await temporary.database.script(
      `INSERT INTO "certificate_resolver" VALUES ('theirs', 'x', 'bound', 'https://x.test', ` +
        `'same@example.com', NULL, NULL, NULL, '2026')`,
    );
    await proxy.apply([theirs('theirs.test')]);
    await issuance.look();
    const [before, seen] = [await addressOf('theirs'), await greeted('theirs.test', '')];
    expect([
      await addressOf('ours'),
      (await store.filePaths()).filter(({ path }) => path.startsWith('accounts/ours/')),
    ]).toEqual(['', []]);
    await rm(join(bed.folder, storeFolder), { recursive: true });
    await proxy.apply([theirs('theirs.test'), theirs('more.test')]);
    await issued('more.test', askedBy('theirs'));
    expect([await addressOf('theirs'), (await greeted('theirs.test', '')).chain[0]]).toEqual([
      before,
      seen.chain[0],
    ]);
  });

  test('get a new account with a new binding, and keep what was issued', async () => {
    const [before, seen] = [await addressOf('theirs'), await greeted('theirs.test', '')];
    await issuance.forgetAccount('theirs');
    await proxy.apply([theirs('theirs.test'), secured('again.test', at('theirs', acme.bound))]);
    await issued('again.test', askedBy('theirs'));
    expect(await addressOf('theirs')).not.toBe(before);
    expect((await greeted('theirs.test', '')).chain[0]).toBe(seen.chain[0]);
  });
});

test('keys are encrypted in the database', async () => {
  const rows = await temporary.database.run(
    temporary.database.builder.selectFrom('proxy_file').select(['path', 'content']).compile(),
  );
  expect(rows.length).toBeGreaterThan(3);
  expect(JSON.stringify(rows)).not.toContain('PRIVATE KEY');
  const { content = '' } =
    (await store.file(rows.find(({ path }) => path.endsWith('shop.test.key'))?.path ?? '')) ?? {};
  expect(content).toContain('PRIVATE KEY');
});
