/**
 * Which certificate a real TLS client gets of the real proxy: uploads by host name, the proxy's own
 * authority, and what ACME authorities issue.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runCommand } from '../../../images/command.ts';
import { Secret } from '../../../server/src/domain/secrets/secret.ts';
import type { AcmeCertificate, Route, RouteCertificate } from '../../../server/src/ports/proxy.ts';
import { dockerCli } from '../../bed/host/golden.ts';
import { makeChain } from '../../certificates/authority.ts';
import { acmeServer, type AcmeServer } from './acme-fixture.ts';
import { until } from '../../engine-suite/fixture.ts';
import { bedEngine } from '../engine/engine-fixture.ts';
import { ask, attached, httpsPort, proxyInBed, route } from './proxy-fixture.ts';
import { bare, greeted } from './tls-client.ts';

/** Hosts for which the proxy told that an authority refused them. */
const refused = new Set<string>();
const bed = proxyInBed({
  fresh: true,
  events: { onNews: ({ kind, host }) => void (kind === 'failed' && refused.add(host)) },
});
const { proxy, one } = bed;

const shop = makeChain(['shop.test', 'www.shop.test']);
const wild = makeChain(['*.wild.test']);
const uploaded = (certificateId: string, chain: typeof shop): RouteCertificate => ({
  source: 'uploaded',
  certificateId,
  chain: chain.leaf.pem + chain.intermediate.pem,
  privateKey: new Secret(chain.leaf.key),
});
const secured = (host: string, certificate: RouteCertificate): Route =>
  route({ id: host, host, https: true, service: one.name, certificate });

const uploads = [
  secured('shop.test', uploaded('shop', shop)),
  secured('www.shop.test', uploaded('shop', shop)),
  secured('a.wild.test', uploaded('wild', wild)),
  secured('*.wild.test', uploaded('wild', wild)),
  secured('own.wild.test', { source: 'internal' }),
  secured('plain.test', { source: 'internal' }),
];

beforeAll(() => attached(bed));

describe('uploaded certificates', () => {
  beforeAll(async () => {
    await proxy.apply(uploads);
  });

  test.each([
    ['shop.test', shop],
    ['www.shop.test', shop],
    ['SHOP.test', shop],
    ['a.wild.test', wild],
    ['b.wild.test', wild],
  ])(
    '%s is served with its chain, which its root alone proves',
    async (host, { root, intermediate, leaf }) => {
      const seen = await greeted(host, root.pem);
      expect(seen).toMatchObject({ isProven: true, error: undefined });
      expect(seen.chain).toEqual([leaf.pem, intermediate.pem].map(bare));
    },
  );

  test.each(['plain.test', 'own.wild.test'])('%s has the proxy’s own authority', async (host) => {
    const { issuer } = await until('a certificate', () =>
      greeted(host, shop.root.pem).catch(() => undefined),
    );
    expect(issuer).toContain('Caddy Local Authority');
  });

  test.each(['x.shop.test', 'x.y.wild.test', 'other.test'])(
    '%s, which nobody serves, has none',
    async (host) => {
      await expect(greeted(host, shop.root.pem)).rejects.toThrow(/alert/i);
    },
  );

  test('follow a change at once', async () => {
    const renewed = makeChain(['shop.test', 'www.shop.test']);
    await proxy.apply(
      uploads.map((each) =>
        each.certificate?.source === 'uploaded' && each.certificate.certificateId === 'shop'
          ? secured(each.host, uploaded('renewed', renewed))
          : each,
      ),
    );
    expect((await greeted('shop.test', renewed.root.pem)).chain[0]).toBe(bare(renewed.leaf.pem));
    await proxy.apply(uploads);
    expect((await greeted('shop.test', shop.root.pem)).chain[0]).toBe(bare(shop.leaf.pem));
  });

  test('leave their key on no disk of the proxy', async () => {
    const secret = shop.leaf.key.split('\n')[1] ?? '';
    const searched = await runCommand(
      [
        dockerCli,
        '-H',
        `unix://${inject('servers').m1.engineSocket}`,
        'exec',
        await bed.container(),
        'grep',
        '-rlsF',
        secret,
        '/etc',
        '/run',
        '/tmp',
        '/root',
        '/var',
      ],
      { limitMs: 60_000 },
    );
    expect([searched.code, searched.stdout]).toEqual([1, '']);
    const folder = join(dirname(inject('servers').m1.engineSocket), bed.name);
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.pem')))
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('PRIVATE KEY');
  });
});

describe('ACME authorities', () => {
  let acme: AcmeServer;
  let open: AcmeCertificate;
  beforeAll(async () => {
    acme = await acmeServer(60);
    open = {
      source: 'acme',
      account: null,
      directoryUrl: acme.directoryUrl,
      email: 'ops@example.com',
      rootCertificates: acme.rootCertificates,
      eab: null,
      isWithheld: false,
    };
  });
  afterAll(() => acme.close());

  test('issue for a host whose port 80 only redirects', async () => {
    const startedAt = performance.now();
    await proxy.apply([...uploads, secured('issued.test', open)]);
    const root = await acme.issuingRoot();
    const seen = await until('an issued certificate', () =>
      greeted('issued.test', root).catch(() => undefined),
    );
    console.log(`certificate issued ${(performance.now() - startedAt).toFixed(0)} ms after the change`);
    expect(seen).toMatchObject({ isProven: true, issuer: expect.stringContaining('Pebble Intermediate CA') });
    expect(await ask('issued.test')).toMatchObject({
      status: 308,
      headers: { location: `https://issued.test:${httpsPort}/` },
    });
    expect(await ask('issued.test', { secure: true })).toMatchObject({ status: 200 });
  });

  test('are not asked again by a change, nor by a proxy that starts anew', async () => {
    const before = await acme.orders();
    await proxy.apply([
      ...uploads,
      secured('issued.test', open),
      route({ id: 'more', host: 'more.test', service: one.name }),
    ]);
    const former = await bed.container();
    await bedEngine().engine.restartService(bed.name);
    await until('another container', async () => (await bed.container()) !== former);
    await attached(bed);
    await proxy.apply([...uploads, secured('issued.test', open)]);
    expect(await greeted('issued.test', await acme.issuingRoot())).toMatchObject({ isProven: true });
    expect(await acme.orders()).toBe(before);
  });

  test('that want an account binding get it', async () => {
    const { directoryUrl, keyId, hmacKey } = acme.bound;
    await proxy.apply([
      ...uploads,
      secured('bound.test', { ...open, directoryUrl, eab: { keyId, hmacKey: new Secret(hmacKey) } }),
    ]);
    const seen = await until('an issued certificate', () => greeted('bound.test', '').catch(() => undefined));
    expect(seen.issuer).toContain('Pebble Intermediate CA');
  });

  test(
    'issue nothing without the binding, with a wrong directory, or with the wrong roots, and nothing ' +
      'takes their place',
    async () => {
      const wrong: Record<string, AcmeCertificate> = {
        'unbound.test': { ...open, directoryUrl: acme.bound.directoryUrl, email: 'other@example.com' },
        'nowhere.test': { ...open, directoryUrl: open.directoryUrl?.replace('/dir', '/nowhere') ?? null },
        'untrusted.test': { ...open, rootCertificates: shop.root.pem },
      };
      await proxy.apply([
        ...uploads,
        ...Object.entries(wrong).map(([host, certificate]) => secured(host, certificate)),
      ]);
      for (const host of Object.keys(wrong)) {
        await until(`the refusal of ${host}`, async () => refused.has(host));
        await expect(greeted(host, '')).rejects.toThrow(/alert/i);
      }
      // Nor do the others suffer.
      expect(await greeted('shop.test', shop.root.pem)).toMatchObject({ isProven: true });
    },
  );
});
