import { describe, expect, test } from 'vitest';
import { isAllowableNetwork, judgeAddress, parseOutgoingHost, type OutgoingPolicy } from './outgoing.ts';

const tenant: OutgoingPolicy = { reachesPrivate: false, allowed: [], platform: ['10.192.0.0/12'] };
const owner: OutgoingPolicy = { ...tenant, reachesPrivate: true };

describe('kinds of addresses', () => {
  test.each([
    ['1.1.1.1', 'public'],
    ['8.8.8.8', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['192.167.255.255', 'public'],
    ['100.63.255.255', 'public'],
    ['100.128.0.0', 'public'],
    ['223.255.255.255', 'public'],
    ['2606:4700::1111', 'public'],
    ['2a00:1450:4001::64', 'public'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['198.18.0.1', 'private'],
    ['203.0.113.9', 'private'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['fec0::1', 'private'],
    ['2001:db8::1', 'private'],
    ['64:ff9b:1::a00:1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['::ffff:0:127.0.0.1', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['2002:7f00:1::', 'loopback'],
    ['169.254.0.1', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['febf::1', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['::ffff:169.254.169.254', 'metadata'],
    ['64:ff9b::a9fe:a9fe', 'metadata'],
    ['2002:a9fe:a9fe::', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['192.0.0.192', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['fd20:ce::254', 'metadata'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['::ffff:0.0.0.0', 'unspecified'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['ff02::1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['192.0.0.1', 'reserved'],
    ['100::1', 'reserved'],
    ['2001::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['::ffff:10.0.0.1', 'private'],
    ['64:ff9b::a00:1', 'private'],
    ['2002:c0a8:101::', 'private'],
    ['64:ff9b::101:101', 'public'],
    ['::ffff:1.1.1.1', 'public'],
  ] as const)('%s is %s', (address, kind) => {
    const { kind: found, refusal } = judgeAddress(address, tenant);
    expect(found).toBe(kind);
    expect(refusal === undefined).toBe(kind === 'public');
    // The installation's organization reaches private networks besides, and nothing else.
    expect(judgeAddress(address, owner).refusal === undefined).toBe(kind === 'public' || kind === 'private');
  });
});

describe('who reaches what', () => {
  const named: OutgoingPolicy = { ...tenant, allowed: ['10.1.0.0/16', '127.0.0.0/8', '::1/128'] };
  test.each([
    ['10.1.2.3', named, undefined],
    ['10.2.0.1', named, 'is in a private network'],
    ['127.0.0.1', named, undefined],
    ['::ffff:127.0.0.1', named, undefined],
    ['::1', named, undefined],
    ['127.0.0.1', owner, "is this machine's own loopback"],
    ['10.200.0.1', owner, "is in Berth's own networks"],
    ['::ffff:10.200.0.1', owner, "is in Berth's own networks"],
    ['64:ff9b::ac8:1', owner, "is in Berth's own networks"],
    ['10.200.0.1', { ...named, allowed: ['10.0.0.0/8'] }, "is in Berth's own networks"],
    ['169.254.169.254', { ...owner, allowed: ['169.254.0.0/16'] }, 'is where clouds keep their metadata'],
    ['0.0.0.0', { ...owner, allowed: ['0.0.0.0/0'] }, 'is the unspecified address'],
  ] as const)('%s', (address, policy, refusal) => {
    expect(judgeAddress(address, policy).refusal).toBe(refusal);
  });
});

describe('this machine by its public address', () => {
  const machine = { addresses: ['93.184.216.34', '2606:2800:220:1::1'], webPorts: [80, 443] };
  test.each([
    ['93.184.216.34', 443, undefined],
    ['93.184.216.34', 80, undefined],
    ['93.184.216.34', 9100, 'is this machine itself'],
    ['93.184.216.34', undefined, 'is this machine itself'],
    ['::ffff:93.184.216.34', 22, 'is this machine itself'],
    ['2606:2800:220:1::1', 5432, 'is this machine itself'],
    ['93.184.216.35', 22, undefined],
  ] as const)('%s, port %s', (address, port, refusal) => {
    expect(judgeAddress(address, { ...tenant, machine }, port).refusal).toBe(refusal);
    expect(judgeAddress(address, { ...owner, machine }, port).refusal).toBeUndefined();
    const named = { ...tenant, machine, allowed: ['93.184.216.34/32', '2606:2800::/32'] };
    expect(judgeAddress(address, named, port).refusal).toBeUndefined();
  });
});

describe('hosts in every form', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['127.0.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0X7F.1', '127.0.0.1'],
    ['0x7f.0x0.0x0.0x1', '127.0.0.1'],
    ['017700000001', '127.0.0.1'],
    ['0177.0.0.01', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['0x', '0.0.0.0'],
    ['10.0x10.256', '10.16.1.0'],
    ['4294967295', '255.255.255.255'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['127。0。0。1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['::1', '::1'],
    ['[FE80::1]', 'fe80::1'],
    ['[::ffff:127.0.0.1]', '::ffff:127.0.0.1'],
  ])('%s is the address %s', (text, host) => {
    expect(parseOutgoingHost(text)).toEqual({ kind: 'address', host });
  });

  test.each([
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['localhost', 'localhost'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['ｌｏｃａｌｈｏｓｔ', 'localhost'],
    ['1.example', '1.example'],
    ['a_b.example', 'a_b.example'],
    ['127.0.0.1.sslip.io', '127.0.0.1.sslip.io'],
  ])('%s is the name %s', (text, host) => {
    expect(parseOutgoingHost(text)).toEqual({ kind: 'name', host });
  });

  test.each([
    '',
    '.',
    '256.1.1.1',
    '1.2.3.4.5',
    '08.1.1.1',
    '4294967296',
    'a.1',
    '[127.0.0.1]',
    '[::1',
    '::1]',
    'a b',
    'a/b',
    'a@b',
    'a:80',
    '-a.example',
    'a..b',
    `${'a'.repeat(64)}.example`,
    'a\0b',
  ])('%s is none', (text) => {
    expect(parseOutgoingHost(text)).toBeUndefined();
  });
});

describe('networks that the settings may name', () => {
  test.each([
    '10.0.0.0/8',
    '10.1.2.0/24',
    '192.168.0.0/16',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '127.0.0.1/32',
    '::1/128',
    'fd00::/8',
    'fc00::/7',
    'fd12:3456:789a::/48',
  ])('%s', (text) => {
    expect(isAllowableNetwork(text)).toBe(true);
  });

  test.each([
    '10.0.0.1/8',
    '10.0.0.0/7',
    '0.0.0.0/0',
    '::/0',
    '1.1.1.0/24',
    '169.254.0.0/16',
    '169.254.169.254/32',
    '::ffff:10.0.0.0/104',
    'fe80::/10',
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    'fd00::1/8',
    'private',
    '',
  ])('not %s', (text) => {
    expect(isAllowableNetwork(text)).toBe(false);
  });
});
