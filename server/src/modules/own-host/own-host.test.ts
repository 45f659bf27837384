import { expect, it } from 'vitest';
import { createHostRules, createOwnHost, type OwnHostParts } from './own-host.ts';

const now = Date.parse('2026-06-01T00:00:00.000Z');
const day = 86_400_000;

function ownHost(parts: Partial<OwnHostParts> = {}) {
  return createOwnHost({
    settings: async () => ({ host: 'berth.example.com', acmeDirectory: null }),
    clock: { now: () => now },
    httpsPort: 443,
    domainHosts: async () => [],
    issuedUntil: async () => undefined,
    installation: async () => 'own',
    uploadedFor: async () => undefined,
    ...parts,
  });
}

it('has a secure address as soon as its certificate is there, and as long as that is good', async () => {
  expect(await ownHost().secureAddress()).toBeUndefined();
  expect(await ownHost({ issuedUntil: async () => now - day }).secureAddress()).toBeUndefined();
  expect(await ownHost({ issuedUntil: async () => now + day }).secureAddress()).toBe(
    'https://berth.example.com',
  );
  const uploadedFor = async (): Promise<{ expirationDate: string }> => ({
    expirationDate: '2027-01-01T00:00:00.000Z',
  });
  expect(await ownHost({ uploadedFor, httpsPort: 8443 }).secureAddress()).toBe(
    'https://berth.example.com:8443',
  );
  expect(
    await ownHost({
      uploadedFor,
      settings: async () => ({ host: null, acmeDirectory: null }),
    }).secureAddress(),
  ).toBeUndefined();
});

it('is served with an uploaded certificate, else asks the authority', async () => {
  expect(await ownHost().routed()).toEqual({ asciiHost: 'berth.example.com', certificateType: 'acme' });
  const uploadedFor = async (): Promise<{ expirationDate: string }> => ({
    expirationDate: '2027-01-01T00:00:00.000Z',
  });
  expect(await ownHost({ uploadedFor }).routed()).toMatchObject({ certificateType: 'none' });
  expect(
    await ownHost({ settings: async () => ({ host: null, acmeDirectory: null }) }).routed(),
  ).toBeUndefined();
});

it('is not given a host that leads to a service, by a wildcard neither', async () => {
  for (const asciiHost of ['berth.example.com', '*.example.com'])
    await expect(
      ownHost({ domainHosts: async () => [{ domainId: 'd1', asciiHost }] }).requireFree('berth.example.com'),
    ).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('d1'),
      issues: [{ path: 'host' }],
    });
  const others = ['example.com', '*.berth.example.com', 'shop.example.com'];
  await ownHost({
    domainHosts: async () => others.map((asciiHost) => ({ domainId: 'd', asciiHost })),
  }).requireFree('berth.example.com');
});

it('and the names and addresses of the machine are kept from services, asked anew each time', async () => {
  let host: string | null = null;
  const rules = createHostRules({
    settings: async () => ({ host, serverIp: '203.0.113.7' }),
    url: 'https://panel.example.com',
    facts: async () => ({
      addresses: ['127.0.0.1', '10.0.0.5', 'fe80::1'],
      hostName: 'Frankfurt.example.net',
    }),
  });
  await rules.check('berth.example.com', 'local');
  expect((await rules.allowed('local'))('*.example.com')).toBe(false);
  host = 'berth.example.com';
  for (const refused of [
    'berth.example.com',
    'panel.example.com',
    'frankfurt.example.net',
    '203.0.113.7',
    '10.0.0.5',
    '*.example.com',
    '*.com',
    'localhost',
  ])
    await expect(rules.check(refused, 'local'), refused).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      issues: [{ path: 'host' }],
    });
  const isAllowed = await rules.allowed('local');
  expect(['berth.example.com', '*.example.com', 'localhost', 'shop.example.com'].map(isAllowed)).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
