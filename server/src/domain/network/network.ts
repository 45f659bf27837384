/** Addresses of resolvers and networks as people write them (settings). */
import { isIPv4, isIPv6 } from 'node:net';

/** `1.1.1.1`, `1.1.1.1:5353`, `::1` or `[::1]:53`. */
export function isResolver(text: string): boolean {
  const [, bracketed, plain, port] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  if (bracketed !== undefined) return isIPv6(bracketed);
  return plain === undefined ? isIPv6(text) : isIPv4(plain);
}

/** RFC 1918. */
const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];

/** An IPv4 address that is reached from nowhere outside. */
export function isPrivate(address: string): boolean {
  const at = network(`${address}/32`);
  return (
    at !== undefined &&
    privateNetworks
      .map(network)
      .some((outer) => outer !== undefined && masked(at.base, outer.prefix) === outer.base)
  );
}

/** A private network with room for at least sixteen /24. */
export function isNetworkPool(text: string): boolean {
  const pool = network(text);
  if (!pool || pool.prefix < 8 || pool.prefix > 20) return false;
  return privateNetworks
    .map(network)
    .some(
      (outer) =>
        outer !== undefined && outer.prefix <= pool.prefix && masked(pool.base, outer.prefix) === outer.base,
    );
}

function network(text: string): { base: number; prefix: number } | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !isIPv4(address) || !/^[0-9]{1,2}$/.test(bits)) return undefined;
  const base = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const prefix = Number(bits);
  return prefix <= 32 && masked(base, prefix) === base ? { base, prefix } : undefined;
}

function masked(base: number, prefix: number): number {
  const size = 2 ** (32 - prefix);
  return Math.floor(base / size) * size;
}
