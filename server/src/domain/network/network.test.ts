import { expect, it } from 'vitest';
import { isNetworkPool, isResolver } from './network.ts';

it('a network pool is private, whole and roomy', () => {
  for (const pool of [
    '10.0.0.0/8',
    '10.192.0.0/12',
    '172.16.0.0/12',
    '172.20.0.0/16',
    '192.168.0.0/16',
    '10.1.16.0/20',
  ])
    expect([pool, isNetworkPool(pool)]).toEqual([pool, true]);
  for (const pool of [
    '',
    '10.0.0.0',
    '10.0.0.0/7',
    '10.0.0.0/24',
    '10.0.0.1/12',
    '8.0.0.0/8',
    '172.0.0.0/8',
    '172.32.0.0/16',
    '192.168.0.0/15',
    '0.0.0.0/0',
    '10.0.0/8',
    '10.0.0.0/08x',
    '10.0.0.0/8/8',
    'fd00::/8',
    '10.0.0.0/-8',
    '010.0.0.0/8',
  ]) {
    expect([pool, isNetworkPool(pool)]).toEqual([pool, false]);
  }
});

it('a resolver is an address, with a port if need be', () => {
  for (const text of ['1.1.1.1', '1.1.1.1:5353', '::1', '[2001:db8::1]:53', '[::1]'])
    expect([text, isResolver(text)]).toEqual([text, true]);
  for (const text of [
    '',
    'dns.example.com',
    '1.1.1',
    '1.1.1.1:',
    '1.1.1.1:0',
    '1.1.1.1:65536',
    '1.1.1.256',
    '[1.1.1.1]:53',
    '[::1',
    '1.1.1.1\n',
    'https://1.1.1.1',
  ])
    expect([text, isResolver(text)]).toEqual([text, false]);
});
