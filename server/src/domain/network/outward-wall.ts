/**
 * The rules of a machine's packet filter for what services' containers reach outside of their own networks:
 * never metadata and link-local addresses; private networks and the machine itself only where the service's
 * organization may. Pure.
 */
import { isIP } from 'node:net';

/** Chain of iptables that is Berth's own, beside the one of ports. */
export const outwardChain = 'BERTH-FORWARD';
/** Bridge by which the containers of a swarm reach everything outside of their own networks. */
export const swarmBridge = 'docker_gwbridge';

export interface OutwardWall {
  /**
   * Addresses on the bridge of containers that reach private networks and the machine; `all` where every
   * container may. Any other container is closed, also one that is not known yet.
   */
  open: 'all' | readonly string[];
  /** Networks as CIDR that nobody reaches; that everybody reaches; that only `open` reaches. */
  never: readonly string[];
  named: readonly string[];
  closed: readonly string[];
  /** Ports of the machine that stay open to everybody: those of its proxy. */
  webPorts: readonly number[];
}

type Family = 4 | 6;

const familyOf = (network: string): Family => (network.includes(':') ? 6 : 4);
const of = (family: Family, networks: readonly string[]): string[] =>
  networks.filter((network) => familyOf(network) === family);
const openTo = ({ open }: OutwardWall, family: Family): string[] =>
  open === 'all' ? [] : open.filter((address) => isIP(address) === family);

const from = ['-i', swarmBridge] as const;
const established = ['-m', 'conntrack', '--ctstate', 'RELATED,ESTABLISHED', '-j', 'RETURN'] as const;
const note = (text: string): string[] => ['-m', 'comment', '--comment', `Berth: ${text}`];
/** Resolvers, wherever they are: some clouds have theirs at the address of their metadata. */
const resolvers = ['udp', 'tcp'].map((protocol) => ['-p', protocol, '--dport', '53', '-j', 'RETURN']);

/** Arguments that match what leaves the bridge to anywhere but its own containers. */
export const outwardJump: readonly string[] = [...from, '!', '-o', swarmBridge, '-j', outwardChain];

/** Rules of what is passed on to other machines, in their order. */
export function passedRules(wall: OutwardWall, family: Family): string[][] {
  const to = (networks: readonly string[], ...verdict: string[]): string[][] =>
    of(family, networks).map((network) => ['-d', network, ...verdict]);
  return [
    [...established],
    ...resolvers,
    ...to(wall.never, ...note('metadata and link-local are for nobody'), '-j', 'REJECT'),
    ...(wall.open === 'all'
      ? []
      : [
          ...openTo(wall, family).map((address) => ['-s', address, '-j', 'RETURN']),
          ...to(wall.named, '-j', 'RETURN'),
          // Dropped, not refused: a program whose container became known just now is heard at its next try.
          ...to(wall.closed, ...note('private networks are not for this organization'), '-j', 'DROP'),
        ]),
  ];
}

/** Rules of what is for the machine itself, in their order. */
export function machineRules(wall: OutwardWall, family: Family): string[][] {
  if (wall.open === 'all') return [];
  const ports = wall.webPorts.join();
  const rules = [
    [...established],
    ...resolvers,
    ...['tcp', 'udp'].map((protocol) => [
      '-p',
      protocol,
      '-m',
      'multiport',
      '--dports',
      ports,
      '-j',
      'RETURN',
    ]),
    ...(family === 6 ? [['-p', 'ipv6-icmp', '-j', 'RETURN']] : []),
    ...openTo(wall, family).map((address) => ['-s', address, '-j', 'RETURN']),
    ...of(family, wall.named).map((network) => ['-d', network, '-j', 'RETURN']),
    [...note('the machine itself is not for this organization'), '-j', 'DROP'],
  ];
  return rules.map((rule) => [...from, ...rule]);
}

/** The same for nftables: statements for chains that see what enters, and what is passed on. */
export function nftablesStatements(wall: OutwardWall): { entering: string[]; passing: string[] } {
  const enters = `iifname "${swarmBridge}"`;
  const passes = `${enters} oifname != "${swarmBridge}"`;
  // One each: a set of networks that overlap is refused.
  const each = (networks: readonly string[], side: 'saddr' | 'daddr', verdict: string): string[] =>
    networks.map((network) => `${familyOf(network) === 6 ? 'ip6' : 'ip'} ${side} ${network} ${verdict}`);
  const first = ['ct state established,related accept', 'meta l4proto { tcp, udp } th dport 53 accept'];
  const { open, never, named, closed, webPorts } = wall;
  const opened = open === 'all' ? [] : [...each(open, 'saddr', 'accept'), ...each(named, 'daddr', 'accept')];
  return {
    passing: [
      ...first,
      ...each(never, 'daddr', 'reject'),
      ...opened,
      ...(open === 'all' ? [] : each(closed, 'daddr', 'drop')),
    ].map((statement) => `${passes} ${statement}`),
    entering:
      open === 'all'
        ? []
        : [
            ...first,
            `meta l4proto { tcp, udp } th dport { ${webPorts.join(', ')} } accept`,
            'meta l4proto ipv6-icmp accept',
            ...opened,
            'drop',
          ].map((statement) => `${enters} ${statement}`),
  };
}
