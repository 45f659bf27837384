/**
 * What becomes of each key of a service: read, refused because Swarm cannot do it, or without effect and told
 * so. A key that no table names is refused.
 */
import { didYouMean } from '../../../domain/text/closest.ts';
import type { AppError } from '../../../domain/errors.ts';
import { entriesOf, type ComposeFile, type YamlMap } from '../compose-file.ts';
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
  'working_dir',
]);

const noPart = 'is not supported for a service of a swarm';
const server = 'would join it to the server itself, which is not possible for a service of a swarm';

/** Values without effect are let through: `privileged: false`. */
const harmless: Readonly<Record<string, readonly unknown[]>> = {
  privileged: [false, 'false'],
  use_api_socket: [false, 'false'],
  network_mode: ['bridge', 'default'],
  ipc: ['private'],
  cgroup: ['private'],
  oom_kill_disable: [false, 'false'],
  security_opt: [],
  pid: [''],
};

const refused: Readonly<Record<string, string>> = {
  privileged: 'is not possible in a swarm; give the capabilities that it needs with cap_add',
  use_api_socket: noPart,
  devices: noPart,
  device_cgroup_rules: noPart,
  gpus: noPart,
  runtime: noPart,
  network_mode: `${server}; each service is in the networks of its compose service and of its environment`,
  pid: server,
  ipc: server,
  uts: server,
  userns_mode: server,
  cgroup: server,
  cgroup_parent: noPart,
  security_opt: `${noPart}; without it the service would run less protected than the file says`,
  volumes_from: 'is not possible in a swarm; list the volumes under volumes',
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
  domainname: noPart,
};

/** Without effect here, and why. */
const ignored: Readonly<Record<string, string>> = {
  attach: 'its output is read with compose.readLogs',
  annotations: 'the engine passes none on',
  platform: 'the image is taken for this server',
  develop: 'it is for local development',
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
 * Looks at every key of a service; gives the notes of those without effect. BAD_REQUEST for one that cannot
 * be done, naming service and key.
 */
export function checkKeys(service: YamlMap, place: Place): string[] {
  const notes: string[] = [];
  for (const [key, value] of service) {
    const name = String(key);
    const at = { ...place, where: `${place.where}.${name}` };
    if (name.startsWith('x-') || read.has(name) || isHarmless(name, value)) continue;
    const why = refusalOf(name, value);
    if (why !== undefined) throw fault(at, why);
    if (!Object.hasOwn(ignored, name)) throw unknownKey(at, name);
    notes.push(`${at.where} has no effect: ${ignored[name] ?? ''}.`);
  }
  return notes;
}

/** Keys at the top of a file. */
export const topKeys = ['version', 'name', 'services', 'volumes', 'networks', 'configs', 'secrets'] as const;

const knownKeys = (): string[] => [...read, ...Object.keys(refused), ...Object.keys(ignored)];

const unknownKey = (at: Place, name: string): AppError =>
  fault(at, `is not a key of a service that Berth supports.${didYouMean(name, knownKeys())}`);

/**
 * Of a file that is saved: the first key that no table names, whatever its value, or that cannot be done with
 * the value it has; one with a variable in it is the deployment's matter.
 */
export function faultyKeyOf({ top, services }: ComposeFile): { path: string[]; why: string } | undefined {
  for (const [key] of entriesOf(top))
    if (!key.startsWith('x-') && key !== 'include' && !topKeys.some((known) => known === key))
      return { path: [key], why: `is not a key that Berth supports.${didYouMean(key, topKeys)}` };
  for (const [service, map] of services)
    for (const [key, value] of entriesOf(map)) {
      const path = ['services', service, key];
      if (!key.startsWith('x-') && !knownKeys().includes(key))
        return { path, why: `is not a key that Berth supports.${didYouMean(key, knownKeys())}` };
      const why = hasVariable(value) ? undefined : refusalOf(key, value);
      if (why !== undefined) return { path, why };
    }
  return undefined;
}

const hasVariable = (value: unknown): boolean => typeof value === 'string' && value.includes('$');

/** Why a swarm cannot do it; undefined where it can, or where the value asks for nothing. */
function refusalOf(key: string, value: unknown): string | undefined {
  if (!Object.hasOwn(refused, key) || isHarmless(key, value)) return undefined;
  return refused[key] ?? noPart;
}

function isHarmless(key: string, value: unknown): boolean {
  if (value === null || (Array.isArray(value) && value.length === 0)) return true;
  return Object.hasOwn(harmless, key) && harmless[key]?.includes(value) === true;
}
