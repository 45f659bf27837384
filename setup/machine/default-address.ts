/** The address other machines know this one by: that of the device of the default route. */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { AppError } from '../../server/src/domain/errors.ts';

/** Throws PRECONDITION_FAILED where the machine has no IPv4 address but its loopback. */
export function defaultAddress(): string {
  const device = defaultDevice(readFileSync('/proc/net/route', 'utf8'));
  const all = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.map((address) => ({ name, ...address })),
  );
  const usable = all.filter((address) => address.family === 'IPv4' && !address.internal);
  const chosen = usable.find((address) => address.name === device) ?? usable[0];
  if (chosen === undefined) {
    throw new AppError(
      'PRECONDITION_FAILED',
      'this machine has no network address except its loopback. Give it one (a swarm needs an address to ' +
        'be known by) and run the command again.',
    );
  }
  return chosen.address;
}

/**
 * Device of the default route with the smallest metric out of /proc/net/route (route(8); numbers there are
 * hexadecimal).
 */
export function defaultDevice(table: string): string | undefined {
  const routes = table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1] === '00000000' && fields[7] === '00000000')
    .toSorted((a, b) => Number(a[6]) - Number(b[6]));
  return routes[0]?.[0];
}
