/** Addresses and networks as people list them: `192.0.2.10`, `10.1.0.0/16`, `2001:db8::/32`. Pure. */
import { isIPv4, isIPv6 } from 'node:net';
import { badField } from '../errors.ts';

const most = 500;

/** Whether the text is one address, or a network in CIDR notation. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const [isFour, isSix] = [isIPv4(address), isIPv6(address) && !address.includes('%')];
  if (rest.length > 0 || !(isFour || isSix) || text.toLowerCase().startsWith('::ffff:')) return false;
  return bits === undefined || (/^(0|[1-9][0-9]{0,2})$/.test(bits) && Number(bits) <= (isFour ? 32 : 128));
}

/** The list without repetitions; throws BAD_REQUEST naming `field`. */
export function parseAddressRanges(list: readonly string[], field: string): string[] {
  if (list.length > most) throw badField(field, `may have at most ${most} addresses and networks`);
  for (const text of list)
    if (!isAddressRange(text))
      throw badField(
        field,
        `has ${JSON.stringify(text.slice(0, 100))}, which is neither an address nor a network such as ` +
          '10.1.0.0/16 or 2001:db8::/32; an IPv4 address is written without ::ffff:',
      );
  return [...new Set(list)];
}
