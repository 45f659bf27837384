import { expect, it } from 'vitest';
import { trustProxies } from './trusted-proxies.ts';

it('trusts the addresses and networks that are named, and our own socket', () => {
  const trusts = trustProxies(['192.0.2.10', '10.1.0.0/16', '2001:db8::/32']);
  for (const address of ['192.0.2.10', '::ffff:192.0.2.10', '10.1.255.1', '2001:db8:1::1', undefined])
    expect([address, trusts(address)]).toEqual([address, true]);
  for (const address of ['192.0.2.11', '10.2.0.1', '127.0.0.1', '2001:db9::1', 'nonsense'])
    expect([address, trusts(address)]).toEqual([address, false]);
  expect(trustProxies([])('127.0.0.1')).toBe(false);
});

it('refuses what is neither an address nor a network', () => {
  for (const text of ['proxy.example.com', '10.0.0.0/33', '10.0.0.0/8/8', '::/129', '10.0.0.0/x', '*', '/8'])
    expect(() => trustProxies([text])).toThrow('neither an address nor a network');
});
