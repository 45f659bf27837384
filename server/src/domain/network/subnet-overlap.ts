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
