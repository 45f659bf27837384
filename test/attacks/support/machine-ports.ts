/** What comes from builds to ports of a machine, as its own packet filter counts it. */
import type { BedHost } from '../../bed/host/host.ts';

export interface Knock {
  protocol: 'tcp' | 'udp';
  port: number;
}

/** Berth's port, the engine's, the swarm's (manager, gossip, VXLAN). */
const ports: readonly Knock[] = [
  { protocol: 'tcp', port: 3000 },
  { protocol: 'tcp', port: 2375 },
  { protocol: 'tcp', port: 2377 },
  { protocol: 'udp', port: 7946 },
  { protocol: 'udp', port: 4789 },
];

const mangle = ['iptables', '-w', '-t', 'mangle'] as const;

/** Counts from now on what comes through the bridge that builds stand on, before any rule could refuse it. */
export async function countArrivals(host: BedHost): Promise<void> {
  for (const { protocol, port } of ports)
    await must(host, [
      ...mangle,
      '-A',
      'PREROUTING',
      '-i',
      'docker0',
      '-p',
      protocol,
      '--dport',
      String(port),
    ]);
}

/** Packets that have arrived. */
export async function arrivals(host: BedHost, { protocol, port }: Knock): Promise<number> {
  const listed = await must(host, [...mangle, '-nvxL', 'PREROUTING']);
  const line = listed
    .split('\n')
    .find((one) => one.includes(` ${protocol} `) && one.trimEnd().endsWith(`dpt:${port}`));
  const packets = Number(/^\s*(\d+)\s/.exec(line ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(packets)) throw new Error(`Nothing counts ${protocol} ${port}: ${listed}`);
  return packets;
}

/** Every IPv4 address by which the machine is reached from a container, those of its bridges among them. */
export async function machineAddresses(host: BedHost): Promise<string[]> {
  const lines = await must(host, ['ip', '-4', '-oneline', 'address', 'show', 'scope', 'global']);
  const found = lines.split('\n').flatMap((line) => /inet ([0-9.]+)\//.exec(line)?.[1] ?? []);
  return found.filter((address) => !address.startsWith('169.254.'));
}

async function must(host: BedHost, argv: readonly [string, ...string[]]): Promise<string> {
  const { code, stdout, stderr } = await host.exec(argv);
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}
