/**
 * Routers of what services stand on and are reached by: servers, certificates, domains, containers, the
 * swarm.
 */
import { alarmHandlers } from '../modules/alarm/handlers.ts';
import { cleanupHandlers } from '../modules/cleanup/handlers.ts';
import { clusterHandlers } from '../modules/cluster/handlers.ts';
import { clustersOf } from './hosts/clustering.ts';
import { certificateHandlers } from '../modules/certificate/handlers.ts';
import { certificateOrderHandlers } from '../modules/certificate-order/handlers.ts';
import { createCertificates, type Certificates } from '../modules/certificate/certificate.ts';
import { authorityOf } from '../modules/certificate-resolver/authority.ts';
import { createCertificateResolvers } from '../modules/certificate-resolver/certificate-resolver.ts';
import { certificateResolverHandlers } from '../modules/certificate-resolver/handlers.ts';
import { createContainers } from '../modules/container/container.ts';
import { containerHandlers } from '../modules/container/handlers.ts';
import { contracts } from '../modules/contracts.ts';
import { certificateState } from '../modules/domain/certificate-state.ts';
import { leadingToOf } from '../modules/base-domain/machines.ts';
import { createDnsCheck } from '../modules/domain/dns-check.ts';
import { domainHandlers, type DomainDesk } from '../modules/domain/handlers.ts';
import { dnsProviderHandlers } from '../modules/dns-provider/handlers.ts';
import { metricsHandlers } from '../modules/metrics/handlers.ts';
import { logDrainHandlers } from '../modules/log-drain/handlers.ts';
import { notificationHandlers } from '../modules/notification/handlers.ts';
import { scheduleHandlers } from '../modules/schedule/handlers.ts';
import { serverHandlers } from '../modules/server/handlers.ts';
import { createForgetServers, type ForgetServers } from '../modules/server/forget.ts';
import { createServers, type Servers } from '../modules/server/server.ts';
import { createSight, type Sight } from '../modules/sight/sight.ts';
import { swarmHandlers } from '../modules/swarm/handlers.ts';
import { createSwarm } from '../modules/swarm/swarm.ts';
import { router, type Router } from '../procedure/registry.ts';
import type { AppParts } from './services/app-parts.ts';

/** `isFirstOrganization` tells whether an organization is the installation's first. */
export function infrastructureRouters(
  parts: AppParts,
  isFirstOrganization: (organizationId: string) => Promise<boolean>,
): Router[] {
  const { stores, clock } = parts;
  const sight = createSight(stores.sight, isFirstOrganization);
  const certificates = createCertificates(stores.certificates, clock);
  const servers = createServers(stores.servers, clock);
  return [
    router(
      'domain',
      contracts.domain,
      domainHandlers(parts.domains, domainDesk(parts, certificates, servers)),
    ),
    router(
      'server',
      contracts.server,
      serverHandlers(servers, {
        changed: parts.servers.reset,
        claims: parts.baseDomainClaims,
        setup: parts.serverSetup,
        forgetting: forgettingOf(parts, servers),
        inspect: parts.serverInspection,
        monitoring: parts.monitoring,
        own: parts.ownCollector,
        isInstallations: isFirstOrganization,
      }),
    ),
    router('metrics', contracts.metrics, metricsHandlers(parts.metrics)),
    router('cleanup', contracts.cleanup, cleanupHandlers({ ...parts.cleanup, unfinished: parts.unfinished })),
    router('alarm', contracts.alarm, alarmHandlers(parts.alarms)),
    router('schedule', contracts.schedule, scheduleHandlers(parts.scheduling.desk)),
    router('logDrain', contracts.logDrain, logDrainHandlers(parts.drainDesk)),
    router('notification', contracts.notification, notificationHandlers(parts.notifying.desk)),
    ...certificateRouters(parts, certificates),
    ...swarmRouters(parts, sight),
  ];
}

function certificateRouters(parts: AppParts, certificates: Certificates): Router[] {
  const { stores, adapters, settings, watch, reconciler, clock } = parts;
  const { changeRoutes } = reconciler;
  const resolvers = createCertificateResolvers(stores.certificateResolvers, {
    clock,
    forgetAccount: watch.forgetAccount,
    outgoing: adapters.outgoing,
  });
  return [
    router(
      'certificate',
      contracts.certificate,
      certificateHandlers(certificates, {
        requireServer: settings.requireServer,
        changeRoutes,
        forgetOrder: parts.certificateOrders.forgetCertificate,
      }),
    ),
    router(
      'certificateOrder',
      contracts.certificateOrder,
      certificateOrderHandlers({
        certificateOrders: parts.certificateOrders,
        requireServer: settings.requireServer,
        begin: beginOrders(parts),
      }),
    ),
    router(
      'dnsProvider',
      contracts.dnsProvider,
      dnsProviderHandlers({ ...parts.dnsProviderDeps, changed: beginOrders(parts) }),
    ),
    router(
      'certificateResolver',
      contracts.certificateResolver,
      certificateResolverHandlers(resolvers, changeRoutes),
    ),
  ];
}

function forgettingOf(parts: AppParts, servers: Servers): ForgetServers {
  const { adapters, applications, composes, databases, deployments, interruption, previews, stores } = parts;
  return createForgetServers({
    servers,
    stores,
    interruption,
    deployments,
    remove: {
      application: applications.remove,
      compose: composes.remove,
      database: databases.remove,
      previewDeployment: previews.remove,
    },
    leaveSchedules: parts.scheduling.desk.schedules.leaving,
    logs: adapters.logs,
    uploads: adapters.uploads,
    async leave(serverId) {
      parts.servers.reset(serverId);
      await Promise.all([parts.reconciler.forget(serverId), parts.forgetObserved(serverId)]);
    },
  });
}

function swarmRouters(parts: AppParts, sight: Sight): Router[] {
  const { hosts } = parts;
  return [
    router(
      'container',
      contracts.container,
      containerHandlers(async (serverKey) => createContainers(await hosts.of(serverKey), sight)),
    ),
    router(
      'swarm',
      contracts.swarm,
      swarmHandlers(async (serverKey) => createSwarm(await hosts.of(serverKey), sight)),
    ),
    router('cluster', contracts.cluster, clusterHandlers(clustersOf(parts))),
  ];
}

/** Begins certificate orders that are due, without waiting for them. */
export const beginOrders =
  ({ renewing, log }: Pick<AppParts, 'renewing' | 'log'>) =>
  (): void =>
    void renewing.tick().catch((error: unknown) => log.fault(error, 'certificates by DNS'));

function domainDesk(parts: AppParts, certificates: Certificates, servers: Servers): DomainDesk {
  const { adapters, settings, stores, watch, reconciler, clock, automaticOrders, byDns } = parts;
  return {
    dnsOrders: automaticOrders,
    dnsRecords: parts.dnsRecords,
    beginOrders: beginOrders(parts),
    changeRoutes: reconciler.changeRoutes,
    dns: createDnsCheck({ names: adapters.names, settings: settings.get }),
    serverIp: async () => (await settings.get()).serverIp,
    prepare: (serverKey, host) => watch.issuanceOf(serverKey).prepare(host),
    clock,
    requestsSince: watch.requests.since,
    lastRequests: adapters.accessLog.tail,
    certificateOf: (domain) =>
      certificateState(domain, {
        issuance: watch.issuanceOf(domain.serverKey),
        clock,
        uploadedFor: ({ asciiHost, serverKey, organizationId }) =>
          certificates.serving(asciiHost, serverKey, organizationId),
        authorityOf: authorityOf(settings, stores.certificateResolvers),
        byDns: (each) => byDns.of(each, each.serverKey),
      }),
    refusedNames: parts.refusedNames.of,
    leadingTo: leadingToOf(stores, settings.get),
    serverAddress: async (serverId, organizationId) =>
      (await servers.one(serverId, organizationId)).ipAddress,
  };
}
