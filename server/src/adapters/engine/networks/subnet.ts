import { BlockList, isIP } from 'node:net';

/**
 * True when two networks in CIDR form, of IPv4 or IPv6, have an address in common; anything else than such a
 * network overlaps with nothing.
 */
export function subnetsOverlap(a: string, b: string): boolean {
  const [first, second] = [network(a), network(b)];
  // Of two networks that overlap, one contains the other.
  return first !== undefined && second !== undefined && (contains(first, second) || contains(second, first));
}

interface Network {
  address: string;
  bits: number;
  family: 'ipv4' | 'ipv6';
}

function network(cidr: string): Network | undefined {
  const [address = '', bits = ''] = cidr.split('/');
  const version = isIP(address);
  if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) return undefined;
  return { address, bits: Number(bits), family: version === 4 ? 'ipv4' : 'ipv6' };
}

function contains({ address, bits, family }: Network, inner: Network): boolean {
  const list = new BlockList();
  list.addSubnet(address, bits, family);
  return list.check(inner.address, inner.family);
}

/**
 * The lower half of an IPv4 network: what Swarm gives to tasks; undefined for one too small to halve usefully
 * (beyond /28) or of another form.
 */
export function taskRange(cidr: string): string | undefined {
  const whole = range(cidr);
  if (whole === undefined || whole.end - whole.start < 15) return undefined;
  const bits = 32 - Math.log2(whole.end - whole.start + 1);
  return `${dotted(whole.start)}/${bits + 1}`;
}

/**
 * Addresses of the upper half for containers that are attached by hand, best first; the very last address of
 * a network is its broadcast address.
 */
export function attachmentAddresses(cidr: string, count: number): string[] {
  const whole = range(cidr);
  if (whole === undefined || taskRange(cidr) === undefined) return [];
  const half = (whole.end - whole.start + 1) / 2;
  return Array.from({ length: Math.min(count, half - 1) }, (_, index) => dotted(whole.end - 1 - index));
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

function range(cidr: string): { start: number; end: number } | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr);
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, bits = 32] = match.slice(1).map(Number);
  const size = 2 ** (32 - bits);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const start = Math.floor(address / size) * size;
  return { start, end: start + size - 1 };
}
