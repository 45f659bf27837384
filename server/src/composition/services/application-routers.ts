/** Routers of applications, their deployments and previews. */
import { keepUntilWritten } from '../../db/reading/until-written.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';
import { applicationHandlers, type ApplicationDesk } from '../../modules/application/handlers.ts';
import { placeApplication, requireMovable, type MovingNeighbours } from '../../modules/application/moving.ts';
import { createPublishedPorts } from '../../modules/port/port.ts';
import { createApplicationViews } from '../../modules/application/view.ts';
import { contracts } from '../../modules/contracts.ts';
import { deploymentHandlers } from '../../modules/deployment/handlers.ts';
import type { Mounts } from '../../modules/mount/mount.ts';
import type { Ports } from '../../modules/port/port.ts';
import { previewDeploymentHandlers } from '../../modules/preview-deployment/handlers.ts';
import { webhookHandlers } from '../../modules/webhook/handlers.ts';
import { router, type Router } from '../../procedure/registry.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import { addressOf } from '../../domain/routing/address.ts';
import { createDnsCheck } from '../../modules/domain/dns-check.ts';
import type { AppParts } from './app-parts.ts';
import { serverAddressOf, serverIpOf } from '../../modules/server/server-address.ts';
import { requirePlaceOn } from '../../modules/server/placing.ts';

/** Pages of applications that are kept until the next write: 10–50 kB each. */
const keptPages = 100;

export function applicationRouters(parts: AppParts, shown: { ports: Ports; mounts: Mounts }): Router[] {
  const { adapters, applications, deployments, queue, interruption, previewing } = parts;
  return [
    router('application', contracts.application, applicationHandlers(applicationDesk(parts, shown))),
    router(
      'deployment',
      contracts.deployment,
      deploymentHandlers(deployments, { logs: adapters.logs, queue, changed: parts.pending.between }),
    ),
    router('webhook', contracts.webhook, webhookHandlers(previewing.webhooks.deliveries)),
    router(
      'previewDeployment',
      contracts.previewDeployment,
      previewDeploymentHandlers(parts.previews, {
        applications,
        deployments,
        queue,
        interruption,
        remove: previewing.remove,
        byHand: previewing.byHand,
        approve: previewing.approve,
        held: previewing.held,
        previewDatabases: parts.stores.previewDatabases,
        runtime: parts.previewRuntime,
        liveOf: parts.liveOf,
        pendingChanges: parts.pending.preview,
        composes: parts.composes,
        composePreviews: previewing.composePreviews,
        composeRuntime: parts.runningComposes.runtime,
        composePendingChanges: parts.pending.compose,
      }),
    ),
  ];
}

function applicationDesk(
  parts: AppParts,
  { ports, mounts }: { ports: Ports; mounts: Mounts },
): ApplicationDesk {
  const { adapters, applications, deployments, hosts, queue, reconciler, runtime, settings } = parts;
  const { interruption, members } = parts;
  return {
    applications,
    deployments,
    unfinished: parts.unfinished,
    runtime,
    isCloud: async () => (await settings.get()).cloud,
    requireServer: requirePlaceOn(parts.stores.servers, settings.requireServer),
    members,
    queue,
    logs: adapters.logs,
    leaveSchedules: (applicationId) => parts.scheduling.desk.schedules.leaving({ applicationId }),
    interruption,
    views: createApplicationViews({
      surroundings: applications.surroundings,
      deployments: (applicationId) => deployments.recent(applicationRef(applicationId)),
      sourceApplications: (applicationId) => deployments.sourceApplications(applicationId),
      domains: parts.domains.byApplication,
      ports: ports.byApplication,
      mounts: mounts.recordsOf,
      once: keepUntilWritten(parts.database, keptPages),
      pendingChanges: parts.pending.application,
      liveOf: parts.liveOf,
    }),
    uploads: adapters.uploads,
    applyRoutes: (application) => reconciler.applyRoutes(serverKeyOf(application), { mayWait: true }),
    ...movingOf(parts),
    keeping: parts.hostReach.keeping,
    withDomain: createWithDomain(parts),
    removePreviews: parts.previewing.removeAll,
    host: (application) => hosts.find(serverKeyOf(application)),
  };
}

function movingOf(parts: AppParts): Pick<ApplicationDesk, 'requireMovable' | 'place'> {
  const { config, settings, stores } = parts;
  const neighbours: MovingNeighbours = {
    server: (serverId, organizationId) => stores.servers.find({ serverId, organizationId }),
    requireServer: requirePlaceOn(stores.servers, settings.requireServer),
    mounts: (applicationId) => stores.mounts.list({ applicationId }),
    ports: (applicationId) => stores.ports.list({ applicationId }),
    published: createPublishedPorts(stores.ports, [config.port, config.httpPort, config.httpsPort]),
    domains: parts.domains,
    previews: (applicationId) => stores.previewDeployments.list({ applicationId }),
  };
  return {
    requireMovable: (application, serverId, { actor, hasHostReach }) =>
      requireMovable(neighbours, application, serverId, { reaches: reachOf(actor), hasHostReach }),
    place: placeApplication({ ...stores, domains: parts.domains }),
  };
}

/** The host that Berth chooses for a new application. */
function createWithDomain(parts: AppParts): ApplicationDesk['withDomain'] {
  const { adapters, domains, hosts, reconciler, settings, stores } = parts;
  const dns = createDnsCheck({ names: adapters.names, settings: settings.get });
  const serverIp = serverIpOf(serverAddressOf(stores, settings), dns);
  return async (serverId, write, create) => {
    const serverKey = serverKeyOf({ serverId: serverId ?? null });
    const ip = await serverIp(serverKey);
    const ports = (await hosts.find(serverKey))?.proxyPorts;
    const { application, domain } = await reconciler.changeRoutes(
      serverKey,
      write,
      async () => {
        const application = await create();
        const { applicationId, appName, organizationId } = application;
        const host = await domains.generate(appName, { organizationId, serverKey, serverIp: ip });
        return { application, domain: await domains.create(organizationId, { applicationId }, { host }) };
      },
      { mayWait: true },
    );
    return { application, address: addressOf(domain, ports) };
  };
}
