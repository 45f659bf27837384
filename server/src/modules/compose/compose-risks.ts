/**
 * What in a compose file reaches beyond its own containers, folder, volumes and networks: such files are for Owner and Admin (decisions 8). A list of what is harmless,
 * so that what a later version of compose can do is refused until somebody has looked at it. Pure.
 */
import { posix } from 'node:path';
import { entriesOf, type ComposeFile } from './compose-file.ts';

export interface Risk {
  /** Where it stands, such as `services.web.volumes`. */
  where: string;
  /** Ends "it …". */
  why: string;
  /** Whether the service's variables decide it too. */
  hasVariable: boolean;
}

type Rule = (value: unknown) => string | undefined;

const free: Rule = () => undefined;
const never: Rule = () => 'is not on the list of what a member may use';
const onlyIn =
  (...allowed: readonly unknown[]): Rule =>
  (value) =>
    allowed.includes(value) ? undefined : `may only be ${allowed.map(String).join(' or ')}`;

const serviceRules: Readonly<Record<string, Rule>> = {
  ...freely(
    'annotations',
    'attach',
    'cap_drop',
    'command',
    'configs',
    'container_name',
    'cpu_count',
    'cpu_percent',
    'cpu_shares',
    'cpu_period',
    'cpu_quota',
    'cpus',
    'cpuset',
    'depends_on',
    'deploy',
    'dns',
    'dns_opt',
    'dns_search',
    'domainname',
    'entrypoint',
    'environment',
    'expose',
    'extra_hosts',
    'group_add',
    'healthcheck',
    'hostname',
    'image',
    'init',
    'labels',
    'links',
    'mac_address',
    'mem_limit',
    'mem_reservation',
    'mem_swappiness',
    'memswap_limit',
    'networks',
    'pids_limit',
    'platform',
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
    'tmpfs',
    'tty',
    'ulimits',
    'user',
    'working_dir',
  ),
  privileged: onlyIn(false),
  use_api_socket: onlyIn(false),
  network_mode: (value) =>
    value === 'none' ||
    value === 'bridge' ||
    (typeof value === 'string' && /^service:[a-zA-Z0-9._-]+$/.test(value))
      ? undefined
      : 'joins the network of the server or of another container',
  security_opt: each(onlyIn('no-new-privileges', 'no-new-privileges:true')),
  volumes: each(volume),
  volumes_from: each((value) =>
    typeof value === 'string' && !value.includes('$') && !value.startsWith('container:')
      ? undefined
      : 'takes the volumes of another container',
  ),
  env_file: each((value) => insidePath(value instanceof Map ? value.get('path') : value)),
  extends: (value) =>
    value instanceof Map && value.get('file') !== undefined ? 'takes a service from another file' : undefined,
  logging: (value) =>
    onlyIn(undefined, 'json-file', 'local', 'none')(value instanceof Map ? value.get('driver') : undefined),
  build: (value) => (value instanceof Map ? firstFault(value, buildRules) : buildContext(value)),
};

const buildRules: Readonly<Record<string, Rule>> = {
  ...freely('args', 'target', 'labels', 'no_cache', 'pull', 'platforms', 'shm_size', 'dockerfile_inline'),
  context: buildContext,
  dockerfile: insidePath,
};

const fileRules: Readonly<Record<string, Rule>> = {
  ...freely('content', 'environment', 'labels'),
  file: insidePath,
};

/** Things that a file defines besides services: each with the fields a member may give it. */
const definitionRules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  volumes: freely('labels'),
  networks: {
    ...freely('labels', 'internal', 'attachable', 'enable_ipv4', 'enable_ipv6', 'ipam'),
    driver: onlyIn('bridge', 'overlay'),
  },
  configs: fileRules,
  secrets: fileRules,
};

const harmlessTop: ReadonlySet<string> = new Set(['version', 'name', 'services']);

/** Every risk of the file; none: a member may write it. */
export function risksOf({ top, services }: ComposeFile): Risk[] {
  return [
    ...[...services].flatMap(([name, service]) => faultsOf(service, serviceRules, `services.${name}`)),
    ...entriesOf(top).flatMap(([name, value]) => {
      const rules = definitionRules[name];
      if (rules)
        return entriesOf(value).flatMap(([defined, definition]) =>
          faultsOf(definition, rules, `${name}.${defined}`),
        );
      return harmlessTop.has(name) || name.startsWith('x-') ? [] : risk(name, never(value), value);
    }),
  ];
}

function freely(...names: readonly string[]): Record<string, Rule> {
  return Object.fromEntries(names.map((name) => [name, free]));
}

function each(rule: Rule): Rule {
  return (value) => (Array.isArray(value) ? value : [value]).map(rule).find((why) => why !== undefined);
}

function faultsOf(value: unknown, rules: Readonly<Record<string, Rule>>, where: string): Risk[] {
  return entriesOf(value).flatMap(([name, item]) =>
    name.startsWith('x-') ? [] : risk(`${where}.${name}`, ruleOf(rules, name)(item), item),
  );
}

function firstFault(value: unknown, rules: Readonly<Record<string, Rule>>): string | undefined {
  return faultsOf(value, rules, '').map(({ where, why }) => `has ${where.slice(1)}, which ${why}`)[0];
}

function ruleOf(rules: Readonly<Record<string, Rule>>, name: string): Rule {
  return Object.hasOwn(rules, name) ? (rules[name] ?? never) : never;
}

function risk(where: string, why: string | undefined, value: unknown): Risk[] {
  return why === undefined ? [] : [{ where, why, hasVariable: holdsVariable(value) }];
}

/** A folder or file below the service's own; what a variable decides can be anything. */
function insidePath(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'names no path';
  if (holdsVariable(value)) return 'lets a variable decide a path';
  const clean = posix.normalize(value);
  return posix.isAbsolute(clean) ||
    clean === '..' ||
    clean.startsWith('../') ||
    value.startsWith('~') ||
    value.includes('\\')
    ? `reaches ${value.slice(0, 60)}, outside the service's own folder`
    : undefined;
}

/** A folder of the service, or a repository over https; whatever else has a scheme is neither. */
function buildContext(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.includes(':') || holdsVariable(value)) return insidePath(value);
  return /^https:\/\/[^$]+$/.test(value)
    ? undefined
    : `is built from ${value.slice(0, 60)}, which is neither a folder of the service nor an https address`;
}

function volume(value: unknown): string | undefined {
  if (value instanceof Map) {
    const type: unknown = value.get('type') ?? 'volume';
    const bound = firstFault(value, {
      ...freely('type', 'target', 'read_only', 'tmpfs', 'volume', 'consistency'),
      source: type === 'bind' ? insidePath : volumeName,
    });
    return (
      bound ??
      (type === 'bind' || type === 'volume' || type === 'tmpfs'
        ? undefined
        : `is of the type ${String(type).slice(0, 40)}`)
    );
  }
  if (typeof value !== 'string') return 'is no mount';
  if (holdsVariable(value)) return 'lets a variable decide what is mounted';
  const [source = '', ...target] = value.split(':');
  if (target.length === 0) return undefined;
  return /^[./~]/.test(source) ? insidePath(source) : volumeName(source);
}

function volumeName(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(value)
    ? undefined
    : 'is no name of a volume';
}

/** Levels looked through; a reference to itself would lead on for ever. */
const deepest = 12;

/** `$$` is a dollar sign (compose-spec, Interpolation). */
function holdsVariable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.replaceAll('$$', '').includes('$');
  if (depth > deepest) return true;
  if (Array.isArray(value)) return value.some((item) => holdsVariable(item, depth + 1));
  return entriesOf(value).some(([, item]) => holdsVariable(item, depth + 1));
}
