/** Names of services, hosts, containers and ports (decisions 4, 5 and 9). */
import { createHash } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { AppError, badField } from '../errors.ts';

/** Names the engine takes for services; dots and a trailing "-" it refuses. */
export const appNamePattern = /^[a-zA-Z0-9]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?$/;

/** Names and ids of containers in queries (interface document, Containers). */
export const containerNamePattern = /^[a-zA-Z0-9.\-_]+$/;

/** Names of build arguments and build secrets: what a shell and BuildKit both take. */
export const argumentNamePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Labels by which Berth and the engine know what is theirs; no service sets them. */
export const reservedLabelPattern = /^(berth|com\.docker|io\.docker|org\.dockerproject)\./;

/**
 * The name of a build stage in a Dockerfile, or its number; empty is none. Throws BAD_REQUEST naming `field`.
 */
export function parseStageName(text: string, field: string): string {
  if (text === '' || /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/.test(text)) return text;
  throw badField(
    field,
    'is not a valid name of a build stage; it has up to 128 letters, digits, "-", "_" and "."',
  );
}

/** The name itself; throws BAD_REQUEST naming `field` when the engine would refuse it. */
export function parseAppName(text: string, field = 'appName'): string {
  if (appNamePattern.test(text)) return text;
  throw badField(
    field,
    'must have 1 to 63 letters, digits, "-" or "_", and begin and end with a letter or digit',
  );
}

/** The platform's proxy on an engine, and the network by which it reaches what it leads to. */
export const proxyServiceName = 'berth-proxy';
export const platformNetwork = 'berth-proxy';

/** Names of the platform's own services on the engine; no application may have one. */
export const reservedAppNames: readonly string[] = [proxyServiceName];

/** What two appNames are compared by: they must differ in more than case. */
export function appNameKey(appName: string): string {
  return appName.toLowerCase();
}

/** An appName made from a display name and 6 random characters, e.g. `My Shop` → `my-shop-x7k2p9`. */
export function appNameFrom(displayName: string, random: string): string {
  const suffix = random.toLowerCase();
  const stem = dnsText(displayName.slice(0, 256).normalize('NFKD').replace(/\p{M}/gu, ''))
    .replace(/-+/g, '-')
    .slice(0, 62 - suffix.length);
  return `${trimHyphens(stem) || 'app'}-${suffix}`;
}

/** The appName as part of a host name: lower case, every other character "-", at most `room` characters. */
export function hostLabel(appName: string, room = 63): string {
  return trimHyphens(dnsText(appName).slice(0, Math.max(1, room))) || 'app';
}

/**
 * Name in the engine of a service of a compose file: `<appName>_<service>`, with the suffix if there is one.
 * What the engine would refuse is cut or replaced, and told apart by a few digits.
 */
export function composeServiceName(appName: string, service: string, suffix = ''): string {
  const plain = `${appName}_${service}${suffix === '' ? '' : `-${suffix}`}`;
  if (appNamePattern.test(plain)) return plain;
  const digest = createHash('sha256').update(plain).digest('hex').slice(0, 8);
  return `${trimHyphens(plain.replace(/[^a-zA-Z0-9_-]/g, '-').slice(0, 54))}-${digest}`;
}

/** `<appName>-<6 hex>-<ip with dashes>.sslip.io`; the appName is cut so that the label stays within 63. */
export function generatedHost(appName: string, hex: string, ip: string): string {
  const tail = `-${hex}-${ip.replace(/[.:]/g, '-')}`;
  return `${hostLabel(appName, 63 - tail.length)}${tail}.sslip.io`;
}

/**
 * A host name as ASCII in lower case: labels of at most 63, 253 in all, `*` only as the whole first label,
 * international names in their xn-- form. Throws BAD_REQUEST naming `field`.
 */
export function parseHost(text: string, field = 'host'): string {
  if (text !== text.trim()) throw badField(field, 'must not begin or end with a space');
  if (text === '') throw badField(field, 'must not be empty');
  if (text.length > 1024) throw badField(field, 'must have at most 253 characters');
  if (/[/\\]/.test(text))
    throw badField(field, 'must be a host name alone, such as app.example.com, without scheme or path');
  if (text.includes(':'))
    throw badField(field, 'must be a host name without a port; the port of the service has its own field');
  if (text.endsWith('.')) throw badField(field, 'must not end with a dot');
  const wildcard = text.startsWith('*.');
  const name = wildcard ? text.slice(2) : text;
  if (name.includes('*'))
    throw badField(field, 'may have "*" only as its whole first label, such as *.example.com');
  const ascii = asciiHost(name);
  if (ascii === undefined)
    throw badField(
      field,
      'is not a host name; its labels have letters, digits and "-", at most 63 characters each, and ' +
        'neither begin nor end with "-"',
    );
  const host = wildcard ? `*.${ascii}` : ascii;
  if (host.length > 253) throw badField(field, 'must have at most 253 characters');
  if (wildcard && isIpv4(ascii)) throw badField(field, 'cannot be a wildcard of an address');
  return host;
}

/**
 * The address of a machine: an IP address, or a host name as ASCII in lower case. Throws BAD_REQUEST naming
 * `field`.
 */
export function parseMachineAddress(text: string, field: string): string {
  if (isIP(text) !== 0 && !text.includes('%')) return isIPv6(text) ? text.toLowerCase() : text;
  const host = parseHost(text, field);
  if (host.startsWith('*')) throw badField(field, 'must be an IP address or one host name');
  return host;
}

/** Ports of the proxy, which every server has: 80 and 443. */
export const proxyPorts: readonly number[] = [80, 443];
/** Ports that no service may publish: SSH, the proxy's, Swarm's (decisions 5). */
export const reservedPorts: readonly number[] = [22, ...proxyPorts, 2377, 4789, 7946];

/** A port number 1–65535; throws BAD_REQUEST naming `field`. */
export function parsePort(port: number, field: string): number {
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw badField(field, 'must be a whole number from 1 to 65535');
}

/**
 * A port that a service may publish; throws BAD_REQUEST outside 1–65535 and CONFLICT for a reserved one;
 * `own` are Berth's own ports.
 */
export function parsePublishedPort(
  port: number,
  field = 'publishedPort',
  own: readonly number[] = [],
): number {
  parsePort(port, field);
  if (!reservedPorts.includes(port) && !own.includes(port)) return port;
  throw new AppError(
    'CONFLICT',
    `${field}: port ${port} is reserved for ` +
      `${own.includes(port) ? 'Berth itself' : 'SSH, the proxy or the cluster'}; choose another one`,
    { issues: [{ path: field, message: 'is reserved' }] },
  );
}

function dnsText(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9-]/g, '-');
}

function trimHyphens(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === '-') from += 1;
  while (to > from && text[to - 1] === '-') to -= 1;
  return text.slice(from, to);
}

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

function asciiHost(name: string): string | undefined {
  // Characters that the URL rules would decode or drop instead of refusing them.
  if (/[%?#\s\p{Cc}\p{Cf}]/u.test(name)) return undefined;
  const ascii = domainToASCII(name);
  if (ascii === '' || !ascii.split('.').every((part) => label.test(part))) return undefined;
  // The URL rules read 0x7f.1 or 2130706433 as an address; only the plain form of an address is taken.
  return isIpv4(ascii) && ascii !== name ? undefined : ascii;
}

function isIpv4(host: string): boolean {
  return /^[0-9]{1,3}(\.[0-9]{1,3}){3}$/.test(host);
}
