/**
 * What becomes of each key of a service: read, refused because Swarm cannot do it, or without effect and told
 * so. A key that no table names is refused.
 */
import { didYouMean } from '../../../domain/text/closest.ts';
import { entriesOf, lineOf, type ComposeFile, type YamlMap } from '../compose-file.ts';
import { isKnownSecurity } from './container/security.ts';
import { belowService, belowTop, type Fate, type Key, type Level } from './schema.ts';
import { fault, type Place } from './values.ts';

/** Read by the other files of this folder. */
const read: ReadonlySet<string> = new Set([
  'build',
  'cap_add',
  'cap_drop',
  'command',
  'configs',
  'container_name',
  'cpus',
  'depends_on',
  'deploy',
  'dns',
  'dns_opt',
  'dns_search',
  'entrypoint',
  'env_file',
  'environment',
  'expose',
  'extends',
  'extra_hosts',
  'group_add',
  'healthcheck',
  'hostname',
  'image',
  'init',
  'labels',
  'links',
  'logging',
  'mem_limit',
  'mem_reservation',
  'networks',
  'pids_limit',
  'ports',
  'profiles',
  'pull_policy',
  'read_only',
  'restart',
  'scale',
  'secrets',
  'shm_size',
  'stdin_open',
  'stop_grace_period',
  'stop_signal',
  'sysctls',
  'tmpfs',
  'tty',
  'ulimits',
  'user',
  'volumes',
  'volumes_from',
  'working_dir',
]);

const noPart = 'is not supported for a service of a swarm';
const server = 'would join it to the server itself, which is not possible for a service of a swarm';
const noDevice = 'would give it a device of the server, which a service of a swarm cannot have';

/** Values without effect are let through: `privileged: false`. */
const harmless: Readonly<Record<string, readonly unknown[]>> = {
  privileged: [false, 'false'],
  use_api_socket: [false, 'false'],
  network_mode: ['bridge', 'default', 'none', 'host', ''],
  ipc: ['private', 'shareable'],
  runtime: ['runc', ''],
  isolation: ['default'],
  cgroup: ['private'],
  oom_kill_disable: [false, 'false'],
  pid: [''],
};

const refused: Readonly<Record<string, string>> = {
  privileged: 'is not possible in a swarm; give the capabilities that it needs with cap_add',
  use_api_socket: noPart,
  devices: noDevice,
  device_cgroup_rules: noDevice,
  gpus: noDevice,
  runtime: noPart,
  network_mode:
    'would join it to another container, which is not possible for a service of a swarm. It reaches other ' +
    'services by their names; host, bridge and none are possible',
  pid: server,
  ipc: server,
  uts: server,
  userns_mode: server,
  cgroup: server,
  cgroup_parent: noPart,
  security_opt:
    'has an option that a service of a swarm cannot have: there are no-new-privileges, label, ' +
    'seccomp=unconfined, seccomp=PROFILE.json and apparmor=unconfined. Leave it out: with the profiles of ' +
    'the engine a service is protected as usual',
  external_links: 'is not possible; services of one environment reach each other by their names',
  credential_spec: noPart,
  provider: noPart,
  models: noPart,
  post_start: noPart,
  pre_stop: noPart,
  isolation: noPart,
  storage_opt: noPart,
  mac_address: noPart,
  label_file: 'is not read; put the labels under labels',
};

/** Without effect here, and why. */
const ignored: Readonly<Record<string, string>> = {
  attach: 'its output is read with compose.readLogs',
  annotations: 'the engine passes none on',
  platform: 'the image is taken for this server',
  pull_refresh_after: 'pull_policy says when an image is fetched',
  develop: 'it is for local development',
  domainname: 'put the whole name into hostname',
  oom_score_adj: 'the engine does not accept it',
  oom_kill_disable: 'the engine does not accept it',
  mem_swappiness: 'the engine does not accept it',
  memswap_limit: 'the engine does not accept it',
  blkio_config: 'the engine does not accept it',
  cpu_shares: 'use deploy.resources',
  cpu_count: 'use deploy.resources',
  cpu_percent: 'use deploy.resources',
  cpu_period: 'use deploy.resources',
  cpu_quota: 'use deploy.resources',
  cpu_rt_runtime: 'the engine does not accept it',
  cpu_rt_period: 'the engine does not accept it',
  cpuset: 'the engine does not accept it',
};

/**
 * Looks at every key of a service, down to the last level; gives the notes of those without effect.
 * BAD_REQUEST for one that is not known or cannot be done, naming service and key.
 */
export function checkKeys(service: YamlMap, place: Place): string[] {
  const notes: string[] = [];
  const faulty = faultOfService(service, { path: [], notes, refuses: true });
  if (faulty) throw fault(placeAt(place, faulty.path), faulty.why);
  return notes.map((text) => `${place.where}.${text}`);
}

/** The same for volumes, networks, configs and secrets of the file. */
export function checkDefinitions(top: YamlMap, field: string): string[] {
  const notes: string[] = [];
  const faulty = faultBelow(new Map([...top].filter(([key]) => Object.hasOwn(belowTop, String(key)))), {
    level: belowTop,
    path: [],
    notes,
    refuses: true,
  });
  if (faulty) throw fault({ field, where: faulty.path.join('.') }, faulty.why);
  return notes;
}

const placeAt = ({ field, where }: Place, path: readonly string[]): Place => ({
  field,
  where: [where, ...path].join('.'),
});

/** Keys at the top of a file. */
export const topKeys = [
  'version',
  'name',
  'include',
  'services',
  'volumes',
  'networks',
  'configs',
  'secrets',
] as const;

const knownKeys = (): string[] => [...read, ...Object.keys(refused), ...Object.keys(ignored)];

export interface Faulty {
  path: string[];
  why: string;
}

/**
 * Of a file that is saved: the first key that no table names, whatever its value, or that cannot be done with
 * the value it has; one with a variable in it is the deployment's matter.
 */
export function faultyKeyOf({ top, services }: ComposeFile): Faulty | undefined {
  for (const [key] of entriesOf(top))
    if (!key.startsWith('x-') && !topKeys.some((known) => known === key))
      return { path: [key], why: `is not a key that Berth supports.${didYouMean(key, topKeys)}` };
  for (const [service, map] of services) {
    // A profile may be for other machines: what it cannot do here matters once it is chosen.
    const refuses = !map.has('profiles');
    const faulty = faultOfService(map, { path: ['services', service], notes: [], refuses });
    if (faulty) return faulty;
  }
  const definitions = new Map([...top].filter(([key]) => Object.hasOwn(belowTop, String(key))));
  return faultBelow(definitions, { level: belowTop, path: [], notes: [], refuses: true });
}

/** Names line and key of a faulty one. */
export function faultSentence(text: string, { path, why }: Faulty): string {
  const line = lineOf(text, path);
  return `${line === undefined ? '' : `line ${line}: `}${path.join('.')} ${why}`;
}

/** The first faulty key of a service; `notes` gets what has no effect. */
function faultOfService(service: YamlMap, looking: Looking): Faulty | undefined {
  const { path, notes, refuses } = looking;
  for (const [key, value] of entriesOf(service)) {
    const at = [...path, key];
    if (key.startsWith('x-') || isHarmless(key, value)) {
      if (!key.startsWith('x-') && !knownKeys().includes(key)) return unknown(at, knownKeys());
      continue;
    }
    if (!knownKeys().includes(key)) return unknown(at, knownKeys());
    const why = hasVariable(value) || !refuses ? undefined : refusalOf(key, value);
    if (why !== undefined) return { path: at, why };
    if (Object.hasOwn(ignored, key)) notes.push(`${at.join('.')} has no effect: ${ignored[key] ?? ''}.`);
    const faulty = faultOfValue(value, { ...looking, key: belowService[key] ?? {}, path: at });
    if (faulty) return faulty;
  }
  return undefined;
}

interface Looking {
  path: readonly string[];
  /** Gets what has no effect. */
  notes: string[];
  /** Whether a key that is known and cannot be done counts. */
  refuses: boolean;
}

function faultBelow(map: YamlMap, { level, ...looking }: Looking & { level: Level }): Faulty | undefined {
  const { path, notes, refuses } = looking;
  for (const [name, value] of entriesOf(map)) {
    const at = [...path, name];
    if (name.startsWith('x-')) continue;
    const key = Object.hasOwn(level, name) ? level[name] : undefined;
    if (key === undefined) return unknown(at, Object.keys(level));
    const isNothing = value === null || value === false;
    if (key.fate && 'refusal' in key.fate && !isNothing && refuses)
      return { path: at, why: key.fate.refusal };
    if (key.fate && 'note' in key.fate && !isNothing)
      notes.push(`${at.join('.')} has no effect: ${key.fate.note}.`);
    const faulty = faultOfValue(value, { ...looking, key, path: at });
    if (faulty) return faulty;
  }
  return undefined;
}

function faultOfValue(value: unknown, { key, ...looking }: Looking & { key: Key }): Faulty | undefined {
  const inside: [Level | undefined, [string, unknown][]][] = [
    [key.each, value instanceof Map ? entriesOf(value) : []],
    [key.items, Array.isArray(value) ? value.map((item, index) => [String(index), item]) : []],
  ];
  if (key.keys && value instanceof Map) return faultBelow(value, { ...looking, level: key.keys });
  for (const [level, entries] of inside)
    for (const [name, item] of entries) {
      if (!level || !(item instanceof Map) || name.startsWith('x-')) continue;
      const faulty = faultBelow(item, { ...looking, level, path: [...looking.path, name] });
      if (faulty) return faulty;
    }
  return undefined;
}

const unknown = (path: string[], known: readonly string[]): Faulty => ({
  path,
  why: `is not a key that Berth supports.${didYouMean(path.at(-1) ?? '', known)}`,
});

/** Every key that is known, by its path with `*` for names and items, and what becomes of it. */
export function keyFates(): { path: string; fate: Fate | undefined }[] {
  const first = (key: string): Fate | undefined => {
    if (Object.hasOwn(refused, key)) return { refusal: refused[key] ?? noPart };
    return Object.hasOwn(ignored, key) ? { note: ignored[key] ?? '' } : undefined;
  };
  return [
    ...knownKeys().flatMap((key) => [
      { path: `services.*.${key}`, fate: first(key) },
      ...fatesBelow(`services.*.${key}`, belowService[key] ?? {}),
    ]),
    ...Object.entries(belowTop).flatMap(([key, level]) => fatesBelow(key, level)),
  ];
}

function fatesBelow(path: string, key: Key): { path: string; fate: Fate | undefined }[] {
  const levels: [string, Level | undefined][] = [
    [path, key.keys],
    [`${path}.*`, key.each ?? key.items],
  ];
  return levels.flatMap(([at, level]) =>
    Object.entries(level ?? {}).flatMap(([name, inner]) => {
      const fate = inner.fate ?? key.fate;
      const path = `${at}.${name}`;
      return [{ path, fate }, ...fatesBelow(path, { ...inner, ...(fate && { fate }) })];
    }),
  );
}

const hasVariable = (value: unknown): boolean => typeof value === 'string' && value.includes('$');

/** Why a swarm cannot do it; undefined where it can, or where the value asks for nothing. */
function refusalOf(key: string, value: unknown): string | undefined {
  if (!Object.hasOwn(refused, key) || isHarmless(key, value)) return undefined;
  return refused[key] ?? noPart;
}

function isHarmless(key: string, value: unknown): boolean {
  if (key === 'security_opt' && Array.isArray(value))
    return value.every((option) => isKnownSecurity(String(option)));
  if (value === null || (Array.isArray(value) && value.length === 0)) return true;
  return Object.hasOwn(harmless, key) && harmless[key]?.includes(value) === true;
}
