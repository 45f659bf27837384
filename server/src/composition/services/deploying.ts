/** Joins records, adapters and settings into what deployments work with. */
import { applicationRef } from '../../domain/names/service-ref.ts';
import type { Config } from '../../config.ts';
import type { SourcePorts } from '../../deploy/application-deployer.ts';
import type { DeployRecords } from '../../deploy/context.ts';
import { serverIdOf, serverKeyOf } from '../../domain/names/server-key.ts';
import { registryOf } from '../../domain/names/image-reference.ts';
import { parseCpus, parseMemory } from '../../domain/resources/resources.ts';
import { placeApplication } from '../../modules/application/moving.ts';
import type { Applications } from '../../modules/application/application.ts';
import type { Domains } from '../../modules/domain/domain.ts';
import type { Deployments } from '../../modules/deployment/deployment.ts';
import type { ImageAccess } from '../../modules/image/image.ts';
import type { HostReach } from '../../modules/host-reach/host-reach.ts';
import type { GitProviders } from '../../modules/git-provider/git-provider.ts';
import type { Registries } from '../../modules/registry/registry.ts';
import { createBuildServers } from '../../modules/server/server.ts';
import { connectionOf } from '../../modules/database/connection.ts';
import { serverAddressOf } from '../../modules/server/server-address.ts';
import type { SettingsService } from '../../modules/settings/settings.ts';
import { privateKeyOf } from '../../modules/ssh-key/ssh-key.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import type { Hosts } from '../../ports/host/host.ts';
import { composeFoldersOf, type Adapters } from '../adapters.ts';
import { surroundingBlocks } from '../../deploy/inputs/surrounding-blocks.ts';
import { diskQuotasOf } from '../../deploy/disk-quotas.ts';
import { quotasOf } from '../../deploy/quotas.ts';
import type { Stores } from '../stores.ts';

export interface DeployingParts {
  config: Config;
  adapters: Adapters;
  stores: Stores;
  applications: Applications;
  deployments: Deployments;
  domains: Pick<Domains, 'moveTo' | 'follow'>;
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
  const disk = diskQuotasOf(parts.stores, clock, composeFoldersOf(adapters));
  return {
    git: adapters.git,
    reachRegistry: adapters.outgoing.registry,
    images,
    clock,
    buildServers: createBuildServers(parts.stores.servers),
    requireDisk: (organizationId, { serverKey: key, engine }) =>
      disk.requireRoom(organizationId, { key, engine }),
    diskLeft: quotasOf(parts.stores).diskLeft,
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
  domains,
  registries,
  gitProviders,
  settings,
}: DeployingParts): DeployRecords {
  const place = placeApplication({ ...stores, domains });
  return {
    placement: (environmentId) => applications.placement(environmentId),
    envBlocks: surroundingBlocks(stores, {
      connectionOf,
      serverAddress: serverAddressOf(stores, settings),
    }),
    uploadPath: async (applicationId) => (await applications.find(applicationId))?.uploadPath ?? null,
    domains: (applicationId) =>
      stores.domains.list({ applicationId }, { by: ['domainId'], direction: 'asc' }),
    ports: (applicationId) => stores.ports.list({ applicationId }, { by: ['portId'], direction: 'asc' }),
    mounts: (applicationId) => stores.mounts.list({ applicationId }, { by: ['mountId'], direction: 'asc' }),
    sshPrivateKey: privateKeyOf(stores.sshKeys),
    gitLink: (githubId, organizationId) => gitProviders.access(githubId, organizationId),
    registry: (registryId, organizationId) => registries.access(registryId, organizationId),
    registryFacts: registries.facts,
    deployment: (deploymentId) => deployments.find(deploymentId),
    live: (application) => deployments.live(application),
    succeeded: (applicationId) => deployments.succeeded(applicationRef(applicationId)),
    record: (deploymentId, patch) => deployments.record(deploymentId, patch),
    place: (applicationId, serverKey) => place(applicationId, serverIdOf(serverKey)),
    async placeOf(applicationId) {
      const found = await applications.find(applicationId);
      return found && serverKeyOf(found);
    },
    followPort: (applicationId, shownPort) =>
      stores.applications.transaction(async () => {
        await applications.patch(applicationId, { shownPort });
        await domains.follow(applicationId, shownPort);
      }),
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
