/** Turns a planned service into the specification for the engine. Pure. */
import { posix } from 'node:path';
import { composeServiceLabel } from '../../domain/names/labels.ts';
import { composeServiceName } from '../../domain/names/names.ts';
import { composeRef } from '../../domain/names/service-ref.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import type { PlannedMount, PlannedPort, PlannedService } from '../../modules/compose/translation/plan.ts';
import { isMountable, volumeOfPath } from '../../modules/compose/translation/mounts.ts';
import { volumeNameOf } from '../../modules/mount/mount.ts';
import { onPresentVolumes } from '../../domain/names/restored-volumes.ts';
import { serverNetwork, type ServiceSpec } from '../../ports/engine/engine.ts';
import type { HealthCheck } from '../../ports/engine/health-check.ts';
import { newestDefaults } from '../../ports/engine/spec-defaults.ts';
import type { ServiceMount } from '../../ports/engine/service-mount.ts';
import type { Placement } from '../context.ts';
import {
  healthCheckOf,
  monitorMs,
  monitorMsOf,
  portsThatListen,
  probeTarget,
  type HealthInputs,
} from '../release/health-check.ts';
import type { DomainRecord, MountRecord } from '../release/release-inputs.ts';
import type { DescribedSpec } from '../spec/service-spec.ts';
import { filesOf, serviceLabels, serviceMount, volumeLabels } from '../spec/spec-parts.ts';

/**
 * A mount whose source is known: `copy` is a folder or file of the repository on this server, `file` a text.
 */
export type KnownMount =
  | Exclude<PlannedMount, { type: 'own' | 'volume' }>
  /** `carries`: the folder whose files come into it. */
  | (Extract<PlannedMount, { type: 'volume' }> & { carries?: string })
  | { type: 'copy'; path: string; target: string; readOnly: boolean }
  | { type: 'file'; target: string; content: string };

export interface ComposeSpecInputs {
  compose: Pick<
    ComposeRecord,
    'composeId' | 'organizationId' | 'appName' | 'composeType' | 'randomize' | 'suffix' | 'restoredVolumes'
  >;
  placement: Placement;
  service: PlannedService;
  deploymentId: string;
  image: string;
  imageHasHealthCheck: boolean;
  calmerHealthCheck?: HealthCheck | undefined;
  /** Paths that the image declares to be volumes. */
  imageVolumes: readonly string[];
  /** Of the live release of this service: what it has, it keeps. */
  formerMounts: readonly Pick<ServiceMount, 'type' | 'source' | 'target'>[];
  env: Record<string, string>;
  /** `internal` is there when a service of the file is on an internal network. */
  networks: { own: string; environment: string; internal?: string; mtu?: number | undefined };
  /** Domains that lead to this service. */
  domains: DomainRecord[];
  mounts: KnownMount[];
  /** Mounts of the record. Each service has them, except at a path where its file mounts something else. */
  recordMounts: MountRecord[];
  files: ServiceSpec['files'];
  ports: PlannedPort[];
  nodeId: string;
  probePath: string;
}

const defaultGraceMs = 10_000;

/** The labels by which other programs find the containers, for each of the two types (decisions 10). */
const typeLabels = {
  compose: (appName: string, service: string) => ({
    'com.docker.compose.project': appName,
    'com.docker.compose.service': service,
  }),
  stack: (appName: string) => ({ 'com.docker.stack.namespace': appName }),
} satisfies Record<
  ComposeRecord['composeType'],
  (appName: string, service: string) => Record<string, string>
>;

export function composeServiceSpec(inputs: ComposeSpecInputs): DescribedSpec {
  const { compose, service } = inputs;
  const suffix = compose.randomize ? compose.suffix : '';
  const { mounts, files, declared } = filesAndMounts(inputs, suffix);
  const hold = holdOf(inputs, mounts);
  const stopsFirst = hold.what !== undefined;
  return {
    notes: [
      ...declared
        .filter(({ source }) => !inputs.formerMounts.some((former) => former.source === source))
        .map(
          ({ target, source }) =>
            `${target}, which its image declares to be a volume, is kept from now on, as ${source}.`,
        ),
      ...(stopsFirst && service.updateOrder !== 'stop-first' && !service.isOneShot
        ? [
            `the old version stops before the new one starts: it has ${hold.what} that two versions ` +
              'cannot use at the same time.',
          ]
        : []),
    ],
    spec: {
      ...identityOf(inputs, suffix),
      release: inputs.deploymentId,
      defaults: newestDefaults,
      env: Object.entries(inputs.env).map(([key, value]) => `${key}=${value}`),
      command: service.entrypoint,
      args: service.command,
      container: service.container,
      replicas: service.replicas,
      limits: service.limits,
      reservations: service.reservations,
      mounts: [...mounts, { type: 'bind', source: inputs.probePath, target: probeTarget, readOnly: true }],
      files,
      ports: inputs.ports,
      healthCheck: healthOf(inputs),
      updateOrder: stopsFirst ? 'stop-first' : (service.updateOrder ?? 'start-first'),
      updatePace: service.updatePace,
      monitorMs: service.monitorMs ?? watchOf(inputs),
      restartDelayMs: service.restartDelayMs,
      ...(service.mayEnd && !service.isOneShot ? { restart: 'on-failure' as const } : {}),
      stopGracePeriodMs: service.stopGracePeriodMs ?? defaultGraceMs,
      constraints: hold.isPinned
        ? [...service.constraints, `node.id==${inputs.nodeId}`]
        : service.constraints,
      ...(service.spreadOver.length > 0 ? { spreadOver: service.spreadOver } : {}),
      maxReplicasPerNode: service.maxReplicasPerNode,
      logging: service.logging,
      sysctls: service.sysctls,
    },
  };
}

/** Its name on the engine, its aliases in networks, and the labels that say to whom it belongs. */
function identityOf(
  { compose, service, networks, image, placement }: ComposeSpecInputs,
  suffix: string,
): Pick<ServiceSpec, 'name' | 'image' | 'labels' | 'networks' | 'networkMtu' | 'aliases'> {
  const withSuffix = suffix === '' ? [] : [`${service.name}-${suffix}`];
  return {
    name: composeServiceName(compose.appName, service.name, suffix),
    image,
    labels: {
      ...service.labels,
      ...typeLabels[compose.composeType](compose.appName, service.name),
      ...serviceLabels(ownerOf(compose), placement),
      [composeServiceLabel]: service.name,
    },
    ...joined(service, networks, [...new Set([service.name, ...withSuffix, ...service.aliases])]),
  };
}

/** The networks that it joins, and its names there. */
function joined(
  { inside, network }: PlannedService,
  { own, environment, internal, mtu }: ComposeSpecInputs['networks'],
  names: string[],
): Pick<ServiceSpec, 'networks' | 'networkMtu' | 'aliases'> {
  if (network === serverNetwork) return { networks: [serverNetwork] };
  const outer = inside === 'only' ? [] : [own, environment];
  const inner = inside === undefined || internal === undefined ? [] : [internal];
  return {
    networks: [...outer, ...inner],
    networkMtu: mtu,
    aliases: Object.fromEntries(
      [...outer, ...inner].filter((name) => name !== environment).map((name) => [name, names]),
    ),
  };
}

const ownerOf = ({ composeId, organizationId }: Pick<ComposeRecord, 'composeId' | 'organizationId'>) => ({
  ...composeRef(composeId),
  organizationId,
});

/** The mounts of the file, and those of the record at other paths. */
function filesAndMounts(
  inputs: ComposeSpecInputs,
  suffix: string,
): Pick<ServiceSpec, 'mounts' | 'files'> & { declared: ServiceMount[] } {
  const owner = ownerOf(inputs.compose);
  const taken = new Set([
    ...inputs.mounts.map(({ target }) => target),
    ...inputs.files.map(({ path }) => path),
  ]);
  const recordMounts = inputs.recordMounts.filter(({ mountPath }) => !taken.has(mountPath));
  const present = (mounts: ServiceMount[]): ServiceMount[] =>
    onPresentVolumes(mounts, owner, inputs.compose.restoredVolumes);
  const named = present([
    ...inputs.mounts.flatMap((mount) => engineMount(mount, { inputs, suffix, owner, present })),
    ...recordMounts.filter(({ type }) => type !== 'file').map((mount) => serviceMount(mount, owner)),
  ]);
  const declared = present(
    declaredPaths(inputs.imageVolumes)
      .filter((target) => !taken.has(target) && !recordMounts.some(({ mountPath }) => mountPath === target))
      .map((target) =>
        ownVolume(
          { name: volumeOfPath(target), target, readOnly: false },
          { service: inputs.service, suffix, owner },
        ),
      ),
  );
  return {
    declared,
    mounts: [...named, ...declared],
    files: [
      ...inputs.files,
      ...inputs.mounts.flatMap((mount) =>
        mount.type === 'file' ? [{ path: mount.target, content: mount.content }] : [],
      ),
      ...filesOf(recordMounts),
    ],
  };
}

/** What only one version at a time can hold, and whether the service must stay on its node. */
function holdOf(
  inputs: ComposeSpecInputs,
  mounts: ServiceSpec['mounts'],
): { what: string | undefined; isPinned: boolean } {
  const holdsData = mounts.some(
    ({ type, readOnly, source }) =>
      type !== 'tmpfs' &&
      readOnly !== true &&
      !inputs.mounts.some((mount) => mount.type === 'copy' && mount.path === source),
  );
  const holdsPort =
    inputs.service.network === serverNetwork || inputs.ports.some(({ mode }) => mode === 'host');
  return {
    what: holdsData ? 'a volume or folder' : holdsPort ? 'a port of the server' : undefined,
    isPinned: holdsData || holdsPort || mounts.some(({ type }) => type !== 'tmpfs'),
  };
}

/**
 * The health check of the file, or that of the image, or Berth's probe of the ports that have to listen. With
 * a check that the file turns off a version has to run for a while, and nothing is asked of its program. A
 * service that runs once has none but its image's.
 */
function healthOf(inputs: ComposeSpecInputs): HealthCheck | undefined {
  const { service, calmerHealthCheck } = inputs;
  if (service.isOneShot) return calmerHealthCheck;
  const { healthCheck } = service;
  return healthCheck === undefined || healthCheck === 'disabled'
    ? healthCheckOf(probedOf(inputs))
    : healthCheck;
}

/** How long the engine watches new tasks once they are healthy, in milliseconds. */
function watchOf(inputs: ComposeSpecInputs): number {
  const { isOneShot, healthCheck } = inputs.service;
  const isProbed = !isOneShot && (healthCheck === undefined || healthCheck === 'disabled');
  return isProbed ? monitorMsOf(probedOf(inputs)) : monitorMs;
}

/** Without a check of the file. */
function probedOf({ service, domains, ports, ...image }: ComposeSpecInputs): HealthInputs {
  if (service.healthCheck === 'disabled') return { own: null, imageHasHealthCheck: false, targetPorts: [] };
  const { imageHasHealthCheck, calmerHealthCheck } = image;
  const targetPorts = portsThatListen(domains, ports);
  return { own: null, imageHasHealthCheck, calmerHealthCheck, targetPorts };
}

type Owner = ReturnType<typeof composeRef> & { organizationId: string };

/** Where an image may have a volume; the rest belongs to the system. */
export const declaredPaths = (paths: readonly string[]): string[] => [
  ...new Set(paths.map((path) => posix.normalize(path).replace(/(.)\/$/, '$1')).filter(isMountable)),
];

/** A volume of this service and of each of its slots, for what has a path and no name. */
function ownVolume(
  { name, target, readOnly, of }: { name: string; target: string; readOnly: boolean; of?: string },
  { service, suffix, owner }: { service: PlannedService; suffix: string; owner: Owner },
): ServiceMount {
  const base = nameOf(`${of ?? service.name}-${name}`, suffix, owner);
  // Of another service it is the first task's, as docker compose takes its first container.
  const isAlone = of !== undefined || service.replicas <= 1;
  return {
    type: 'volume',
    source: isAlone ? `${base}-1` : base,
    target,
    readOnly,
    labels: volumeLabels(owner),
    ...(isAlone ? {} : { perSlot: true as const }),
  };
}

const nameOf = (name: string, suffix: string, owner: Owner): string =>
  volumeNameOf({
    applicationId: null,
    databaseId: null,
    composeId: owner.serviceId,
    volumeName: suffix === '' ? name : `${name}-${suffix}`,
  });

interface Around {
  inputs: ComposeSpecInputs;
  suffix: string;
  owner: Owner;
  /** The volumes of now in the place of those that restores replaced. */
  present(mounts: ServiceMount[]): ServiceMount[];
}

function engineMount(mount: KnownMount, { inputs, suffix, owner, present }: Around): ServiceMount[] {
  const { target } = mount;
  switch (mount.type) {
    case 'file':
      return [];
    case 'tmpfs':
      return [
        {
          type: 'tmpfs',
          source: '',
          target,
          readOnly: mount.readOnly,
          sizeBytes: mount.sizeBytes,
          mode: mount.mode,
        },
      ];
    case 'volume': {
      const named: ServiceMount = {
        type: 'volume',
        source: mount.isForeign ? mount.name : nameOf(mount.name, suffix, owner),
        target,
        readOnly: mount.readOnly,
        labels: mount.isForeign ? {} : volumeLabels(owner),
        ...(mount.driverOptions && { driverOptions: mount.driverOptions }),
      };
      if (mount.isUnnamed !== true) return [named];
      // Up to 0.1.0 services shared what had a path alone: who has its data there keeps it.
      const [former] = present([named]);
      const keeps = inputs.formerMounts.some(
        (each) => each.type === 'volume' && each.target === target && each.source === former?.source,
      );
      return [keeps ? named : ownVolume({ ...mount, target }, { service: inputs.service, suffix, owner })];
    }
    case 'bind':
    case 'copy':
      return [{ type: 'bind', source: mount.path, target, readOnly: mount.readOnly }];
  }
}
