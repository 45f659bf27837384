/** Whether a name leads to one of the machines that it is to lead to. Pure. */
import { BlockList, isIPv6 } from 'node:net';

/** One text for each address, whatever way it is written. */
export function plainAddress(address: string): string {
  return address.includes(':') ? (URL.parse(`http://[${address}]`)?.hostname ?? address) : address;
}

export interface Led {
  /** As somebody wrote it. */
  name: string;
  /** Addresses of the name. */
  found: readonly string[];
  /** Addresses of every machine. */
  machines: readonly (readonly string[])[];
}

/** Addresses of the name that are those of a machine, and the others. */
export function sorted({ found, machines }: Led): { right: string[]; others: string[]; isLed: boolean[] } {
  const known = new Set(machines.flat().map(plainAddress));
  const isRight = (address: string): boolean => known.has(plainAddress(address));
  const seen = new Set(found.map(plainAddress));
  return {
    right: found.filter(isRight),
    others: found.filter((address) => !isRight(address)),
    isLed: machines.map((addresses) => addresses.some((address) => seen.has(plainAddress(address)))),
  };
}

export const typeOf = (address: string): 'A' | 'AAAA' => (isIPv6(address) ? 'AAAA' : 'A');

/** What is to be done with records beside the right ones; undefined without any. */
export function besides({ name, ...led }: Led): string | undefined {
  const { right, others } = sorted({ name, ...led });
  if (right.length === 0 || others.length === 0) return undefined;
  const records = others.map((address) => `${name} ${typeOf(address)} ${address}`).join(' and ');
  return (
    `${name} leads to ${right.join(', ')}, which is right, and besides to ${others.join(', ')}, which ` +
    'Berth does not know as an address of the same machine. If it is none, visitors and certificate ' +
    'authorities that take it find something else: remove the record ' +
    `${records} at your DNS provider.`
  );
}

/** Whether an address is one of these, or within one of these networks. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    const family = isIPv6(network) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(bits), family);
  }
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
