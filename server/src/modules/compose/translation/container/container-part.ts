/** What a service of a compose file asks of its container (compose-spec, services). Pure. */
import { isIP } from 'node:net';
import { entriesOf, type YamlMap } from '../../compose-file.ts';
import type { ContainerOptions } from '../../../../ports/engine/engine.ts';
import type { PlannedMount, PlannedService } from '../plan.ts';
import { securityOf } from './security.ts';
import {
  below,
  booleanAt,
  bytesAt,
  fault,
  listAt,
  mapAt,
  pairsAt,
  textAt,
  textsAt,
  wholeAt,
  wordAt,
  type Place,
} from '../values.ts';

/** `files` are those beside the compose file, by their paths as the file writes them. */
export function containerOptions(
  service: YamlMap,
  place: Place,
  files: (path: string, at: Place) => string | undefined,
): ContainerOptions {
  const given = <T>(key: string, read: (value: unknown, at: Place) => T): T | undefined => {
    const value: unknown = service.get(key);
    return value === undefined || value === null ? undefined : read(value, below(place, key));
  };
  const dns = {
    servers: given('dns', addresses),
    search: given('dns_search', textsAt),
    options: given('dns_opt', textsAt),
  };
  const hasDns = Object.values(dns).some((value) => value !== undefined);
  return withoutAbsent({
    hostname: given('hostname', hostname),
    user: given('user', textAt),
    groups: given('group_add', textsAt),
    workingDirectory: given('working_dir', folder),
    // The engine's default, as docker compose has it: programs such as s6-overlay must be process 1.
    init: given('init', booleanAt) ?? false,
    readOnly: given('read_only', booleanAt),
    tty: given('tty', booleanAt),
    stdinOpen: given('stdin_open', booleanAt),
    stopSignal: given('stop_signal', textAt),
    hosts: given('extra_hosts', hosts),
    dns: hasDns
      ? { servers: dns.servers ?? [], search: dns.search ?? [], options: dns.options ?? [] }
      : undefined,
    capabilitiesAdded: given('cap_add', capabilities),
    capabilitiesDropped: given('cap_drop', capabilities),
    ulimits: given('ulimits', ulimits),
    ...securityOf(service, place, files),
  });
}

export function sysctlsOf(service: YamlMap, place: Place): Record<string, string> {
  const at = below(place, 'sysctls');
  const entries =
    service.has('sysctls') && service.get('sysctls') !== null ? pairsAt(service.get('sysctls'), at) : [];
  for (const [name] of entries)
    if (!/^(net\.|kernel\.(msg|sem|shm)|fs\.mqueue\.)[a-z0-9._-]*$/.test(name))
      throw fault(below(at, name), 'is a setting of the whole server, not of one container');
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
}

/**
 * A container that may administer its network passes packets on, as in docker compose; VPNs rely on it.
 * Others do not (spec-defaults.ts).
 */
export const forwardingOf = ({ capabilitiesAdded: added }: ContainerOptions): Record<string, string> =>
  added?.some((name) => name === 'CAP_NET_ADMIN' || name === 'ALL') ? { 'net.ipv4.ip_forward': '1' } : {};

/** Drivers that write files here. */
const toFiles: ReadonlySet<string> = new Set(['json-file', 'local']);

/** Undefined: Berth's own way, files of bounded size. */
export function loggingOf(service: YamlMap, place: Place): PlannedService['logging'] {
  const value: unknown = service.get('logging');
  if (value === undefined || value === null) return undefined;
  const at = below(place, 'logging');
  const map = mapAt(value, at);
  const driver = map.has('driver') ? textAt(map.get('driver'), below(at, 'driver')) : 'json-file';
  const options = Object.fromEntries(
    map.has('options') && map.get('options') !== null
      ? pairsAt(map.get('options'), below(at, 'options')).map(([name, text]) => [name, text ?? ''])
      : [],
  );
  return {
    driver,
    options: toFiles.has(driver) ? { 'max-size': '10m', 'max-file': '3', ...options } : options,
  };
}

/** The shared memory of a container is a tmpfs of this size in its place. */
export function sharedMemory(service: YamlMap, place: Place): PlannedMount[] {
  const size: unknown = service.get('shm_size');
  return size === undefined || size === null
    ? []
    : [
        {
          type: 'tmpfs',
          target: '/dev/shm',
          readOnly: false,
          sizeBytes: bytesAt(size, below(place, 'shm_size')),
          mode: 0o1777,
        },
      ];
}

function hostname(value: unknown, place: Place): string | undefined {
  const text = textAt(value, place);
  if (text === '') return undefined;
  if (!/^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?$/.test(text))
    throw fault(place, 'is not a valid host name');
  return text;
}

function folder(value: unknown, place: Place): string {
  const text = textAt(value, place);
  if (!text.startsWith('/')) throw fault(place, 'must be an absolute path in the container');
  return text;
}

function addresses(value: unknown, place: Place): string[] {
  const texts = textsAt(value, place);
  for (const text of texts) if (isIP(text) === 0) throw fault(place, 'must be addresses of name servers');
  return texts;
}

function hosts(value: unknown, place: Place): { name: string; address: string }[] {
  const pairs =
    value instanceof Map
      ? pairsAt(value, place)
      : listAt(value, place).map((item, index): [string, string | null] => {
          const text = textAt(item, below(place, index));
          const cut = text.search(/[=:]/);
          return cut === -1 ? [text, null] : [text.slice(0, cut), text.slice(cut + 1)];
        });
  return pairs.map(([name, address]) => {
    const bare = (address ?? '').replace(/^\[(.*)\]$/, '$1');
    // The engine puts its gateway in for this word, in tasks as well (moby, buildSandboxOptions).
    if (!/^[a-zA-Z0-9._-]{1,253}$/.test(name) || (isIP(bare) === 0 && bare !== 'host-gateway'))
      throw fault(place, 'must be like "name:203.0.113.7" or "name:host-gateway"');
    return { name, address: bare };
  });
}

function capabilities(value: unknown, place: Place): string[] {
  return textsAt(value, place).map((text) => {
    const name = text.toUpperCase();
    if (!/^(CAP_)?[A-Z_]{3,40}$/.test(name))
      throw fault(place, 'must be names of capabilities such as NET_ADMIN');
    return name === 'ALL' || name.startsWith('CAP_') ? name : `CAP_${name}`;
  });
}

function ulimits(value: unknown, place: Place): { name: string; soft: number; hard: number }[] {
  return entriesOf(mapAt(value, place)).map(([name, limit]) => {
    const at = below(place, name);
    wordAt(name, at, [
      'core',
      'cpu',
      'data',
      'fsize',
      'locks',
      'memlock',
      'msgqueue',
      'nice',
      'nofile',
      'nproc',
      'rss',
      'rtprio',
      'rttime',
      'sigpending',
      'stack',
    ]);
    const read = (item: unknown): number => wholeAt(item, at, { least: -1 });
    return limit instanceof Map
      ? { name, soft: read(limit.get('soft')), hard: read(limit.get('hard')) }
      : { name, soft: read(limit), hard: read(limit) };
  });
}

function withoutAbsent(options: ContainerOptions): ContainerOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
