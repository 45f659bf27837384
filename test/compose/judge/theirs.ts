/** What docker compose makes of a file: its `config`, the form in which it goes to the engine. */
import { execFile } from 'node:child_process';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ownPath, trimmed, type Meaning, type Meanings } from './meaning.ts';

const run = promisify(execFile);
const limitMs = 60_000;

const texts = z.array(z.string()).nullish();
const pairs = z.record(z.string(), z.string().nullable()).nullish();
const amount = z.union([z.string(), z.number()]);
const resources = z.object({ cpus: amount, memory: amount, pids: z.number() }).partial().nullish();
const source = z.object({ source: z.string(), target: z.string().optional(), mode: z.string().optional() });

const serviceShape = z.object({
  image: z.string().optional(),
  build: z
    .object({
      context: z.string(),
      dockerfile: z.string().optional(),
      dockerfile_inline: z.string().optional(),
      target: z.string().optional(),
      args: pairs,
    })
    .nullish(),
  command: texts,
  entrypoint: texts,
  environment: pairs,
  volumes: z
    .array(
      z.object({
        type: z.string(),
        source: z.string().optional(),
        target: z.string(),
        read_only: z.boolean().optional(),
      }),
    )
    .nullish(),
  tmpfs: texts,
  ports: z
    .array(
      z.object({
        target: z.number(),
        published: z.string().optional(),
        protocol: z.string().optional(),
        host_ip: z.string().optional(),
      }),
    )
    .nullish(),
  depends_on: z.record(z.string(), z.object({ condition: z.string(), required: z.boolean() })).nullish(),
  restart: z.string().optional(),
  healthcheck: z
    .object({
      test: z.array(z.string()).optional(),
      disable: z.boolean().optional(),
      interval: z.string().optional(),
      timeout: z.string().optional(),
      retries: z.number().optional(),
      start_period: z.string().optional(),
      start_interval: z.string().optional(),
    })
    .nullish(),
  user: z.string().optional(),
  working_dir: z.string().optional(),
  hostname: z.string().optional(),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  tty: z.boolean().optional(),
  stdin_open: z.boolean().optional(),
  stop_signal: z.string().optional(),
  group_add: texts,
  extra_hosts: texts,
  dns: texts,
  dns_search: texts,
  dns_opt: texts,
  cap_add: texts,
  cap_drop: texts,
  security_opt: texts,
  ulimits: z
    .record(z.string(), z.union([z.number(), z.object({ soft: z.number(), hard: z.number() })]))
    .nullish(),
  sysctls: pairs,
  labels: pairs,
  logging: z.object({ driver: z.string().optional(), options: pairs }).nullish(),
  stop_grace_period: z.string().optional(),
  shm_size: z.string().optional(),
  scale: z.number().optional(),
  cpus: z.number().optional(),
  mem_limit: z.string().optional(),
  mem_reservation: z.string().optional(),
  pids_limit: z.number().optional(),
  container_name: z.string().optional(),
  links: texts,
  networks: z.record(z.string(), z.object({ aliases: texts }).nullable()).nullish(),
  configs: z.array(source).nullish(),
  secrets: z.array(source).nullish(),
  deploy: z
    .object({
      replicas: z.number().optional(),
      labels: pairs,
      resources: z.object({ limits: resources, reservations: resources }).partial().optional(),
      restart_policy: z.object({ condition: z.string().optional() }).nullish(),
    })
    .nullish(),
});
type Service = z.infer<typeof serviceShape>;

const fileShape = z.object({
  services: z.record(z.string(), serviceShape).optional(),
  volumes: z
    .record(z.string(), z.object({ name: z.string(), external: z.boolean().optional(), driver_opts: pairs }))
    .nullish(),
});

/** What `docker compose config` says of the file in the folder; a text where it refuses. */
export async function theirs(program: string, folder: string): Promise<Meanings | string> {
  const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' };
  const argv = ['-p', 'shop', '-f', 'compose.yml', 'config', '--format', 'json'];
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
      meaningOf(name, service, file, folder),
    ]),
  );
}

function meaningOf(
  name: string,
  service: Service,
  { services = {}, volumes }: z.infer<typeof fileShape>,
  folder: string,
): Meaning {
  const own = (path: string): string => {
    const relative = posix.relative(folder, path);
    return relative.startsWith('..') ? `bind:${trimmed(path)}` : `own:${ownPath(relative)}`;
  };
  const limits = service.deploy?.resources?.limits;
  const kept = service.deploy?.resources?.reservations;
  return {
    image: service.build ? undefined : service.image,
    build: service.build && {
      context: ownPath(posix.relative(folder, service.build.context)),
      dockerfile: service.build.dockerfile_inline === undefined ? service.build.dockerfile : undefined,
      inline: service.build.dockerfile_inline,
      target: service.build.target,
      args: service.build.args,
    },
    command: service.command ?? undefined,
    entrypoint: service.entrypoint ?? undefined,
    environment: service.environment,
    volumes: [
      ...(service.volumes ?? []).map(({ type, source: from, target, read_only: readOnly }) => {
        const named = from === undefined ? undefined : volumes?.[from];
        const device = named?.driver_opts?.['device'];
        const what =
          named?.driver_opts?.['type'] === 'tmpfs'
            ? 'tmpfs'
            : type === 'bind' || named?.driver_opts?.['o'] === 'bind'
              ? own(device ?? from ?? '')
              : type === 'volume'
                ? `volume:${named === undefined || named.name === `shop_${from}` ? (from ?? '') : `=${named.name}`}`
                : 'tmpfs';
        return `${what} ${trimmed(target)}${readOnly === true ? ' ro' : ''}`;
      }),
      ...(service.tmpfs ?? []).map((text) => `tmpfs ${trimmed(text.split(':')[0] ?? '')}`),
    ].toSorted(),
    isServer: (service.ports ?? []).length > 0 || service.healthcheck?.test !== undefined,
    ports: (service.ports ?? [])
      .filter(
        ({ published, host_ip: address = '' }) => published !== undefined && !/^(127\.|::1)/.test(address),
      )
      .map(({ published, target, protocol = 'tcp' }) => `${published}:${target}/${protocol}`)
      .toSorted(),
    depends_on: Object.fromEntries(
      Object.entries(service.depends_on ?? {})
        .filter(([name, { required }]) => required || name in services)
        .map(([name, { condition }]) => [name, condition.replace(/^service_|_successfully$/g, '')]),
    ),
    restart: restartOf(service),
    healthcheck:
      service.healthcheck?.disable === true || service.healthcheck?.test?.[0] === 'NONE'
        ? 'disabled'
        : service.healthcheck?.test && {
            test: service.healthcheck.test,
            interval: millisecondsOf(service.healthcheck.interval),
            timeout: millisecondsOf(service.healthcheck.timeout),
            retries: service.healthcheck.retries,
            start_period: millisecondsOf(service.healthcheck.start_period),
            start_interval: millisecondsOf(service.healthcheck.start_interval),
          },
    user: service.user,
    working_dir: service.working_dir,
    hostname: service.hostname,
    init: service.init,
    read_only: service.read_only,
    tty: service.tty,
    stdin_open: service.stdin_open,
    stop_signal: service.stop_signal,
    group_add: service.group_add?.toSorted(),
    extra_hosts: service.extra_hosts?.toSorted(),
    dns: service.dns,
    dns_search: service.dns_search,
    dns_opt: service.dns_opt,
    cap_add: capabilitiesOf(service.cap_add),
    cap_drop: capabilitiesOf(service.cap_drop),
    security_opt: service.security_opt?.some((option) => /^no-new-privileges(?:[:=]true)?$/.test(option)),
    ulimits: Object.fromEntries(
      Object.entries(service.ulimits ?? {}).map(([name, value]) => [
        name,
        typeof value === 'number' ? `${value}:${value}` : `${value.soft}:${value.hard}`,
      ]),
    ),
    sysctls: service.sysctls,
    labels: { ...service.labels, ...service.deploy?.labels },
    logging: service.logging && {
      driver: service.logging.driver ?? 'json-file',
      options: service.logging.options,
    },
    stop_grace_period: millisecondsOf(service.stop_grace_period),
    shm_size: service.shm_size === undefined ? undefined : Number(service.shm_size),
    scale: service.deploy?.replicas ?? service.scale ?? 1,
    cpus: numberOf(limits?.cpus ?? service.cpus),
    mem_limit: numberOf(limits?.memory ?? service.mem_limit),
    mem_reservation: numberOf(kept?.memory ?? service.mem_reservation),
    pids_limit: numberOf(limits?.pids ?? service.pids_limit),
    aliases: [
      ...new Set([
        ...Object.values(service.networks ?? {}).flatMap((network) => network?.aliases ?? []),
        ...(service.container_name === undefined ? [] : [service.container_name]),
        ...linkedNames(name, services),
      ]),
    ].toSorted(),
    configs: filesOf(service.configs, '/'),
    secrets: filesOf(service.secrets, '/run/secrets/'),
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
