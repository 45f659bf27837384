import { noRules } from '../ports/proxy.ts';
import { expect, it } from 'vitest';
import { Secret } from '../domain/secrets/secret.ts';
import type { Route } from '../ports/proxy.ts';
import { nodeRoutes } from './node-platform.ts';

const route = (host: string, certificate: Route['certificate']): Route => ({
  id: host,
  serviceId: 'a1',
  host,
  path: '/',
  internalPath: '/',
  stripPath: false,
  https: certificate !== null,
  certificate,
  service: 'shop',
  port: 3000,
  accounts: [],
  hstsMaxAge: null,
  requestHeaders: {},
  maxBodyBytes: null,
  ...noRules,
  redirects: [],
});
const acme = {
  source: 'acme',
  account: null,
  directoryUrl: null,
  email: null,
  rootCertificates: null,
  eab: null,
  isWithheld: false,
} as const;

it('a node serves what the head was given, and asks no authority itself', async () => {
  const privateKey = new Secret('key');
  const routes = [
    route('plain.test', null),
    route('own.test', { source: 'internal' }),
    route('issued.test', acme),
    { ...route('issued.test', acme), id: 'second', path: '/api' },
    route('waiting.test', acme),
  ];
  const asked: string[] = [];
  const served = await nodeRoutes(routes, async (host) => {
    asked.push(host);
    return host === 'issued.test' ? { chain: 'pem', privateKey } : undefined;
  });
  const upload = { source: 'uploaded', certificateId: 'acme-issued.test', chain: 'pem', privateKey };
  expect(served.slice(0, 5).map(({ certificate }) => certificate)).toEqual([
    null,
    { source: 'internal' },
    upload,
    upload,
    { ...acme, isWithheld: true },
  ]);
  expect(asked).toEqual(['issued.test', 'waiting.test']);
});

it('what an authority asks a node by http is answered by the proxy of the head', async () => {
  const served = await nodeRoutes(
    [route('issued.test', acme), route('plain.test', null)],
    async () => undefined,
  );
  expect(served.slice(2)).toMatchObject([
    {
      host: 'issued.test',
      path: '/.well-known/acme-challenge',
      https: false,
      service: 'berth-proxy',
      port: 80,
      stripPath: false,
    },
  ]);
});
