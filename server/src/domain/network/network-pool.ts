/** The address pool of networks: each has one /24 of it, by its index; index 0 is the platform's own. */
import { AppError } from '../errors.ts';

/** What bounds the choice of an index. */
export interface NetworkPlace {
  /** How many networks the pool has room for, the platform's included. */
  room: number;
  /** Indices whose addresses the engine has given away already. */
  taken?: ReadonlySet<number>;
}

const addressesOfOne = 256;

/** How many networks the pool has room for, the platform's included. */
export function poolRoom(pool: string): number {
  const [, bits = '12'] = pool.split('/');
  return 2 ** (24 - Number(bits));
}

/** The index-th /24 of the pool; throws PRECONDITION_FAILED beyond its end. */
export function subnetOf(pool: string, index: number): string {
  if (index >= poolRoom(pool)) throw usedUp(poolRoom(pool));
  const base = addressOf(pool) / addressesOfOne + index;
  return `${base >> 16}.${(base >> 8) & 255}.${base & 255}.0/24`;
}

/** The indices whose addresses these networks (IPv4 in CIDR form) have, in whole or in part. */
export function indicesOf(pool: string, subnets: readonly string[]): ReadonlySet<number> {
  const [start, room] = [addressOf(pool), poolRoom(pool)];
  const taken = new Set<number>();
  for (const subnet of subnets) {
    const [, bits = ''] = subnet.split('/');
    if (!/^\d+(\.\d+){3}\/\d+$/.test(subnet)) continue;
    const size = 2 ** (32 - Number(bits));
    const first = Math.floor(addressOf(subnet) / size) * size;
    const from = Math.max(0, Math.floor((first - start) / addressesOfOne));
    const to = Math.min(room - 1, Math.floor((first + size - 1 - start) / addressesOfOne));
    for (let index = from; index <= to; index += 1) taken.add(index);
  }
  return taken;
}

export function usedUp(room: number): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `The network pool has room for ${room} networks, and all of them are in use. Set a larger networkPool, ` +
      'or remove environments and compose services.',
  );
}

function addressOf(cidr: string): number {
  return (cidr.split('/')[0] ?? '').split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}
