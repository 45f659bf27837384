/** What docker compose makes of a file: its `config`, the form in which it goes to the engine. */
import { execFile } from 'node:child_process';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { ownPath, plain, trimmed, type Meaning, type Meanings } from './meaning.ts';
import { fileShape, type File, type Service } from './shapes.ts';

const run = promisify(execFile);
const limitMs = 60_000;
const project = 'shop';

/** What `docker compose config` says of the file in the folder; a text where it refuses. */
export async function theirs(program: string, folder: string): Promise<Meanings | string> {
  const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' };
  const argv = ['-p', project, '-f', 'compose.yml', 'config', '--format', 'json'];
  const outcome = await run(program, argv, { cwd: folder, env, timeout: limitMs, maxBuffer: 2 ** 24 }).then(
    ({ stdout }) => ({ stdout }),
    ({ stderr }: { stderr?: string }) => ({ refusal: String(stderr).trim() || 'refused without a word' }),
  );
  if ('refusal' in outcome) return outcome.refusal;
  // It doubles dollar signs, so that what it prints is a file again.
  const file = fileShape.parse(
    JSON.parse(outcome.stdout, (_key, value: unknown) =>
      typeof value === 'string' ? value.replaceAll('$$', '$') : value,
    ),
  );
  return Object.fromEntries(
    Object.entries(file.services ?? {}).map(([name, service]) => [
      name,
      meaningOf(service, { name, file, folder }),
    ]),
  );
}

interface Around {
  name: string;
  file: File;
  folder: string;
}

const meaningOf = (service: Service, around: Around): Meaning => ({
  ...programOf(service, around.folder),
  ...storageOf(service, around),
  ...networkOf(service, around),
  ...lifeOf(service, around.file),
  ...optionsOf(service),
  ...limitsOf(service),
});

function programOf({ build, image, ...service }: Service, folder: string): Meaning {
  return {
    image: build ? undefined : image,
    build: build && {
      context: ownPath(posix.relative(folder, build.context)),
      dockerfile: build.dockerfile_inline === undefined ? build.dockerfile : undefined,
      inline: build.dockerfile_inline,
      target: build.target,
      args: build.args,
    },
    command: service.command ?? undefined,
    entrypoint: service.entrypoint ?? undefined,
    environment: service.environment,
    labels: { ...service.labels, ...service.deploy?.labels },
    logging: service.logging && {
      driver: service.logging.driver ?? 'json-file',
      options: service.logging.options,
    },
  };
}

function storageOf(service: Service, { file, folder }: Around): Meaning {
  const mounts = mountsOf(service, file).map((mount) => {
    const what = sourceOf(mount, { file, folder });
    return `${what} ${trimmed(mount.target)}${mount.read_only === true ? ' ro' : ''}`;
  });
  const inMemory = (service.tmpfs ?? []).map((text) => `tmpfs ${trimmed(text.split(':')[0] ?? '')}`);
  return {
    volumes: [...mounts, ...inMemory].toSorted(),
    shm_size: service.shm_size === undefined ? undefined : Number(service.shm_size),
    configs: filesOf(service.configs, '/'),
    secrets: filesOf(service.secrets, '/run/secrets/'),
  };
}

type Mount = NonNullable<Service['volumes']>[number];

/** Its own mounts, and those of the services that it has volumes from, at other paths. */
function mountsOf({ volumes, volumes_from: from }: Service, file: File): Mount[] {
  const mounts = new Map((volumes ?? []).map((mount) => [trimmed(mount.target), mount]));
  for (const text of from ?? []) {
    const [name = '', mode] = text.split(':');
    const other = file.services?.[name];
    for (const mount of other ? mountsOf(other, file) : [])
      if (mount.type !== 'tmpfs' && !mounts.has(trimmed(mount.target)))
        mounts.set(trimmed(mount.target), mode === 'ro' ? { ...mount, read_only: true } : mount);
  }
  return [...mounts.values()];
}

/** What is mounted: a folder, a volume by the name that it has, or memory. */
function sourceOf({ type, source = '' }: Mount, { file, folder }: Omit<Around, 'name'>): string {
  const named = file.volumes?.[source];
  const options = named?.driver_opts ?? {};
  if (options['type'] === 'tmpfs' || type === 'tmpfs') return 'tmpfs';
  if (type === 'bind' || options['o'] === 'bind') {
    const path = options['device'] ?? source;
    const relative = posix.relative(folder, path);
    return relative.startsWith('..') ? `bind:${trimmed(path)}` : `own:${ownPath(relative)}`;
  }
  const isOwn = named === undefined || named.name === `${project}_${source}`;
  const given = Object.entries(options).filter(([, value]) => value !== null && value !== '');
  const made = given.length === 0 ? '' : JSON.stringify(plain(Object.fromEntries(given)));
  return `volume:${isOwn ? source : `=${named.name}`}${made}`;
}

function networkOf(service: Service, { name, file }: Around): Meaning {
  const ports = service.ports ?? [];
  return {
    isServer: ports.length > 0 || service.healthcheck?.test !== undefined,
    network_mode: ['host', 'none'].includes(service.network_mode ?? '') ? service.network_mode : undefined,
    ports: ports
      .filter(
        ({ published, host_ip: address = '' }) => published !== undefined && !/^(127\.|::1)/.test(address),
      )
      .map(({ published, target, protocol = 'tcp' }) => `${published}:${target}/${protocol}`)
      .toSorted(),
    hostname: service.hostname,
    extra_hosts: service.extra_hosts?.toSorted(),
    dns: service.dns,
    dns_search: service.dns_search,
    dns_opt: service.dns_opt,
    aliases: [
      ...new Set([
        ...Object.values(service.networks ?? {}).flatMap((network) => network?.aliases ?? []),
        ...(service.container_name === undefined ? [] : [service.container_name]),
        ...linkedNames(name, file.services ?? {}),
      ]),
    ].toSorted(),
  };
}

function lifeOf(service: Service, { services = {} }: File): Meaning {
  return {
    depends_on: Object.fromEntries(
      Object.entries(service.depends_on ?? {})
        .filter(([name, { required }]) => required || name in services)
        .map(([name, { condition }]) => [name, condition.replace(/^service_|_successfully$/g, '')]),
    ),
    restart: restartOf(service),
    healthcheck: healthOf(service),
    stop_signal: service.stop_signal,
    stop_grace_period: millisecondsOf(service.stop_grace_period),
    scale: service.deploy?.replicas ?? service.scale ?? 1,
  };
}

function healthOf({ healthcheck }: Service): unknown {
  if (healthcheck?.disable === true || healthcheck?.test?.[0] === 'NONE') return 'disabled';
  if (healthcheck?.test === undefined) return undefined;
  return {
    test: healthcheck.test,
    interval: millisecondsOf(healthcheck.interval),
    timeout: millisecondsOf(healthcheck.timeout),
    retries: healthcheck.retries || undefined,
    start_period: millisecondsOf(healthcheck.start_period),
    start_interval: millisecondsOf(healthcheck.start_interval),
  };
}

function optionsOf(service: Service): Meaning {
  return {
    user: service.user,
    working_dir: service.working_dir,
    init: service.init,
    read_only: service.read_only,
    tty: service.tty,
    stdin_open: service.stdin_open,
    group_add: service.group_add?.toSorted(),
    cap_add: capabilitiesOf(service.cap_add),
    cap_drop: capabilitiesOf(service.cap_drop),
    security_opt: securityOf(service.security_opt ?? []),
    sysctls: service.sysctls,
  };
}

function limitsOf(service: Service): Meaning {
  const limits = service.deploy?.resources?.limits;
  const kept = service.deploy?.resources?.reservations;
  return {
    ulimits: Object.fromEntries(
      Object.entries(service.ulimits ?? {}).map(([name, value]) => [
        name,
        typeof value === 'number' ? `${value}:${value}` : `${value.soft}:${value.hard}`,
      ]),
    ),
    cpus: numberOf(limits?.cpus ?? service.cpus),
    mem_limit: numberOf(limits?.memory ?? service.mem_limit),
    mem_reservation: numberOf(kept?.memory ?? service.mem_reservation),
    pids_limit: numberOf(limits?.pids ?? service.pids_limit),
  };
}

/** Names that other services have for it. */
const linkedNames = (name: string, services: Record<string, Service>): string[] =>
  Object.values(services).flatMap(({ links }) =>
    (links ?? []).flatMap((link) => {
      const [service = '', alias = service] = link.split(':');
      return service === name && alias !== name ? [alias] : [];
    }),
  );

const filesOf = (files: Service['configs'], base: string): string[] | undefined =>
  files
    ?.map(({ source: name, target = name, mode }) => {
      const path = target.startsWith('/') ? target : `${base}${target}`;
      return mode === undefined ? path : `${path} ${mode}`;
    })
    .toSorted();

function restartOf({ restart, deploy }: Service): string {
  const condition = deploy?.restart_policy?.condition;
  const word = condition === undefined ? (restart ?? 'no') : condition;
  if (/^(?:any|always|unless-stopped)$/.test(word)) return 'always';
  return word.startsWith('on-failure') ? 'on-failure' : 'no';
}

function securityOf(options: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const option of options) {
    const [, name = '', value = 'true'] = /^([a-z-]+)(?:[:=](.*))?$/.exec(option) ?? [];
    if (name === 'no-new-privileges') found[name] = value === 'true';
    if (name === 'apparmor' && value !== 'docker-default') found[name] = value;
    if (name === 'seccomp' && value !== 'builtin') found[name] = value === 'unconfined' ? value : 'a profile';
  }
  return found;
}

const capabilitiesOf = (names: Service['cap_add']): string[] | undefined =>
  names?.map((name) => name.toUpperCase().replace(/^(?!CAP_|ALL$)/, 'CAP_')).toSorted();

const numberOf = (value: string | number | undefined): number | undefined =>
  value === undefined || Number(value) === 0 ? undefined : Number(value);

const units: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  ns: 1e-6,
};

/** A duration as Go writes it ("1m30s"), in milliseconds. */
function millisecondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return [...text.matchAll(/([0-9.]+)(h|ms|m|us|µs|ns|s)/g)].reduce(
    (sum, [, number, unit = 's']) => sum + Number(number) * (units[unit] ?? 0),
    0,
  );
}
