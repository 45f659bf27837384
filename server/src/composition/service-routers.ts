/** Routers of projects, environments and what stands in them besides applications. */
import { contracts } from '../modules/contracts.ts';
import { databaseRouters } from '../modules/database/handlers.ts';
import { environmentHandlers } from '../modules/environment/handlers.ts';
import { mountHandlers } from '../modules/mount/handlers.ts';
import type { Mounts } from '../modules/mount/mount.ts';
import { projectHandlers } from '../modules/project/handlers.ts';
import { createProjects } from '../modules/project/project.ts';
import { environmentOf } from '../modules/service/service.ts';
import { createServiceCopies } from '../modules/service/service-copies.ts';
import { createServiceNames } from '../modules/service-name/service-name.ts';
import { router, type Router } from '../procedure/registry.ts';
import type { AppParts } from './app-parts.ts';

export function serviceRouters(parts: AppParts, mounts: Mounts): Router[] {
  const {
    adapters,
    applications,
    backingUp,
    clock,
    databases,
    deployments,
    environments,
    queue,
    runner,
    running,
    turns,
    members,
    reconciler,
    settings,
    stores,
  } = parts;
  const names = createServiceNames(stores.serviceNames);
  const projects = createProjects(stores.projects, environments, clock);
  const copies = createServiceCopies(stores.serviceRows, names, clock);
  const networksChanged = (): void => void reconciler.run();
  return [
    router(
      'project',
      contracts.project,
      projectHandlers(projects, {
        environments,
        services: stores.services,
        copies,
        members,
        networksChanged,
      }),
    ),
    router(
      'environment',
      contracts.environment,
      environmentHandlers(environments, {
        project: projects.one,
        services: stores.services,
        copies,
        members,
        networksChanged,
      }),
    ),
    router('mount', contracts.mount, mountHandlers(mounts)),
    ...databaseRouters({
      ...running,
      databases,
      deployments,
      queue,
      turns,
      builds: runner,
      logs: adapters.logs,
      members,
      requireServer: settings.requireServer,
      environment: async (environmentId) => environmentOf(await applications.placement(environmentId)),
      mounts: mounts.byDatabase,
      backups: backingUp.backups.byDatabase,
      removeStoredBackups: backingUp.removeStored,
      serverAddress: async (serverId, organizationId) =>
        serverId === null
          ? (await settings.get()).serverIp
          : ((await stores.servers.find({ serverId, organizationId }))?.ipAddress ?? null),
    }),
  ];
}
