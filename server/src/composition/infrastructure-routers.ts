/** Routers of what services stand on and are reached by: servers, certificates, domains. */
import { certificateHandlers } from '../modules/certificate/handlers.ts';
import { createCertificates } from '../modules/certificate/certificate.ts';
import { createCertificateResolvers } from '../modules/certificate-resolver/certificate-resolver.ts';
import { certificateResolverHandlers } from '../modules/certificate-resolver/handlers.ts';
import { contracts } from '../modules/contracts.ts';
import { createDnsCheck } from '../modules/domain/dns-check.ts';
import { domainHandlers } from '../modules/domain/handlers.ts';
import { serverHandlers } from '../modules/server/handlers.ts';
import { createServers } from '../modules/server/server.ts';
import { router, type Router } from '../procedure/registry.ts';
import type { AppParts } from './app-parts.ts';

export function infrastructureRouters({ stores, adapters, settings, domains, reconciler, clock }: AppParts): Router[] {
  const servers = createServers(stores.servers, clock);
  return [
    router('domain', contracts.domain, domainHandlers(domains, {
      changeRoutes: reconciler.changeRoutes, dns: createDnsCheck({ names: adapters.names, settings: settings.get }), serverIp: async () => (await settings.get()).serverIp,
      serverAddress: async (serverId, organizationId) => (await servers.one(serverId, organizationId)).ipAddress,
    })),
    router('server', contracts.server, serverHandlers(servers)),
    router('certificate', contracts.certificate, certificateHandlers(createCertificates(stores.certificates, clock), settings.requireServer)),
    router('certificateResolver', contracts.certificateResolver, certificateResolverHandlers(createCertificateResolvers(stores.certificateResolvers, clock))),
  ];
}
