import { expect, it } from 'vitest';
import { parseHost } from '../names/names.ts';
import { hostOfUrl, parseOwnHost, whyNotForServices } from './own-host.ts';

const own = { hosts: ['berth.example.com'], addresses: ['203.0.113.7'] };
const why = (host: string, isBerthsMachine = true): string | undefined =>
  whyNotForServices(parseHost(host), own, { isBerthsMachine });

it.each([
  'localhost',
  'LOCALHOST',
  '127.0.0.1',
  '127.9.9.9',
  '0.0.0.0',
  '203.0.113.7',
  // What a router in front of it has is not known here.
  '198.51.100.1',
  'berth.example.com',
  'Berth.EXAMPLE.com',
  '*.example.com',
])('%s is no service’s', (host) => expect(why(host)).toEqual(expect.any(String)));

it.each([
  'shop.example.com',
  'example.com',
  '*.apps.example.com',
  '*.berth.example.com',
  'hello.localhost',
  '*.previews.localhost',
  'shop-0a1b2c-203-0-113-7.sslip.io',
])('%s may be one’s', (host) => expect(why(host)).toBeUndefined());

it('on other machines their own addresses are theirs', () => {
  expect(why('198.51.100.1', false)).toBeUndefined();
  for (const host of ['127.0.0.1', 'localhost', '203.0.113.7', '*.example.com'])
    expect(why(host, false), host).toEqual(expect.any(String));
});

it('the host of Berth is a name that certificates are issued for', () => {
  expect(parseOwnHost('Berth.Example.COM')).toBe('berth.example.com');
  for (const host of ['*.example.com', '203.0.113.7', 'localhost', 'berth.localhost', 'berth', 'a b', ''])
    expect(() => parseOwnHost(host)).toThrow('host: ');
});

it('an address has a host name, unless it is none that a domain could have', () => {
  expect(hostOfUrl('https://berth.example.com:8443')).toBe('berth.example.com');
  for (const url of ['http://localhost:3000', 'http://10.0.0.1:3000', 'http://[::1]:3000'])
    expect(hostOfUrl(url)).toBeUndefined();
});
