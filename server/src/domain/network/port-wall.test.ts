import { expect, it } from 'vitest';
import { iptablesRules, nftablesScript, walledPorts } from './port-wall.ts';

const wanted = walledPorts(['docker_gwbridge', 'docker0'], 3000);
const tcp = '2375,2376,2377,3000,7946';

it('the rules of iptables', () => {
  expect(iptablesRules(wanted).map((argv) => argv.join(' '))).toEqual(
    ['docker0', 'docker_gwbridge'].flatMap((bridge) => [
      `-i ${bridge} -p tcp -m multiport --dports ${tcp} -m comment --comment Berth: ports of the machine ` +
        'are not for containers -j REJECT --reject-with tcp-reset',
      `-i ${bridge} -p udp -m multiport --dports 4789,7946 -m comment --comment Berth: ports of the ` +
        'machine are not for containers -j DROP',
    ]),
  );
});

it('the ports of a swarm are for its nodes', () => {
  const closed = walledPorts([], undefined, {
    peers: ['203.0.113.8', '203.0.113.7', '2001:db8::7', '203.0.113.7'],
  });
  const note = '-m comment --comment Berth: ports of the swarm are for its nodes';
  const [tcp, udp] = ['-p tcp -m multiport --dports 2377,7946', '-p udp -m multiport --dports 4789,7946'];
  const open = (from: string): string[] => [tcp, udp].map((ports) => `${from} ${ports} ${note} -j RETURN`);
  const rest = [`${tcp} ${note} -j REJECT --reject-with tcp-reset`, `${udp} ${note} -j DROP`];
  const rules = (family: 4 | 6): string[] => iptablesRules(closed, family).map((argv) => argv.join(' '));
  expect(rules(4)).toEqual([...open('-i lo'), ...open('-s 203.0.113.7'), ...open('-s 203.0.113.8'), ...rest]);
  expect(rules(6)).toEqual([...open('-i lo'), ...open('-s 2001:db8::7'), ...rest]);
  expect(nftablesScript(closed)).toContain(
    'ip6 saddr 2001:db8::7 tcp dport { 2377, 7946 } accept; ' +
      'add rule inet berth input ip6 saddr 2001:db8::7 udp dport',
  );
  expect(nftablesScript(closed)).toMatch(/input udp dport \{ 4789, 7946 \} drop$/);
});

it('the script of nftables', () => {
  expect(nftablesScript(wanted)).toBe(
    'add table inet berth; delete table inet berth; add table inet berth; add chain inet berth input { ' +
      'type filter hook input priority -10; policy accept; }; add rule inet berth input iifname { ' +
      '"docker0", "docker_gwbridge" } tcp dport { 2375, 2376, 2377, 3000, 7946 } reject with tcp reset; ' +
      'add rule inet berth input iifname { "docker0", "docker_gwbridge" } udp dport { 4789, 7946 } drop',
  );
  expect(nftablesScript(walledPorts([], 3000))).not.toContain('add rule');
});
