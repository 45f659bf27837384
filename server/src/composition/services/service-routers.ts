/** Routers of projects, environments and what stands in them besides applications. */
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { contracts } from '../../modules/contracts.ts';
import { browseHandlers } from '../../modules/database/browse/handlers.ts';
import { databaseRouters, type DatabaseDesk } from '../../modules/database/handlers.ts';
import { requireDatabaseMovable } from '../../modules/database/moving.ts';
import { environmentHandlers } from '../../modules/environment/handlers.ts';
import { mountHandlers } from '../../modules/mount/handlers.ts';
import type { Mounts } from '../../modules/mount/mount.ts';
import { createPublishedPorts } from '../../modules/port/port.ts';
import { projectHandlers } from '../../modules/project/handlers.ts';
import { createProjects } from '../../modules/project/project.ts';
import { serviceHandlers } from '../../modules/service/handlers.ts';
import { environmentOf } from '../../modules/service/service.ts';
import { createServiceCopies } from '../../modules/service/service-copies.ts';
import { createServiceNames } from '../../modules/service-name/service-name.ts';
import { router, type Router } from '../../procedure/registry.ts';
import type { AppParts } from './app-parts.ts';
import { serverAddressOf } from '../../modules/server/server-address.ts';
import { createMeasuredOn } from '../../modules/server/monitoring/measured-on.ts';
import { requirePlaceOn } from '../../modules/server/placing.ts';

export function serviceRouters(parts: AppParts, mounts: Mounts): Router[] {
  const { clock, environments, liveOf, members, reconciler, stores } = parts;
  const { services } = stores;
  const projects = createProjects(stores.projects, environments, clock);
  const copies = createServiceCopies(stores.serviceRows, createServiceNames(stores.serviceNames), clock);
  const networksChanged = (): void => void reconciler.run();
  const shared = { services, copies, members, liveOf, networksChanged };
  return [
    router(
      'project',
      contracts.project,
      projectHandlers(projects, { ...shared, environments, claims: parts.baseDomainClaims }),
    ),
    router(
      'environment',
      contracts.environment,
      environmentHandlers(environments, {
        ...shared,
        project: projects.one,
        placed: stores.serviceReads.placed,
        mixing: {
          engineOf: async (serverKey) => (await parts.hosts.find(serverKey))?.engine,
          logAnswerBytes: async () => (await parts.settings.get()).logAnswerLimit,
        },
      }),
    ),
    router(
      'service',
      contracts.service,
      serviceHandlers({
        services: stores.serviceReads,
        conditions: parts.conditions,
        liveOf,
        endedOutputs: parts.adapters.endedOutputs,
        measuredOn: createMeasuredOn(stores.servers, parts),
      }),
    ),
    router('mount', contracts.mount, mountHandlers(mounts)),
    ...databaseRouters(databaseDesk(parts, mounts)),
    router('database', contracts.database, browseHandlers(parts)),
  ];
}

function databaseDesk(parts: AppParts, mounts: Mounts): DatabaseDesk {
  const { adapters, applications, backingUp, config, interruption, running, settings, stores } = parts;
  const serverAddress = serverAddressOf(stores, settings);
  const { databases, deployments, queue, turns, members } = parts;
  return {
    ...running,
    unfinished: parts.unfinished,
    liveOf: parts.liveOf,
    pendingChanges: parts.pending.database,
    databases,
    deployments,
    queue,
    turns,
    members,
    interruption,
    logs: adapters.logs,
    requireServer: requirePlaceOn(stores.servers, settings.requireServer),
    environment: async (environmentId) => environmentOf(await applications.placement(environmentId)),
    mounts: mounts.byDatabase,
    backups: backingUp.backups.byDatabase,
    removeStoredBackups: backingUp.removeStored,
    requireMovable: (database, serverId, { hasHostReach }) =>
      requireDatabaseMovable(
        {
          server: (id, organizationId) => stores.servers.find({ serverId: id, organizationId }),
          requireServer: requirePlaceOn(stores.servers, settings.requireServer),
          mounts: (databaseId) => stores.mounts.list({ databaseId }),
          published: createPublishedPorts(stores.ports, [config.port, config.httpPort, config.httpsPort]),
          isPortFree: async (id, port) =>
            (await parts.hosts.find(serverKeyOf({ serverId: id })))?.isPortFree(port) ?? true,
        },
        database,
        serverId,
        hasHostReach,
      ),
    serverAddress: (serverId) => serverAddress(serverKeyOf({ serverId })),
  };
}
