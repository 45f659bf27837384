/** Addresses of log drains, parsed. */
import { badField } from '../../domain/errors.ts';
import type { DrainType } from './record.ts';

interface Addressed {
  type: string;
  address: string;
}

/** Where a syslog server listens; BAD_REQUEST for what is no host with a port. */
export function syslogAddress(address: string): { host: string; port: number } {
  const [, bracketed, plain, digits = ''] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^\s/:@[\]]+)):(\d{1,5})$/.exec(address) ?? [];
  const [host, port] = [bracketed ?? plain, Number(digits)];
  if (host === undefined || port < 1 || port > 65_535)
    throw badField('address', 'must be host:port, such as logs.example.com:601; an IPv6 address in brackets');
  return { host, port };
}

/** Where Loki takes lines; BAD_REQUEST for what is no such address. */
export function lokiAddress(address: string): URL {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw badField(
      'address',
      'must begin with https:// or http://, without a name and password in it: those have their own fields',
    );
  return url;
}

/** What a password is given for. */
export const originOf = ({ type, address }: Addressed): string =>
  isSyslog(type) ? syslogAddress(address).host : lokiAddress(address).origin;

export const isSyslog = (type: string): type is Exclude<DrainType, 'loki'> => type.startsWith('syslog');
