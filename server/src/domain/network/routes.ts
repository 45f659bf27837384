/** Routes of a machine, as iproute2 and the kernel list them. */
import { subnetsOverlap } from './subnet-overlap.ts';

export interface Route {
  /** IPv4 or IPv6 in CIDR form. */
  subnet: string;
  /** Interface that it leads to; empty when the list names none. */
  device: string;
}

/** What `routesIn` reads: of every table by iproute2, else the main tables by proc(5). */
export const routesCommand = [
  'sh',
  '-c',
  `PATH=$PATH:/usr/sbin:/sbin
{ ip -j route show table all 2>/dev/null && ip -j -6 route show table all 2>/dev/null ||
  cat /proc/net/route /proc/net/ipv6_route 2>/dev/null; } | head -c 400000`,
] as const;

/** Wider ones are ways to the whole internet: a VPN divides the default route in two or more of them. */
const leastBits = { ipv4: 8, ipv6: 7 };

/** Bridges of an engine, whose networks the engine itself lists, and loopback. */
const ignoredDevices = /^(?:lo|docker\d+|docker_gwbridge|br-[0-9a-f]{12}|veth.*)$/;

/** Multicast and link-local addresses of IPv6, which every interface has. */
const everywhere = ['ff00::/8', 'fe80::/10'];

/** A route as iproute2 lists it. */
interface Listed {
  dst: string;
  dev: string;
  type: string | undefined;
}

/** Types of routes by which packets leave or reach the machine; others drop them. */
const leading: ReadonlySet<string | undefined> = new Set([undefined, 'unicast', 'local']);

/** Those that lead to a network or an address of their own. Lines in another form are left out. */
export function routesIn(text: string): Route[] {
  const found = new Map<string, Route>();
  for (const line of text.split('\n'))
    for (const route of line.startsWith('[') ? byProgram(line) : byKernel(line))
      if (isOwn(route)) found.set(`${route.subnet} ${route.device}`, route);
  return [...found.values()];
}

/** The first route that has an address in common with the network. */
export const routeOver = (subnet: string, routes: readonly Route[]): Route | undefined =>
  routes.find((route) => subnetsOverlap(route.subnet, subnet));

/** As sentences name it. */
export const routeName = ({ subnet, device }: Route): string =>
  device === '' ? `the route to ${subnet}` : `the route to ${subnet} by ${device}`;

function byProgram(line: string): Route[] {
  const list = parsed(line);
  const rows = Array.isArray(list) ? list.map(listed) : [];
  // A list with a row in another form is another program's.
  if (!rows.every((row) => row !== undefined)) return [];
  return rows
    .filter(({ type, dst }) => leading.has(type) && dst !== 'default')
    .map(({ dst, dev: device }) => ({ subnet: withBits(dst), device }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listed(row: unknown): Listed | undefined {
  if (typeof row !== 'object' || row === null || !('dst' in row)) return undefined;
  const { dst, dev = '', type }: { dst: unknown; dev?: unknown; type?: unknown } = row;
  if (typeof dst !== 'string' || typeof dev !== 'string') return undefined;
  return type === undefined || typeof type === 'string' ? { dst, dev, type } : undefined;
}

const withBits = (address: string): string =>
  address.includes('/') ? address : `${address}/${address.includes(':') ? 128 : 32}`;

/** A line of /proc/net/route or /proc/net/ipv6_route. */
function byKernel(line: string): Route[] {
  const four = /^(\S+)\t([0-9A-F]{8})\t(?:\S+\t){5}([0-9A-F]{8})\t/.exec(line);
  if (four) {
    const [, device = '', address = '', mask = ''] = four;
    return [{ subnet: `${octets(address).join('.')}/${octets(mask).map(ones).join('').length}`, device }];
  }
  const six = /^([0-9a-f]{32}) ([0-9a-f]{2}) [0-9a-f]{32} .* (\S+)\s*$/.exec(line);
  if (!six) return [];
  const [, address = '', bits = '', device = ''] = six;
  return [{ subnet: `${address.match(/.{4}/g)?.join(':') ?? ''}/${parseInt(bits, 16)}`, device }];
}

/** Of an IPv4 address in the order of a little-endian machine. */
const octets = (text: string): number[] => [6, 4, 2, 0].map((at) => parseInt(text.slice(at, at + 2), 16));

const ones = (octet: number): string => octet.toString(2).replaceAll('0', '');

function isOwn({ subnet, device }: Route): boolean {
  const [address = '', bits = ''] = subnet.split('/');
  if (ignoredDevices.test(device) || everywhere.some((range) => subnetsOverlap(range, subnet))) return false;
  return Number(bits) >= (address.includes(':') ? leastBits.ipv6 : leastBits.ipv4);
}
