/** Routers of what services stand on and are reached by: servers, certificates, domains, containers, the swarm. */
import { certificateHandlers } from '../modules/certificate/handlers.ts';
import { createCertificates } from '../modules/certificate/certificate.ts';
import { createCertificateResolvers } from '../modules/certificate-resolver/certificate-resolver.ts';
import { certificateResolverHandlers } from '../modules/certificate-resolver/handlers.ts';
import { createContainers } from '../modules/container/container.ts';
import { containerHandlers } from '../modules/container/handlers.ts';
import { contracts } from '../modules/contracts.ts';
import { certificateState } from '../modules/domain/certificate-state.ts';
import { createDnsCheck } from '../modules/domain/dns-check.ts';
import { domainHandlers } from '../modules/domain/handlers.ts';
import { serverHandlers } from '../modules/server/handlers.ts';
import { createServers } from '../modules/server/server.ts';
import { createSight } from '../modules/sight/sight.ts';
import { swarmHandlers } from '../modules/swarm/handlers.ts';
import { createSwarm } from '../modules/swarm/swarm.ts';
import { router, type Router } from '../procedure/registry.ts';
import type { AppParts } from './app-parts.ts';

/** `isFirstOrganization` tells whether an organization is the installation's first. */
export function infrastructureRouters(
  { stores, adapters, settings, domains, issuance, requests, reconciler, clock }: AppParts,
  isFirstOrganization: (organizationId: string) => Promise<boolean>,
): Router[] {
  const servers = createServers(stores.servers, clock);
  const sight = createSight(stores.sight, isFirstOrganization);
  const certificates = createCertificates(stores.certificates, clock);
  return [
    router(
      'domain',
      contracts.domain,
      domainHandlers(domains, {
        changeRoutes: reconciler.changeRoutes,
        dns: createDnsCheck({ names: adapters.names, settings: settings.get }),
        serverIp: async () => (await settings.get()).serverIp,
        prepare: issuance.prepare,
        clock,
        requestsSince: requests.since,
        lastRequests: adapters.accessLog.tail,
        certificateOf: (domain) =>
          certificateState(domain, {
            issuance,
            clock,
            uploadedFor: ({ asciiHost, serverKey, organizationId }) =>
              certificates.serving(asciiHost, serverKey, organizationId),
            async authorityOf({ certificateType, customCertResolver, organizationId }) {
              if (certificateType !== 'custom')
                return { directoryUrl: (await settings.get()).acmeDirectory, account: null };
              const resolver = await stores.certificateResolvers.find({
                organizationId,
                name: customCertResolver ?? '',
              });
              return {
                directoryUrl: resolver?.directoryUrl ?? null,
                account: resolver?.certificateResolverId ?? null,
              };
            },
          }),
        serverAddress: async (serverId, organizationId) =>
          (await servers.one(serverId, organizationId)).ipAddress,
      }),
    ),
    router('server', contracts.server, serverHandlers(servers)),
    router(
      'certificate',
      contracts.certificate,
      certificateHandlers(certificates, {
        requireServer: settings.requireServer,
        changeRoutes: reconciler.changeRoutes,
      }),
    ),
    router(
      'certificateResolver',
      contracts.certificateResolver,
      certificateResolverHandlers(
        createCertificateResolvers(stores.certificateResolvers, {
          clock,
          forgetAccount: issuance.forgetAccount,
        }),
        reconciler.changeRoutes,
      ),
    ),
    router('container', contracts.container, containerHandlers(createContainers(adapters.engineView, sight))),
    router('swarm', contracts.swarm, swarmHandlers(createSwarm(adapters.engine, adapters.engineView, sight))),
  ];
}
