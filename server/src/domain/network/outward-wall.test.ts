import { expect, it } from 'vitest';
import { machineRules, nftablesStatements, passedRules, type OutwardWall } from './outward-wall.ts';

const wall: OutwardWall = {
  open: ['172.18.0.5', '2001:db8::5'],
  never: ['169.254.0.0/16', 'fe80::/10'],
  named: ['10.1.0.0/16'],
  closed: ['10.0.0.0/8', 'fc00::/7'],
  webPorts: [80, 443],
};
const lines = (rules: string[][]): string[] => rules.map((rule) => rule.join(' '));
const first = [
  '-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN',
  '-p udp --dport 53 -j RETURN',
  '-p tcp --dport 53 -j RETURN',
];
const never = (network: string): string =>
  `-d ${network} -m comment --comment Berth: metadata and link-local are for nobody -j REJECT`;
const closed = (network: string): string =>
  `-d ${network} -m comment --comment Berth: private networks are not for this organization -j DROP`;

it('passes on to private networks what comes from open containers, and to metadata nothing', () => {
  expect(lines(passedRules(wall, 4))).toEqual([
    ...first,
    never('169.254.0.0/16'),
    '-s 172.18.0.5 -j RETURN',
    '-d 10.1.0.0/16 -j RETURN',
    closed('10.0.0.0/8'),
  ]);
  expect(lines(passedRules(wall, 6))).toEqual([
    ...first,
    never('fe80::/10'),
    '-s 2001:db8::5 -j RETURN',
    closed('fc00::/7'),
  ]);
});

it('lets others to the ports of the proxy and the resolver of the machine alone', () => {
  const rules = lines(machineRules(wall, 4));
  expect(rules.every((rule) => rule.startsWith('-i docker_gwbridge '))).toBe(true);
  expect(rules.map((rule) => rule.slice('-i docker_gwbridge '.length))).toEqual([
    ...first,
    '-p tcp -m multiport --dports 80,443 -j RETURN',
    '-p udp -m multiport --dports 80,443 -j RETURN',
    '-s 172.18.0.5 -j RETURN',
    '-d 10.1.0.0/16 -j RETURN',
    '-m comment --comment Berth: the machine itself is not for this organization -j DROP',
  ]);
});

it('closes metadata alone where every container may reach the rest', () => {
  const open: OutwardWall = { ...wall, open: 'all' };
  expect(lines(passedRules(open, 4))).toEqual([...first, never('169.254.0.0/16')]);
  expect(machineRules(open, 4)).toEqual([]);
  expect(nftablesStatements(open).entering).toEqual([]);
});

it('says the same to nftables', () => {
  const { passing, entering } = nftablesStatements(wall);
  expect(
    passing.map((line) => line.replace('iifname "docker_gwbridge" oifname != "docker_gwbridge" ', '')),
  ).toEqual([
    'ct state established,related accept',
    'meta l4proto { tcp, udp } th dport 53 accept',
    'ip daddr 169.254.0.0/16 reject',
    'ip6 daddr fe80::/10 reject',
    'ip saddr 172.18.0.5 accept',
    'ip6 saddr 2001:db8::5 accept',
    'ip daddr 10.1.0.0/16 accept',
    'ip daddr 10.0.0.0/8 drop',
    'ip6 daddr fc00::/7 drop',
  ]);
  expect(entering.at(-1)).toBe('iifname "docker_gwbridge" drop');
  expect(entering).toContain(
    'iifname "docker_gwbridge" meta l4proto { tcp, udp } th dport { 80, 443 } accept',
  );
});
