/**
 * What in a compose file reaches beyond the service's own containers and folder, and so needs Owner or Admin (decisions 8). Every key that a file may have (compose specification,
 * compose-spec.io) stands in a table below, harmless or with its rule. A key that stands in none counts as one that reaches further, so that what the specification gains later is
 * not let through unjudged. Pure.
 */
import type { ComposeFile, Yaml, YamlMap } from './compose-file.ts';
import { isMap } from './compose-file.ts';
import { buildContext, buildContexts, each, empty, environmentFile, harmless, harmlessKeys, labels, map, off, only, ownContainer, ownPath, reasonOf, volume, type Rule, type Rules } from './host-reach.ts';

export interface HostReach {
  /** Where it stands, such as `services.web.privileged`. */
  path: string;
  reason: string;
  /** Variables have a part in it. */
  hasVariable: boolean;
}

/** All that reaches further, in the order of the file. */
export function hostReachOf({ whole, services }: ComposeFile): HostReach[] {
  const sections = Object.entries(sectionRules).flatMap(([section, rules]) => Object.entries(mapOf(whole[section])).flatMap(([name, part]) => found(`${section}.${name}`, mapOf(part), rules)));
  return [...found('', whole, fileRules), ...Object.entries(services).flatMap(([name, service]) => found(`services.${name}`, mapOf(service), serviceRules)), ...sections];
}

function found(path: string, part: YamlMap, rules: Rules): HostReach[] {
  return Object.entries(part).flatMap(([name, value]) => {
    const reason = reasonOf(rules, name, value);
    return reason === undefined ? [] : [{ path: path === '' ? name : `${path}.${name}`, reason, hasVariable: JSON.stringify(value).includes('$') }];
  });
}

function mapOf(value: Yaml | undefined): YamlMap {
  return isMap(value) ? value : {};
}

/** A section of parts by their name: each a map, or nothing. */
const parts: Rule = (value) => (value === null || (isMap(value) && Object.values(value).every((part) => part === null || isMap(part))) ? undefined : 'has a form that Berth does not know');

const others = 'may be the data of another service';
const foreignVolume = off(`${others}: a volume that is not this file's`);

const fileRules: Rules = {
  ...harmlessKeys('version', 'name', 'services'), volumes: parts, networks: parts, configs: parts, secrets: parts,
  include: empty('brings in other files, which Berth has not read'),
};

const storedFile: Rules = {
  ...harmlessKeys('content', 'environment', 'template_driver'), labels, file: ownPath, external: off(others), name: empty(others), driver: empty('is a driver of the engine'), driver_opts: empty('is for a driver of the engine'),
};

const sectionRules = {
  volumes: { labels, driver: only(/^local$/, 'is a driver of the engine'), driver_opts: empty('can mount any folder of the machine or the network'), external: foreignVolume, name: empty(`${others}: the engine knows volumes of every service by their names`) },
  networks: {
    ...harmlessKeys('internal', 'attachable', 'enable_ipv4', 'enable_ipv6', 'ipam'), labels, driver: only(/^(bridge|overlay)$/, "reaches the machine's own network"), driver_opts: empty("can reach the machine's own network"),
    external: off('may be the network of other services'), name: empty('may be the network of other services'),
  },
  configs: storedFile,
  secrets: storedFile,
} as const satisfies Record<string, Rules>;

const buildRules: Rules = {
  ...harmlessKeys('args', 'dockerfile_inline', 'extra_hosts', 'isolation', 'no_cache', 'platforms', 'provenance', 'pull', 'sbom', 'secrets', 'shm_size', 'tags', 'target', 'ulimits', 'no_cache_filter'),
  labels, context: buildContext, dockerfile: ownPath, additional_contexts: buildContexts, ssh: empty('uses keys of the machine'),
  cache_from: each(only(/^(?!.*(local|\$)).*$/s, 'reads folders of the machine')), cache_to: each(only(/^(?!.*(local|\$)).*$/s, 'writes into folders of the machine')),
  network: only(/^(none|default)$/, "reaches the machine's own network"), privileged: off('has the whole machine'), entitlements: empty('has more of the machine than other builds'),
};

const deployRules: Rules = {
  ...harmlessKeys('endpoint_mode', 'mode', 'placement', 'replicas', 'restart_policy', 'rollback_config', 'update_config'), labels,
  resources: map({ limits: harmless, reservations: map({ ...harmlessKeys('cpus', 'memory', 'pids', 'generic_resources'), devices: empty('has devices of the machine') }) }),
};

const hook = each(map({ ...harmlessKeys('command', 'user', 'working_dir', 'environment', 'per_container'), privileged: off('has the whole machine') }));
const devices = empty('has devices of the machine');

const serviceRules: Rules = {
  ...harmlessKeys(
    'attach', 'blkio_config', 'cap_drop', 'command', 'configs', 'container_name', 'cpu_count', 'cpu_percent', 'cpu_period', 'cpu_quota', 'cpu_rt_period', 'cpu_rt_runtime', 'cpu_shares', 'cpus', 'cpuset', 'depends_on', 'develop', 'dns', 'dns_opt', 'dns_search',
    'domainname', 'entrypoint', 'environment', 'expose', 'extra_hosts', 'group_add', 'healthcheck', 'hostname', 'image', 'init', 'isolation', 'links', 'mac_address', 'mem_limit', 'mem_reservation', 'mem_swappiness', 'memswap_limit', 'networks', 'pids_limit',
    'platform', 'ports', 'profiles', 'pull_policy', 'pull_refresh_after', 'read_only', 'restart', 'scale', 'secrets', 'shm_size', 'stdin_open', 'stop_grace_period', 'stop_signal', 'storage_opt', 'sysctls', 'tmpfs', 'tty', 'ulimits', 'user', 'working_dir',
  ),
  annotations: empty('changes how the machine runs the container'),
  build: map(buildRules, buildContext),
  cap_add: empty('has capabilities that other containers lack'),
  cgroup: only(/^private$/, "shares the machine's control groups"),
  cgroup_parent: empty("stands outside the service's limits"),
  credential_spec: empty('uses credentials of the machine'),
  deploy: map(deployRules),
  device_cgroup_rules: devices,
  devices,
  env_file: each(environmentFile),
  extends: map({ service: harmless, file: empty('is another file, which Berth has not read') }, harmless),
  external_links: empty('reaches containers of other services'),
  gpus: devices,
  ipc: only(/^(none|private|shareable|service:[^$]*)$/, "shares the machine's memory, or another container's"),
  label_file: each(ownPath),
  labels,
  logging: map({ options: harmless, driver: only(/^(json-file|local|none)$/, 'is a driver of the engine, which sends from the machine itself') }),
  network_mode: only(/^(none|service:[^$]*)$/, "is the machine's own network, or that of other services"),
  oom_kill_disable: off('outlives the programs of the machine when memory ends'),
  oom_score_adj: (value) => (value === null || (typeof value === 'number' && value >= 0) ? undefined : 'outlives the programs of the machine when memory ends'),
  pid: only(/^service:[^$]*$/, "sees the machine's processes, or another container's"),
  post_start: hook,
  pre_stop: hook,
  privileged: off('has the whole machine'),
  provider: empty('runs a program of the machine'),
  runtime: only(/^runc$/, 'is another runtime of the machine'),
  security_opt: each(only(/^no-new-privileges([:=]true)?$/, 'takes off what confines containers')),
  use_api_socket: off("has the engine's socket"),
  userns_mode: empty("has the machine's own users"),
  uts: empty("has the machine's own name"),
  volumes: each(volume),
  volumes_from: each(ownContainer),
};
