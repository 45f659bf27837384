import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  appNameFrom,
  appNamePattern,
  composeServiceName,
  containerNamePattern,
  generatedHost,
  hostLabel,
  parseAppName,
  parseHost,
  parseMachineAddress,
  parsePort,
  parsePublishedPort,
} from './names.ts';

describe('appName', () => {
  test.each(['a', 'A1', 'my_app-2', 'a'.repeat(63)])('%s', (name) => expect(parseAppName(name)).toBe(name));
  test.each([
    '',
    '-a',
    'a-',
    '_a',
    'a_',
    'a.b',
    'a b',
    'a\n',
    'é',
    'a'.repeat(64),
    '$(id)',
    '--option',
    'a\0b',
    'a/b',
  ])('%j is refused', (name) => expect(() => parseAppName(name)).toThrow('appName: '));

  test('is made from any display name', () => {
    expect(appNameFrom('My Shop', 'X7k2p9')).toBe('my-shop-x7k2p9');
    expect(appNameFrom('Café Zoë', 'aaaaaa')).toBe('cafe-zoe-aaaaaa');
    expect(appNameFrom('日本', 'aaaaaa')).toBe('app-aaaaaa');
    expect(appNameFrom('x'.repeat(1_000_000), 'aaaaaa')).toHaveLength(63);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) =>
        appNamePattern.test(appNameFrom(name, 'a1b2c3')),
      ),
      { numRuns: 50 },
    );
  });
});

describe('the address of a machine', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:DB8::1', '2001:db8::1'],
    ['::1', '::1'],
    ['Build.Example.COM', 'build.example.com'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['localhost', 'localhost'],
  ])('%s', (text, address) => expect(parseMachineAddress(text, 'ipAddress')).toBe(address));
  test.each([
    '',
    ' 203.0.113.7',
    '203.0.113.256',
    '203.0.113',
    '0x7f.1',
    '2130706433',
    '203.0.113.7:22',
    'fe80::1%eth0',
    '[::1]',
    '*.example.com',
    'ssh://a',
    'a b',
    '-oProxyCommand=x',
    'root@a',
    'a.',
    'a..b',
  ])('%j is refused', (text) => expect(() => parseMachineAddress(text, 'ipAddress')).toThrow('ipAddress: '));
});

describe('host names made from appNames', () => {
  test('keep to letters, digits and hyphens', () => {
    expect(hostLabel('My_App')).toBe('my-app');
    expect(generatedHost('My_App', '0a1b2c', '10.99.0.11')).toBe('my-app-0a1b2c-10-99-0-11.sslip.io');
    expect(generatedHost('a', '0a1b2c', 'fe80::1')).toBe('a-0a1b2c-fe80--1.sslip.io');
  });

  test('are valid for every appName', () => {
    fc.assert(
      fc.property(fc.stringMatching(appNamePattern), (name) => {
        const host = generatedHost(name, '0a1b2c', '255.255.255.255');
        expect(parseHost(host)).toBe(host);
      }),
    );
  });
});

describe('parseHost', () => {
  test.each([
    ['example.com', 'example.com'],
    ['App.EXAMPLE.com', 'app.example.com'],
    ['localhost', 'localhost'],
    ['x.localhost', 'x.localhost'],
    ['*.example.com', '*.example.com'],
    ['München.de', 'xn--mnchen-3ya.de'],
    ['10.0.0.1', '10.0.0.1'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('%s', (text, host) => expect(parseHost(text)).toBe(host));

  test.each([
    '',
    ' a.com',
    'a.com ',
    'a.com\n',
    'a..com',
    '.a.com',
    'a.com.',
    'a_b.com',
    '-a.com',
    'a-.com',
    'a b.com',
    'http://a.com',
    'a.com/x',
    'a.com:80',
    'a.*.com',
    '*',
    '**.com',
    '*a.com',
    '*.',
    '*.1.2.3.4',
    '127.1',
    '0x7f.1',
    '1',
    '2130706433',
    'exa%41mple.com',
    'a\0.com',
    'a\u00ad.com',
    'a"b.com',
    '{http.request.host}',
    '[::1]',
    `${'a'.repeat(64)}.com`,
    `${'abcdefg.'.repeat(32)}com`,
    'x'.repeat(1_000_000),
    'a.com?x=1',
    'a.com#x',
    'a.com?',
    '?a.com',
  ])('%j is refused', (text) => expect(() => parseHost(text)).toThrow('host: '));
});

describe('services of compose files in the engine', () => {
  test.each([
    ['shop', 'web', '', /^shop_web$/],
    ['shop', 'web', 'b1', /^shop_web-b1$/],
    ['shop', 'a.b', '', /^shop_a-b-[0-9a-f]{8}$/],
    ['shop', 'web-', '', /^shop_web-[0-9a-f]{8}$/],
  ])('%s, %s, %j', (appName, service, suffix, name) => {
    expect(composeServiceName(appName, service, suffix)).toMatch(name);
  });

  test('are names that the engine takes, and told apart', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-zA-Z0-9]{1,63}$/),
        fc.stringMatching(/^[a-zA-Z0-9._-]{1,100}$/),
        fc.stringMatching(/^[a-zA-Z0-9._-]{1,100}$/),
        (appName, one, other) => {
          expect(composeServiceName(appName, one)).toMatch(appNamePattern);
          expect(composeServiceName(appName, one) === composeServiceName(appName, other)).toBe(one === other);
        },
      ),
    );
  });
});

test('container names', () => {
  expect(containerNamePattern.test('web.1.x-y_z')).toBe(true);
  for (const name of ['', 'a b', 'a/b', 'a\n', '$(id)']) expect(containerNamePattern.test(name)).toBe(false);
});

test('ports', () => {
  expect(parsePort(3000, 'port')).toBe(3000);
  for (const port of [0, -1, 65_536, 1.5, Number.NaN])
    expect(() => parsePort(port, 'port')).toThrow('port: ');
  expect(parsePublishedPort(8080)).toBe(8080);
  for (const port of [22, 80, 443, 2377, 4789, 7946])
    expect(() => parsePublishedPort(port)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  expect(() => parsePublishedPort(4000, 'publishedPort', [4000])).toThrow('reserved for Berth itself');
});
