/**
 * The dangers of a service, from the plan of its compose file or from what the engine is asked for: the same
 * list from both. Every part of either is named here, so that a new one does not compile until somebody has
 * looked at it. Pure.
 */
import { composeServiceLabel } from '../../domain/names/labels.ts';
import { createHash } from 'node:crypto';
import { builtHere, canonical, everyService, type Access, type Danger } from '../../domain/access/danger.ts';
import { builtPrefix, imageName } from '../../domain/names/image-reference.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import { pathContains } from '../../domain/names/server-path.ts';
import {
  serverNetwork,
  unconfined,
  type ContainerOptions,
  type ServiceSpec,
} from '../../ports/engine/engine.ts';
import type { ComposePlan, PlannedService } from '../compose/translation/plan.ts';
import { excessesOf, isSmallMemory, type Extent } from './excess.ts';

type Look = 'harmless' | 'looked at';

/** Of what the engine is asked for. */
const partsOfSpec = {
  name: 'harmless',
  image: 'looked at',
  labels: 'harmless',
  defaults: 'harmless',
  release: 'harmless',
  env: 'harmless',
  command: 'looked at',
  args: 'looked at',
  networks: 'looked at',
  networkMtu: 'harmless',
  aliases: 'harmless',
  container: 'looked at',
  replicas: 'harmless',
  limits: 'looked at',
  reservations: 'harmless',
  mounts: 'looked at',
  files: 'harmless',
  ports: 'looked at',
  healthCheck: 'harmless',
  updateOrder: 'harmless',
  monitorMs: 'harmless',
  stopGracePeriodMs: 'harmless',
  constraints: 'harmless',
  spreadOver: 'harmless',
  maxReplicasPerNode: 'harmless',
  updatePace: 'harmless',
  restartDelayMs: 'harmless',
  restart: 'harmless',
  logging: 'looked at',
  sysctls: 'looked at',
  registryAuth: 'harmless',
} as const satisfies Record<keyof ServiceSpec, Look>;

const partsOfContainer = {
  hostname: 'harmless',
  user: 'looked at',
  groups: 'looked at',
  workingDirectory: 'harmless',
  init: 'harmless',
  readOnly: 'harmless',
  tty: 'harmless',
  stdinOpen: 'harmless',
  stopSignal: 'harmless',
  hosts: 'harmless',
  dns: 'harmless',
  capabilitiesAdded: 'looked at',
  capabilitiesDropped: 'harmless',
  ulimits: 'looked at',
  noNewPrivileges: 'harmless',
  seccomp: 'looked at',
  apparmor: 'looked at',
} as const satisfies Record<keyof ContainerOptions, Look>;

const partsOfPlan = {
  name: 'harmless',
  image: 'looked at',
  build: 'looked at',
  pull: 'harmless',
  entrypoint: 'looked at',
  command: 'looked at',
  envFiles: 'harmless',
  environment: 'harmless',
  dependsOn: 'harmless',
  healthCheck: 'harmless',
  isOneShot: 'harmless',
  retries: 'harmless',
  mayEnd: 'harmless',
  replicas: 'harmless',
  limits: 'looked at',
  reservations: 'harmless',
  ports: 'looked at',
  mounts: 'looked at',
  // Their mounts are among its own by now.
  volumesFrom: 'harmless',
  files: 'harmless',
  labels: 'harmless',
  aliases: 'harmless',
  inside: 'harmless',
  network: 'looked at',
  container: 'looked at',
  sysctls: 'looked at',
  logging: 'looked at',
  stopGracePeriodMs: 'harmless',
  updateOrder: 'harmless',
  updatePace: 'harmless',
  monitorMs: 'harmless',
  restartDelayMs: 'harmless',
  constraints: 'harmless',
  spreadOver: 'harmless',
  maxReplicasPerNode: 'harmless',
} as const satisfies Record<keyof PlannedService, Look>;

/** How many parts were looked at, for the test that a planted danger in each is found. */
export const lookedAt = [partsOfSpec, partsOfContainer, partsOfPlan].map(
  (parts) => Object.values(parts).filter((look) => look === 'looked at').length,
);

/** What Berth itself mounts into a service. */
export interface OwnMounts {
  /** The health probe. */
  probePath: string;
  /** Folder with a folder per compose service, for what its repository has. */
  keptFolder: string;
}

/** The dangers of what the engine is asked for; of an application or database for every service. */
export function dangersOfSpec(
  spec: ServiceSpec,
  owner: ServiceRef,
  { probePath, keptFolder }: OwnMounts,
): Danger[] {
  const isOwnBind = (source: string): boolean =>
    source === probePath ||
    (owner.kind === 'compose' && pathContains(`${keptFolder}/${owner.serviceId}`, source));
  const isOwnVolume = (name: string): boolean =>
    name === '' ||
    name === `berth-data-${owner.serviceId}` ||
    name.startsWith(`berth-${owner.serviceId}-`) ||
    name.startsWith(`berth-data-${owner.serviceId}-`) ||
    // What a restore made (modules/backup/restore.ts); nobody else names volumes of databases.
    (owner.kind === 'database' && name.startsWith(`${owner.serviceId}-`));
  const powers: Powers = {
    binds: spec.mounts.filter(({ type, source }) => type === 'bind' && !isOwnBind(source)).map(reached),
    volumes: spec.mounts.filter(({ type, source }) => type === 'volume' && !isOwnVolume(source)).map(reached),
    capabilities: spec.container?.capabilitiesAdded,
    sysctls: spec.sysctls,
    ports: spec.ports,
    logging: spec.logging,
    network: spec.networks.includes(serverNetwork) ? serverNetwork : undefined,
    security: spec.container,
    drivers: spec.mounts.map(({ driverOptions }) => driverOptions),
  };
  if (owner.kind !== 'compose') return dangersIn({ service: everyService }, powers);
  const { image, command, args, container, limits, mounts, logging } = spec;
  return dangersIn(
    {
      service: spec.labels[composeServiceLabel] ?? spec.name,
      image: image.startsWith(builtPrefix) ? builtHere : imageName(image),
      start: startOf(container, command, args),
    },
    powers,
    { limits, logging, ulimits: container?.ulimits, mounts },
  );
}

const reached = ({ source, readOnly }: { source: string; readOnly?: boolean }): Reached => ({
  value: source,
  access: accessOf(readOnly),
});
const accessOf = (readOnly: boolean | undefined): Access => (readOnly === true ? 'read-only' : 'writable');

/** As a digest: a command may hold passwords, and what is approved is shown. */
function startOf(
  container: ContainerOptions | undefined,
  entrypoint: readonly string[] | undefined,
  command: readonly string[] | undefined,
): string {
  const parts = [container?.user, container?.groups, entrypoint, command].map((part) => part ?? null);
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * The dangers of a compose file as its variables make it. The file of a repository may change how a service
 * starts: see `asApproved`.
 */
export function dangersOfPlan({ services }: Pick<ComposePlan, 'services'>): Danger[] {
  return canonical(services.flatMap(dangersOfPlanned));
}

function dangersOfPlanned(service: PlannedService): Danger[] {
  const { name, image, build, entrypoint, command, container, limits, mounts, ports, sysctls, logging } =
    service;
  return dangersIn(
    {
      service: name,
      image: build ? builtHere : imageName(image ?? ''),
      start: startOf(container, entrypoint, command),
    },
    {
      binds: mounts.flatMap((mount) =>
        mount.type === 'bind' ? [{ value: mount.path, access: accessOf(mount.readOnly) }] : [],
      ),
      volumes: mounts.flatMap((mount) =>
        mount.type === 'volume' && mount.isForeign
          ? [{ value: mount.name, access: accessOf(mount.readOnly) }]
          : [],
      ),
      capabilities: container.capabilitiesAdded,
      sysctls,
      ports,
      logging,
      network: service.network,
      security: container,
      drivers: mounts.map((mount) => (mount.type === 'volume' ? mount.driverOptions : undefined)),
    },
    { limits, logging, ulimits: container.ulimits, mounts },
  );
}

interface Reached {
  value: string;
  access?: Access;
}

interface Powers {
  binds: readonly Reached[];
  volumes: readonly Reached[];
  capabilities: readonly string[] | undefined;
  sysctls: Readonly<Record<string, string>> | undefined;
  ports: readonly { published: number; protocol: string }[];
  logging: { driver: string; options: Readonly<Record<string, string>> } | undefined;
  network: string | undefined;
  security: Pick<ContainerOptions, 'seccomp' | 'apparmor'> | undefined;
  /** Of volumes that are made on the way. */
  drivers: readonly (Readonly<Record<string, string>> | undefined)[];
}

/** What the engine gives every container (moby, oci/caps/defaults.go); who drops all gives some back. */
const ordinaryCapabilities: ReadonlySet<string> = new Set(
  [
    'CHOWN',
    'DAC_OVERRIDE',
    'FSETID',
    'FOWNER',
    'MKNOD',
    'NET_RAW',
    'SETGID',
    'SETUID',
    'SETFCAP',
    'SETPCAP',
    'NET_BIND_SERVICE',
    'SYS_CHROOT',
    'KILL',
    'AUDIT_WRITE',
  ].map((name) => `CAP_${name}`),
);
/** They say which time it is here, to anybody who reads them. */
const clockFiles: ReadonlySet<string> = new Set(['/etc/localtime', '/etc/timezone']);

/** Drivers that write files of bounded size here, or nothing. */
const harmlessDrivers: ReadonlySet<string> = new Set(['json-file', 'local', 'none']);
const administering: ReadonlySet<string> = new Set(['CAP_NET_ADMIN', 'ALL']);
/** Whoever may administer a network may forward in it. */
const forwarding = 'net.ipv4.ip_forward=1';
/** Whoever publishes one below it needs host reach. */
export const firstFreePort = 1024;

function dangersIn(
  of: Pick<Danger, 'service' | 'image' | 'start'>,
  { binds, volumes, capabilities, sysctls, ports, logging, network, security, drivers }: Powers,
  extent?: Extent,
): Danger[] {
  const all = (what: Danger['what'], found: readonly (string | Reached)[]): Danger[] =>
    found.map((one) => ({ ...of, what, ...(typeof one === 'string' ? { value: one } : one) }));
  return canonical([
    ...all(
      'bind',
      binds.filter(({ value, access }) => !(access === 'read-only' && clockFiles.has(value))),
    ),
    ...all('volume', volumes),
    ...all(
      'capability',
      (capabilities ?? []).filter((name) => !ordinaryCapabilities.has(name)),
    ),
    ...all(
      'sysctl',
      Object.entries(sysctls ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .filter(
          (setting) => setting !== forwarding || !capabilities?.some((each) => administering.has(each)),
        ),
    ),
    ...all(
      'port',
      ports.flatMap(({ published, protocol }) =>
        published < firstFreePort ? [`${published}/${protocol}`] : [],
      ),
    ),
    ...all(
      'logging',
      logging === undefined || harmlessDrivers.has(logging.driver) ? [] : [optionsOf(logging)],
    ),
    ...all('network', network === undefined ? [] : [network]),
    ...all('security', securityOptions(security ?? {})),
    ...all(
      'driver',
      drivers.flatMap((options) =>
        options === undefined || isMemory(options) ? [] : [mountOptionsOf(options)],
      ),
    ),
    ...(extent ? excessesOf(extent).flatMap(({ what, value }) => all(what, [value])) : []),
  ]);
}

const optionsOf = ({ driver, options }: NonNullable<Powers['logging']>): string =>
  [driver, ...(Object.keys(options).length === 0 ? [] : [sorted(options)])].join(' ');

const sorted = (options: Readonly<Record<string, string>>): string =>
  Object.entries(options)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/**
 * Values that could be taken for more than one stand in quotes: another text is another danger. What is
 * approved is shown, so of a password there is its digest alone.
 */
const mountOptionsOf = (options: Readonly<Record<string, string>>): string =>
  sorted(
    Object.fromEntries(
      Object.entries(options)
        .map(([name, whole]): [string, string] => [name, withoutSecrets(whole)])
        .map(([name, value]) => [
          name,
          /[\s"=]/.test(value) && !/^[\w.,:=/-]+$/.test(value) ? JSON.stringify(value) : value,
        ]),
    ),
  );

const withoutSecrets = (options: string): string =>
  options.replace(
    /(?<=^|,)(pass|passwd|password2?|secret|token|key)=([^,]*)/gi,
    (_whole, name: string, value: string) => `${name}=${digestOfText(value).slice(0, 23)}`,
  );

/** Memory of bounded size, as a tmpfs of the file may have it. */
function isMemory({ type, device = '', o = '', ...others }: Readonly<Record<string, string>>): boolean {
  if (type !== 'tmpfs' || Object.keys(others).length > 0 || !['', 'tmpfs', 'none'].includes(device))
    return false;
  return o
    .split(',')
    .filter(Boolean)
    .every((flag) => {
      const [name = '', value = ''] = flag.split('=');
      return name === 'size'
        ? isSmallMemory(value)
        : /^(?:uid|gid|mode|nr_inodes|noexec|nosuid|nodev|rw|ro)$/.test(name);
    });
}

const digestOfText = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** A profile by its content, so that another one is another danger. */
function securityOptions({ seccomp, apparmor }: Pick<ContainerOptions, 'seccomp' | 'apparmor'>): string[] {
  return [
    ...(seccomp === undefined ? [] : [`seccomp=${seccomp === unconfined ? seccomp : digestOfText(seccomp)}`]),
    ...(apparmor === undefined ? [] : [`apparmor=${apparmor}`]),
  ];
}
