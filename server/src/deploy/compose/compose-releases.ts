/** Turns the plan into services for the engine, with everything that is only known on this server. */
import { badField } from '../../domain/errors.ts';
import { contentOf } from '../../modules/compose/translation/beside.ts';
import {
  isWebPort,
  requirePortsOnce,
  unpublishedNote,
  withoutWebPorts,
} from '../../modules/compose/translation/ports.ts';
import type { ComposePlan, PlannedPort, PlannedService } from '../../modules/compose/translation/plan.ts';
import { serverNetwork, type ServiceSpec } from '../../ports/engine/engine.ts';
import { secretValues } from '../log-secrets.ts';
import { fieldOf, type ComposeContext } from './compose-context.ts';
import { keptServices, type ComposeRelease } from './compose-snapshot.ts';
import type { DomainRecord } from '../release/release-inputs.ts';
import { environmentOf, type EnvironmentSource } from '../../modules/compose/translation/environment.ts';
import { composeServiceSpec, type KnownMount } from './compose-service-spec.ts';
import { knownMounts } from './mounts/known-mounts.ts';
import { missing, sourceText } from './mounts/source-text.ts';

/**
 * Every service as it will run. A service without a change keeps its release, so that it is not restarted.
 */
export async function composeReleases(
  context: ComposeContext,
  plan: ComposePlan,
  images: ReadonlyMap<string, string>,
): Promise<ComposeRelease[]> {
  const { compose, engine, networks, records, log } = context;
  const [info, domains, mounts, own, environment, live, { hasRoutingMesh: mesh }] = await Promise.all([
    engine.info(),
    records.domains(compose.composeId),
    records.mounts(compose.composeId),
    networks.ensureCompose(compose.composeId, plan.networkMtu),
    networks.ensureEnvironment(compose.environmentId),
    records.live(compose),
    context.host.facts(),
  ]);
  const former = byService(live ? keptServices(live.snapshot) : []);
  const services = plan.services.map((service) => published(context, service));
  await Promise.all([requireFreePorts(context, services), requireVolumes(context, services)]);
  refuseDomainsOnServer(context, domains, services);
  const releases: ComposeRelease[] = [];
  for (const planned of services) {
    const service = withDomains(planned, { domains, plan });
    const name = images.get(service.name) ?? '';
    const image = await engine.image(name);
    const known = await knownMounts(context, service, { plan, images });
    const env = await environmentOf(service, environmentSource(context));
    context.hide(secretValues(env));
    const { spec, notes } = composeServiceSpec({
      compose,
      placement: context.placement,
      service,
      deploymentId: context.deployment.deploymentId,
      image: name,
      imageHasHealthCheck: image?.hasHealthCheck ?? false,
      calmerHealthCheck: image?.calmerHealthCheck,
      imageVolumes: image?.volumes ?? [],
      formerMounts: former.get(service.name)?.spec.mounts ?? [],
      env,
      networks: { own, environment, ...(await internalOf(context, plan)), mtu: plan.networkMtu },
      domains: domains.filter(({ serviceName }) => serviceName === service.name),
      mounts: known,
      recordMounts: mounts,
      files: await filesOf(context, service),
      ports: mesh ? service.ports : withoutMesh(service, log),
      nodeId: info.nodeId,
      probePath: context.probePath,
    });
    for (const note of notes) log.line(`${service.name}: ${note}`);
    const release = { ...releaseOf(service, spec, image?.id ?? ''), ...carriedBy(context, known) };
    releases.push(unchanged(context, release, former.get(service.name)) ?? release);
  }
  return releases;
}

/** Files of the repository that stand in volumes. */
function carriedBy(
  { deployment: { commit } }: ComposeContext,
  mounts: readonly KnownMount[],
): Pick<ComposeRelease, 'carried'> {
  const carried = mounts.flatMap((mount) =>
    mount.type === 'volume' && mount.carries !== undefined
      ? [{ target: mount.target, copy: mount.carries, commit }]
      : [],
  );
  return carried.length === 0 ? {} : { carried };
}

const commitsOf = ({ carried }: ComposeRelease): string =>
  JSON.stringify(carried?.map(({ target, commit }) => [target, commit]));

const releaseOf = (
  { name, dependsOn, isOneShot, retries }: PlannedService,
  spec: ServiceSpec,
  imageId: string,
): ComposeRelease => ({
  service: name,
  spec,
  imageId,
  dependsOn,
  isOneShot,
  ...(retries > 0 ? { retries } : {}),
});

/**
 * Finds before anything is pulled or built what needs no image: ports and volumes that are not to be had, and
 * files that are not there.
 */
export async function requireSurroundings(context: ComposeContext, plan: ComposePlan): Promise<void> {
  const services = plan.services.map(withoutWebPorts(context.webPorts));
  await Promise.all([requireFreePorts(context, services), requireVolumes(context, services)]);
  refuseDomainsOnServer(context, await context.records.domains(context.compose.composeId), services);
  for (const service of services) {
    await environmentOf(service, environmentSource(context));
    await filesOf(context, service);
  }
}

/** A service that a domain leads to is a server, unless others wait for its end. */
function withDomains(
  service: PlannedService,
  { domains, plan }: { domains: readonly DomainRecord[]; plan: ComposePlan },
): PlannedService {
  const { name } = service;
  const isAwaited = plan.services.some(({ dependsOn }) =>
    dependsOn.some((dependency) => dependency.service === name && dependency.condition === 'completed'),
  );
  if (isAwaited || !domains.some(({ serviceName }) => serviceName === name)) return service;
  return { ...service, isOneShot: false, mayEnd: false };
}

/** The proxy finds services in networks of their own, and would answer 502 for one on the server's. */
function refuseDomainsOnServer(
  { compose }: ComposeContext,
  domains: readonly DomainRecord[],
  services: readonly PlannedService[],
): void {
  for (const { name, network } of services) {
    const domain = domains.find(({ serviceName }) => network === serverNetwork && serviceName === name);
    if (domain)
      throw badField(
        fieldOf(compose),
        `services.${name}.network_mode is host, and the domain ${domain.host} leads to ${name}; the proxy ` +
          'cannot reach it on the network of the server. Remove the domain, or take network_mode out',
      );
  }
}

/** The network of the services that are on internal ones, where the file has any. */
async function internalOf(
  { networks, compose }: ComposeContext,
  { services, networkMtu }: ComposePlan,
): Promise<{ internal?: string }> {
  return services.some(({ inside }) => inside !== undefined)
    ? { internal: await networks.ensureInternal(compose.composeId, networkMtu) }
    : {};
}

const byService = (releases: readonly ComposeRelease[]): ReadonlyMap<string, ComposeRelease> =>
  new Map(releases.map((release) => [release.service, release]));

function unchanged(
  { engine }: ComposeContext,
  release: ComposeRelease,
  former: ComposeRelease | undefined,
): ComposeRelease | undefined {
  if (
    !former ||
    release.isOneShot ||
    former.imageId !== release.imageId ||
    former.spec.name !== release.spec.name ||
    commitsOf(former) !== commitsOf(release)
  )
    return undefined;
  const same: ServiceSpec = { ...release.spec, release: former.spec.release };
  return engine.specDigest(same) === engine.specDigest(former.spec) &&
    JSON.stringify(same.ports) === JSON.stringify(former.spec.ports)
    ? { ...release, spec: same }
    : undefined;
}

/** Notes each port that is left out. */
function published({ webPorts, log }: ComposeContext, service: PlannedService): PlannedService {
  for (const port of service.ports.filter(isWebPort(webPorts))) log.line(unpublishedNote(service.name, port));
  return withoutWebPorts(webPorts)(service);
}

/** In host mode an engine publishes one port of the server for each of the container, and keeps the last. */
function withoutMesh({ name, ports }: PlannedService, log: ComposeContext['log']): PlannedPort[] {
  if (ports.some(({ mode }) => mode === 'ingress'))
    log.line(
      `${name}: the routing mesh does not work on this server, so its ports are published in host mode.`,
    );
  const kept = new Map<string, PlannedPort>();
  for (const port of ports) {
    const { target, protocol, published } = port;
    const first = kept.get(`${target}/${protocol}`);
    if (first === undefined) kept.set(`${target}/${protocol}`, { ...port, mode: 'host' });
    else
      log.line(
        `services.${name}.ports: ${published} is not published. Without the routing mesh the port ` +
          `${target} of a container can have one port of the server, here ${first.published}.`,
      );
  }
  return [...kept.values()];
}

/** The engine would make an empty one, and a misspelt name looked like lost data. */
async function requireVolumes(context: ComposeContext, services: readonly PlannedService[]): Promise<void> {
  for (const { name, mounts } of services)
    for (const mount of mounts) {
      if (mount.type !== 'volume' || !mount.isForeign || mount.mayBeMissing === true) continue;
      if (await context.engine.hasVolume(mount.name)) continue;
      throw badField(
        fieldOf(context.compose),
        `services.${name}.volumes: there is no volume ${mount.name} on this server, and the file says that ` +
          `it is external. Check the name, make it ("docker volume create ${mount.name}"), or take ` +
          '"external" out',
      );
    }
}

async function requireFreePorts(context: ComposeContext, services: readonly PlannedService[]): Promise<void> {
  const { compose, host } = context;
  requirePortsOnce(fieldOf(compose), services);
  for (const { name, ports } of services)
    for (const { published: port, protocol } of ports)
      await context.requireFreePort(host, { port, protocol, field: `services.${name}.ports`, compose });
}

const environmentSource = (context: ComposeContext): EnvironmentSource => ({
  field: fieldOf(context.compose),
  variables: context.variables,
  textOf: (path, where) => sourceText(context, path, where),
  missing: (path) => missing(context, path),
});

async function filesOf(context: ComposeContext, { files }: PlannedService): Promise<ServiceSpec['files']> {
  const beside = environmentSource(context);
  return Promise.all(
    files.map(async ({ source, target, where, isSecret, uid, gid, mode }) => ({
      path: target,
      content: await contentOf({ source, where }, beside),
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
      ...(mode === undefined ? {} : { mode }),
      ...(isSecret ? { isSecret: true as const } : {}),
    })),
  );
}
