/** The rules of a machine's packet filter that keep services' containers from ports of the machine. */

/** Chain of iptables and table of nftables that are Berth's own. */
export const wallChain = 'BERTH-INPUT';
export const wallTable = 'berth';

export interface WalledPorts {
  /** Interfaces of the machine on which its containers are. */
  bridges: readonly string[];
  tcp: readonly number[];
  udp: readonly number[];
}

/** Of the engine, where it listens on TCP, and of its swarm (Docker's manual, "Open protocols and ports"). */
const engineTcp = [2375, 2376, 2377, 7946];
const engineUdp = [4789, 7946];

/** `port` is Berth's own. */
export function walledPorts(bridges: readonly string[], port: number): WalledPorts {
  return {
    bridges: bridges.toSorted(),
    tcp: [...new Set([port, ...engineTcp])].toSorted((left, right) => left - right),
    udp: engineUdp,
  };
}

/** Arguments of iptables that put the rules into its chain, in their order. */
export function iptablesRules({ bridges, tcp, udp }: WalledPorts): string[][] {
  const comment = ['-m', 'comment', '--comment', 'Berth: ports of the machine are not for containers'];
  return bridges.flatMap((bridge) => [
    [
      '-i',
      bridge,
      '-p',
      'tcp',
      '-m',
      'multiport',
      '--dports',
      tcp.join(),
      ...comment,
      '-j',
      'REJECT',
      '--reject-with',
      'tcp-reset',
    ],
    ['-i', bridge, '-p', 'udp', '-m', 'multiport', '--dports', udp.join(), ...comment, '-j', 'DROP'],
  ]);
}

/** The same as text for nftables: a table of its own, made anew at once. */
export function nftablesScript({ bridges, tcp, udp }: WalledPorts): string {
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
  ].join('; ');
}
