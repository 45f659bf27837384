/** Joins records, adapters and settings into what deployments work with. */
import type { Config } from '../config.ts';
import type { DeployPorts, DeployRecords } from '../deploy/context.ts';
import { composeSpec } from '../deploy/compose-spec.ts';
import type { Networks } from '../deploy/networks.ts';
import { readSnapshot, writeSnapshot } from '../deploy/snapshot.ts';
import { imageAuth } from '../deploy/stages/checkout.ts';
import { applicationRef } from '../domain/service-ref.ts';
import { resolveEnv } from '../domain/env.ts';
import { AppError } from '../domain/errors.ts';
import { parseCpus, parseMemory } from '../domain/resources.ts';
import type { Applications } from '../modules/application/application.ts';
import { settingsOf } from '../modules/application/pending-changes.ts';
import type { ApplicationRecord } from '../db/tables.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import type { GitProviders } from '../modules/git-provider/git-provider.ts';
import type { Registries } from '../modules/registry/registry.ts';
import type { SettingsService } from '../modules/settings/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { RegistryAuth, ServiceSpec } from '../ports/engine.ts';
import type { Adapters } from './adapters.ts';
import type { Stores } from './stores.ts';

export interface DeployingParts {
  config: Config;
  adapters: Adapters;
  stores: Stores;
  applications: Applications;
  deployments: Deployments;
  registries: Registries;
  gitProviders: Pick<GitProviders, 'access'>;
  settings: SettingsService;
  networks: Networks;
  clock: Clock;
  applyRoutes(): Promise<void>;
  taskLabels: Record<string, string>;
}

export function createDeployPorts(parts: DeployingParts): DeployPorts {
  const { adapters, config, networks, clock, applyRoutes, settings, taskLabels } = parts;
  return {
    engine: adapters.engine,
    git: adapters.git,
    builder: adapters.builder,
    clock,
    networks,
    applyRoutes,
    taskLabels,
    records: createDeployRecords(parts),
    probePath: config.probePath,
    workRoot: adapters.folders.work,
    fileSystem: adapters.files,
    async settings() {
      const { buildMemory, buildCpu, minFreeDisk, keptImages, localRepositoryPaths } = await settings.get();
      return {
        buildMemoryBytes: parseMemory(buildMemory, 'buildMemory'),
        buildNanoCpus: parseCpus(buildCpu, 'buildCpu'),
        minFreeDisk,
        keptImages,
        localRepositoryPaths,
      };
    },
  };
}

export function createDeployRecords({
  stores,
  applications,
  deployments,
  registries,
  gitProviders,
}: DeployingParts): DeployRecords {
  return {
    placement: (environmentId) => applications.placement(environmentId),
    async envBlocks(environmentId) {
      const environment = await stores.environments.find({ environmentId });
      const project = environment && (await stores.projects.find({ projectId: environment.projectId }));
      return { project: project?.env ?? '', environment: environment?.env ?? '' };
    },
    domains: (applicationId) =>
      stores.domains.list({ applicationId }, { by: ['domainId'], direction: 'asc' }),
    ports: (applicationId) => stores.ports.list({ applicationId }, { by: ['portId'], direction: 'asc' }),
    mounts: (applicationId) => stores.mounts.list({ applicationId }, { by: ['mountId'], direction: 'asc' }),
    async sshPrivateKey(sshKeyId, organizationId) {
      const key = await stores.sshKeys.find({ sshKeyId, organizationId });
      if (!key)
        throw new AppError(
          'NOT_FOUND',
          'The SSH key of this application no longer exists. Choose another one with application.saveGitProvider.',
        );
      return key.privateKey;
    },
    gitLink: (githubId, organizationId) => gitProviders.access(githubId, organizationId),
    registry: (registryId, organizationId) => registries.access(registryId, organizationId),
    deployment: (deploymentId) => deployments.find(deploymentId),
    live: (application) => deployments.live(application),
    succeeded: (applicationId) =>
      stores.deployments.list({ applicationId, status: 'done' }, { by: ['sequence'], direction: 'desc' }),
    record: (deploymentId, patch) => deployments.record(deploymentId, patch),
    nameReleased: (applicationId, releasedAppName) => applications.patch(applicationId, { releasedAppName }),
  };
}

export interface LiveReleases {
  /** What the engine should run for the application now; undefined before its first release. */
  liveSpec(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  /** The same for a preview. */
  previewSpec(preview: Pick<ApplicationRecord, 'liveDeploymentId'>): Promise<ServiceSpec | undefined>;
  /** The live image with the settings as they are now; `keep` stores them as the live release's. */
  currentSpec(application: ApplicationRecord): Promise<{ spec: ServiceSpec; keep(): Promise<void> }>;
}

export function createLiveReleases(
  parts: DeployingParts,
  ports: DeployPorts,
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
    previewSpec: async (preview) => readSnapshot(await deployments.live(preview))?.spec,
    async currentSpec(application) {
      const deployment = await deployments.live(application);
      const former = readSnapshot(deployment);
      if (!deployment || !former)
        throw new AppError('PRECONDITION_FAILED', `${application.name} has no release yet: deploy first.`);
      const placement = await ports.records.placement(application.environmentId);
      const env = resolveEnv({
        ...(await ports.records.envBlocks(application.environmentId)),
        service: application.env,
      });
      const { spec } = await composeSpec({
        ...ports,
        application,
        owner: applicationRef(application.applicationId),
        placement,
        deployment,
        env,
      });
      // The name changes at the next deploy only, so that nothing is left under the former one.
      const kept = { ...spec, name: former.spec.name, release: former.spec.release };
      const settings = { ...settingsOf(application), appName: former.spec.name };
      return {
        spec: { ...kept, registryAuth: await auth(application) },
        async keep() {
          await deployments.record(deployment.deploymentId, {
            settings: writeSnapshot({ spec: kept, settings, registryId: application.registryId }),
          });
          forget(deployment.deploymentId);
        },
      };
    },
  };
}
