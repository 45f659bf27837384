/** Joins records, adapters and settings into what deployments work with. */
import type { Config } from '../../config.ts';
import type { SourcePorts } from '../../deploy/application-deployer.ts';
import type { DeployRecords } from '../../deploy/context.ts';
import { composeSpec } from '../../deploy/spec/compose-spec.ts';
import { readSnapshot, writeSnapshot } from '../../deploy/snapshot.ts';
import { imageAuth } from '../../deploy/stages/checkout.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';
import { AppError } from '../../domain/errors.ts';
import { registryOf } from '../../domain/names/image-reference.ts';
import { parseCpus, parseMemory } from '../../domain/resources/resources.ts';
import type { Applications } from '../../modules/application/application.ts';
import { applicationVariables, blocksOf } from '../../deploy/inputs/application-inputs.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import type { Deployments } from '../../modules/deployment/deployment.ts';
import type { ImageAccess } from '../../modules/image/image.ts';
import type { HostReach } from '../../modules/host-reach/host-reach.ts';
import type { GitProviders } from '../../modules/git-provider/git-provider.ts';
import type { Registries } from '../../modules/registry/registry.ts';
import { createBuildServers } from '../../modules/server/placing.ts';
import type { SettingsService } from '../../modules/settings/settings.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import type { Host, Hosts } from '../../ports/host/host.ts';
import type { Adapters } from '../adapters.ts';
import { surroundingBlocks } from '../hosts/surrounding-blocks.ts';
import type { Stores } from '../stores.ts';

export interface DeployingParts {
  config: Config;
  adapters: Adapters;
  stores: Stores;
  applications: Applications;
  deployments: Deployments;
  registries: Registries;
  gitProviders: Pick<GitProviders, 'access'>;
  settings: SettingsService;
  hosts: Hosts;
  hostReach: Pick<HostReach, 'reachesHost'>;
  images: ImageAccess;
  clock: Clock;
  taskLabels: Record<string, string>;
}

/** Without the way to the routes, which only stages take. */
export type SharedPorts = Omit<SourcePorts, 'applyRoutes'>;

export function createDeployPorts(parts: DeployingParts): SharedPorts {
  const { adapters, clock, hosts, hostReach, images, settings, taskLabels } = parts;
  return {
    git: adapters.git,
    reachRegistry: adapters.outgoing.registry,
    images,
    clock,
    buildServers: createBuildServers(parts.stores.servers),
    hosts,
    taskLabels,
    records: createDeployRecords(parts),
    workRoot: adapters.folders.work,
    fileSystem: adapters.files,
    async settings() {
      const { buildMemory, buildCpu, minFreeDisk, keptImages } = await settings.get();
      return {
        buildMemoryBytes: parseMemory(buildMemory, 'buildMemory'),
        buildNanoCpus: parseCpus(buildCpu, 'buildCpu'),
        minFreeDisk,
        keptImages,
      };
    },
    localRepositoryPaths: async (organizationId) =>
      (await hostReach.reachesHost(organizationId)) ? (await settings.get()).localRepositoryPaths : [],
  };
}

export function createDeployRecords({
  stores,
  applications,
  deployments,
  registries,
  gitProviders,
  settings,
}: DeployingParts): DeployRecords {
  return {
    placement: (environmentId) => applications.placement(environmentId),
    envBlocks: surroundingBlocks(stores, settings),
    uploadPath: async (applicationId) =>
      (await stores.applications.find({ applicationId }))?.uploadPath ?? null,
    domains: (applicationId) =>
      stores.domains.list({ applicationId }, { by: ['domainId'], direction: 'asc' }),
    ports: (applicationId) => stores.ports.list({ applicationId }, { by: ['portId'], direction: 'asc' }),
    mounts: (applicationId) => stores.mounts.list({ applicationId }, { by: ['mountId'], direction: 'asc' }),
    async sshPrivateKey(sshKeyId, organizationId) {
      const key = await stores.sshKeys.find({ sshKeyId, organizationId });
      if (!key)
        throw new AppError(
          'NOT_FOUND',
          'The SSH key of this application no longer exists. Choose another one with ' +
            'application.saveGitProvider.',
        );
      return key.privateKey;
    },
    gitLink: (githubId, organizationId) => gitProviders.access(githubId, organizationId),
    registry: (registryId, organizationId) => registries.access(registryId, organizationId),
    async registryFacts({ registryId, organizationId }) {
      if (registryId === null) return null;
      const { auth, repository } = await registries.access(registryId, organizationId);
      return { repository, username: auth.username };
    },
    deployment: (deploymentId) => deployments.find(deploymentId),
    live: (application) => deployments.live(application),
    succeeded: (applicationId) =>
      stores.deployments.list({ applicationId, status: 'done' }, { by: ['sequence'], direction: 'desc' }),
    record: (deploymentId, patch) => deployments.record(deploymentId, patch),
    nameReleased: (applicationId, releasedAppName) => applications.patch(applicationId, { releasedAppName }),
  };
}

/** Sign-in of the organization's registry that an image comes from, if there is one. */
export function registryAuthBy(
  registries: Registries,
): (image: string, organizationId: string) => Promise<RegistryAuth | undefined> {
  return async (image, organizationId) => {
    const host = registryOf(image);
    const found = (await registries.all(organizationId)).find(({ registryUrl }) => registryUrl === host);
    return found && (await registries.access(found.registryId, organizationId)).auth;
  };
}

export interface LiveReleases {
  /** What the engine should run for the application now; undefined before its first release. */
  liveSpec(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  /** The same with the replicas of the record, which are stored as the live release's. */
  rescaled(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  /** The same for a preview. */
  previewSpec(preview: Pick<ApplicationRecord, 'liveDeploymentId'>): Promise<ServiceSpec | undefined>;
  /** The live image with the settings as they are now; `keep` stores them as the live release's. */
  currentSpec(
    application: ApplicationRecord,
    host: Host,
  ): Promise<{ spec: ServiceSpec; keep(): Promise<void> }>;
}

export function createLiveReleases(
  parts: DeployingParts,
  { records }: Pick<SharedPorts, 'records'>,
  forget: (deploymentId: string) => void,
): LiveReleases {
  const { deployments, registries } = parts;
  const auth = async (application: ApplicationRecord): Promise<RegistryAuth | undefined> =>
    application.registryId === null
      ? imageAuth({ application })
      : (await registries.access(application.registryId, application.organizationId)).auth;
  return {
    async liveSpec(application) {
      const snapshot = readSnapshot(await deployments.live(application));
      return snapshot && { ...snapshot.spec, registryAuth: await auth(application) };
    },
    async rescaled(application) {
      const spec = await rescaled(deployments, application, forget);
      return spec && { ...spec, registryAuth: await auth(application) };
    },
    previewSpec: async (preview) => readSnapshot(await deployments.live(preview))?.spec,
    async currentSpec(application, { engine, networks, probePath }) {
      const deployment = await deployments.live(application);
      const former = readSnapshot(deployment);
      if (!deployment || !former)
        throw new AppError('PRECONDITION_FAILED', `${application.name} has no release yet: deploy first.`);
      const placement = await records.placement(application.environmentId);
      const variables = applicationVariables(
        application,
        await records.envBlocks(application, blocksOf(application)),
      );
      const { spec, inputs } = await composeSpec({
        engine,
        networks,
        probePath,
        records,
        application,
        owner: applicationRef(application.applicationId),
        placement,
        deployment,
        ...variables,
      });
      // The name changes at the next deploy only, so that nothing is left under the former one.
      const kept = { ...spec, name: former.spec.name, release: former.spec.release };
      const settings = { ...inputs.settings, appName: former.spec.name };
      return {
        spec: { ...kept, registryAuth: await auth(application) },
        async keep() {
          await deployments.record(deployment.deploymentId, {
            settings: writeSnapshot({
              ...inputs,
              settings,
              spec: kept,
              registryId: application.registryId,
            }),
          });
          forget(deployment.deploymentId);
        },
      };
    },
  };
}

async function rescaled(
  deployments: Deployments,
  application: ApplicationRecord,
  forget: (deploymentId: string) => void,
): Promise<ServiceSpec | undefined> {
  const deployment = await deployments.live(application);
  const former = readSnapshot(deployment);
  if (!deployment || !former) return undefined;
  const { replicas } = application;
  const spec = { ...former.spec, replicas };
  if (replicas === former.spec.replicas) return spec;
  const settings = former.settings && { ...former.settings, replicas };
  await deployments.record(deployment.deploymentId, {
    settings: writeSnapshot({ ...former, spec, settings }),
  });
  forget(deployment.deploymentId);
  return spec;
}
