/**
 * Whose X-Forwarded-For is believed: the proxies that BERTH_TRUSTED_PROXIES names, and whoever comes through
 * Berth's own socket, which only its own proxy can open.
 */
import { BlockList, isIP } from 'node:net';
import { AppError } from '../../domain/errors.ts';

export type TrustProxy = (address: string | undefined) => boolean;

/** `named` are addresses and networks (`10.0.0.0/8`); throws BAD_REQUEST for anything else. */
export function trustProxies(named: readonly string[]): TrustProxy {
  const list = new BlockList();
  for (const text of named) add(list, text);
  return (address) => {
    if (address === undefined || address === '') return true;
    const plain = plainAddress(address);
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
}

/** An IPv4 address as such, also when an IPv6 socket tells it. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function add(list: BlockList, text: string): void {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  const longest = family === 6 ? 128 : 32;
  const bits = length === undefined ? longest : /^\d{1,3}$/.test(length) ? Number(length) : -1;
  if (family === 0 || more.length > 0 || bits < 0 || bits > longest) {
    throw new AppError(
      'BAD_REQUEST',
      `BERTH_TRUSTED_PROXIES holds "${text}", which is neither an address nor a network. Give such as ` +
        '192.0.2.10 or 10.1.0.0/16, with commas between them.',
    );
  }
  list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
}
