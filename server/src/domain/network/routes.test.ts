import { expect, test } from 'vitest';
import { routeName, routeOver, routesIn } from './routes.ts';

const byProgram =
  `[${[
    '{"dst":"default","gateway":"192.0.2.1","dev":"eth0","flags":[]}',
    '{"dst":"10.192.4.0/22","dev":"wg0","table":"52","scope":"link","flags":[]}',
    '{"dst":"172.18.0.0/16","dev":"docker_gwbridge","protocol":"kernel","flags":["linkdown"]}',
    '{"dst":"172.20.0.0/16","dev":"br-0123456789ab","flags":[]}',
    '{"type":"local","dst":"192.0.2.7","dev":"eth0","table":"local","flags":[]}',
    '{"type":"broadcast","dst":"192.0.2.255","dev":"eth0","table":"local","flags":[]}',
    '{"type":"blackhole","dst":"10.200.0.0/16","flags":[]}',
    '{"dst":"0.0.0.0/1","dev":"tun0","flags":[]}',
    '{"dst":"10.0.0.0/8","nexthops":[{"gateway":"192.0.2.2"}],"flags":[]}',
  ].join(',')}]
[{"dst":"fd00:7::/48","dev":"wg0","flags":[]},{"dst":"fe80::/64","dev":"eth0","flags":[]},` +
  `{"dst":"2000::/3","dev":"tun0","flags":[]},{"type":"multicast","dst":"ff00::/8","dev":"eth0","flags":[]}]
`;

const byKernel = [
  'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
  'eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
  'wg0\t0004C00A\t00000000\t0001\t0\t0\t0\t00FCFFFF\t0\t0\t0',
  'docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
  'fd000007000000000000000000000000 30 00000000000000000000000000000000 00 ' +
    '00000000000000000000000000000000 00000400 00000001 00000000 00000001      wg0',
  'fe800000000000000000000000000000 40 00000000000000000000000000000000 00 ' +
    '00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0',
  '00000000000000000000000000000000 00 00000000000000000000000000000000 00 ' +
    '00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo',
  '',
].join('\n');

test('are those that iproute2 lists of all tables, without default ways and the bridges of an engine', () => {
  expect(routesIn(byProgram)).toEqual([
    { subnet: '10.192.4.0/22', device: 'wg0' },
    { subnet: '192.0.2.7/32', device: 'eth0' },
    { subnet: '10.0.0.0/8', device: '' },
    { subnet: 'fd00:7::/48', device: 'wg0' },
  ]);
});

test('are those of the kernel where there is no iproute2', () => {
  expect(routesIn(byKernel)).toEqual([
    { subnet: '10.192.4.0/22', device: 'wg0' },
    { subnet: 'fd00:0007:0000:0000:0000:0000:0000:0000/48', device: 'wg0' },
  ]);
  expect(routesIn('[{"dst":7}]\n[{"dst"\nnothing')).toEqual([]);
});

test('a network meets the route that has one of its addresses, in IPv4 and IPv6', () => {
  const routes = routesIn(byKernel);
  const name = (subnet: string): string | undefined => {
    const route = routeOver(subnet, routes);
    return route && routeName(route);
  };
  expect(name('10.192.7.0/24')).toBe('the route to 10.192.4.0/22 by wg0');
  expect(name('10.192.8.0/24')).toBeUndefined();
  expect(name('fd00:7:0:1::/64')).toContain('by wg0');
  expect(routeName({ subnet: '10.0.0.0/8', device: '' })).toBe('the route to 10.0.0.0/8');
});
