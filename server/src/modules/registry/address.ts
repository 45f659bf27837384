/** Addresses of registries and paths in them. Pure. */
import { badField } from '../../domain/errors.ts';
import { parseHost, parsePort } from '../../domain/names/names.ts';

/** One part of a repository's path (OCI distribution specification, "Pulling manifests": <name>). */
const pathPart = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

/**
 * `host[:port][/prefix]` in lower case, `https://` and a last slash taken off; empty for the engine's default
 * registry. Throws BAD_REQUEST naming the field for anything else, credentials and other schemes included.
 */
export function parseRegistryAddress(text: string, field = 'registryUrl'): string {
  const bare = text
    .trim()
    .replace(/^https:\/\//i, '')
    .replace(/\/+$/, '');
  if (bare === '') return '';
  if (bare.includes('://'))
    throw badField(field, 'must be host[:port][/prefix]; registries are reached through https only');
  if (bare.includes('@'))
    throw badField(field, 'must not carry a user or password; they have their own fields');
  const [authority = '', ...path] = bare.split('/');
  const [host = '', port, ...rest] = authority.split(':');
  if (rest.length > 0) throw badField(field, 'must be host[:port][/prefix]');
  const address = port === undefined ? parseHost(host, field) : parseHostAndPort(host, port, field);
  if (address.startsWith('*')) throw badField(field, 'must be one host');
  return [address, ...path.map((part) => parsePathPart(part, field))].join('/');
}

function parseHostAndPort(host: string, port: string, field: string): string {
  const number = /^[0-9]{1,5}$/.test(port) ? Number(port) : Number.NaN;
  return `${parseHost(host, field)}:${parsePort(number, field)}`;
}

/** A repository path without slashes at its ends; empty is none. Throws BAD_REQUEST naming the field. */
export function parseImagePrefix(text: string, field = 'imagePrefix'): string {
  const bare = text.trim().replace(/^\/+|\/+$/g, '');
  return bare === ''
    ? ''
    : bare
        .split('/')
        .map((part) => parsePathPart(part, field))
        .join('/');
}

/** The host[:port] that a sign-in is for. */
export function serverOf(registryUrl: string): string {
  return registryUrl.split('/')[0] ?? '';
}

function parsePathPart(part: string, field: string): string {
  if (pathPart.test(part)) return part;
  throw badField(
    field,
    'may have only lower-case letters, digits and single ".", "_" or "-" between them in each part of ' +
      'the path',
  );
}
