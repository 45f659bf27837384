/** The rules of a machine's packet filter that keep services' containers from ports of the machine. */
import { isIP } from 'node:net';
import { machineRules, nftablesStatements, type OutwardWall } from './outward-wall.ts';

/** Chain of iptables and table of nftables that are Berth's own. */
export const wallChain = 'BERTH-INPUT';
export const wallTable = 'berth';

export interface WalledPorts {
  /** Interfaces of the machine on which its containers are. */
  bridges: readonly string[];
  tcp: readonly number[];
  udp: readonly number[];
  /**
   * Addresses from which the ports of the swarm may be reached; nobody else then may. Absent: whoever reaches
   * the machine does.
   */
  peers?: readonly string[] | undefined;
  /** What services' containers reach outside; absent: whatever the machine passes on. */
  outward?: OutwardWall | undefined;
}

/** Of the engine, where it listens on TCP, and of its swarm (Docker's manual, "Open protocols and ports"). */
const engineTcp = [2375, 2376, 2377, 7946];
const engineUdp = [4789, 7946];

/** Of those, what nodes of a swarm reach each other at. */
export const swarmTcp = [2377, 7946];

/** `port` is Berth's own; undefined where it does not run. */
export function walledPorts(
  bridges: readonly string[],
  port: number | undefined,
  { peers, outward }: Pick<WalledPorts, 'peers' | 'outward'> = {},
): WalledPorts {
  const own = port === undefined ? [] : [port];
  return {
    bridges: bridges.toSorted(),
    tcp: [...new Set([...own, ...engineTcp])].toSorted((left, right) => left - right),
    udp: engineUdp,
    ...(peers === undefined ? {} : { peers: [...new Set(peers)].toSorted() }),
    ...(outward === undefined ? {} : { outward }),
  };
}

/** Arguments of iptables, or ip6tables, that put the rules into its chain, in their order. */
export function iptablesRules(wanted: WalledPorts, family: 4 | 6 = 4): string[][] {
  const outward = wanted.outward ? machineRules(wanted.outward, family) : [];
  return [...rulesOfBridges(wanted), ...rulesOfPeers(wanted, family), ...outward];
}

const portsOf = (protocol: 'tcp' | 'udp', ports: readonly number[]): string[] => [
  '-p',
  protocol,
  '-m',
  'multiport',
  '--dports',
  ports.join(),
];

function rulesOfPeers({ peers }: WalledPorts, family: 4 | 6): string[][] {
  if (peers === undefined) return [];
  const comment = ['-m', 'comment', '--comment', 'Berth: ports of the swarm are for its nodes'];
  const both = (from: string[], tcp: string[], udp: string[]): string[][] => [
    [...from, ...portsOf('tcp', swarmTcp), ...comment, '-j', ...tcp],
    [...from, ...portsOf('udp', engineUdp), ...comment, '-j', ...udp],
  ];
  return [
    ...both(['-i', 'lo'], ['RETURN'], ['RETURN']),
    ...peers
      .filter((peer) => isIP(peer) === family)
      .flatMap((peer) => both(['-s', peer], ['RETURN'], ['RETURN'])),
    ...both([], ['REJECT', '--reject-with', 'tcp-reset'], ['DROP']),
  ];
}

function rulesOfBridges({ bridges, tcp, udp }: WalledPorts): string[][] {
  const comment = ['-m', 'comment', '--comment', 'Berth: ports of the machine are not for containers'];
  return bridges.flatMap((bridge) => [
    ['-i', bridge, ...portsOf('tcp', tcp), ...comment, '-j', 'REJECT', '--reject-with', 'tcp-reset'],
    ['-i', bridge, ...portsOf('udp', udp), ...comment, '-j', 'DROP'],
  ]);
}

/** The same as text for nftables: a table of its own, made anew at once. */
export function nftablesScript({ bridges, tcp, udp, peers, outward }: WalledPorts): string {
  const from = `iifname { ${bridges.map((bridge) => `"${bridge}"`).join(', ')} }`;
  const rules =
    bridges.length === 0
      ? []
      : [
          `add rule inet ${wallTable} input ${from} tcp dport { ${tcp.join(', ')} } reject with tcp reset`,
          `add rule inet ${wallTable} input ${from} udp dport { ${udp.join(', ')} } drop`,
        ];
  return [
    `add table inet ${wallTable}`,
    `delete table inet ${wallTable}`,
    `add table inet ${wallTable}`,
    `add chain inet ${wallTable} input { type filter hook input priority -10; policy accept; }`,
    ...rules,
    ...(peers === undefined ? [] : nftablesPeers(peers)),
    ...(outward === undefined ? [] : nftablesOutward(outward)),
  ].join('; ');
}

function nftablesOutward(outward: OutwardWall): string[] {
  const { entering, passing } = nftablesStatements(outward);
  return [
    ...entering.map((statement) => `add rule inet ${wallTable} input ${statement}`),
    `add chain inet ${wallTable} forward { type filter hook forward priority -10; policy accept; }`,
    ...passing.map((statement) => `add rule inet ${wallTable} forward ${statement}`),
  ];
}

function nftablesPeers(peers: readonly string[]): string[] {
  const rule = `add rule inet ${wallTable} input`;
  const both = (from: string, tcp: string, udp: string): string[] => [
    `${rule} ${from}tcp dport { ${swarmTcp.join(', ')} } ${tcp}`,
    `${rule} ${from}udp dport { ${engineUdp.join(', ')} } ${udp}`,
  ];
  return [
    ...both('iifname "lo" ', 'accept', 'accept'),
    ...peers.flatMap((peer) => both(`${isIP(peer) === 6 ? 'ip6' : 'ip'} saddr ${peer} `, 'accept', 'accept')),
    ...both('', 'reject with tcp reset', 'drop'),
  ];
}
