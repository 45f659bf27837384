import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { domainContract } from './contract.ts';
import type { DnsCheck } from './dns-check.ts';
import type { Domains } from './domain.ts';

export interface DomainDesk {
  changeRoutes: ChangeRoutes;
  dns: DnsCheck;
  serverIp(): Promise<string | null>;
  /** IP address or host name of another server. */
  serverAddress(serverId: string, organizationId: string): Promise<string>;
}

export function domainHandlers(domains: Domains, { changeRoutes, dns, serverIp, serverAddress }: DomainDesk): Handlers<typeof domainContract, CallContext> {
  return {
    create: (context, { applicationId, composeId, previewDeploymentId, ...input }) =>
      changeRoutes(context.write, () => domains.create(context.actor.organizationId, { applicationId, composeId, previewDeploymentId }, input)),
    update: (context, { domainId, ...input }) => changeRoutes(context.write, () => domains.update(domainId, context.actor.organizationId, input)),
    one: ({ actor }, { domainId }) => domains.one(domainId, actor.organizationId),
    byApplicationId: async ({ actor }, input) => paginate(await domains.byApplication(input.applicationId, actor.organizationId), input, ({ domainId }) => domainId),
    byComposeId: async ({ actor }, input) => paginate(await domains.byCompose(input.composeId, actor.organizationId), input, ({ domainId }) => domainId),
    delete: (context, { domainId }) => changeRoutes(context.write, () => domains.remove(domainId, context.actor.organizationId)),
    async generateDomain({ actor }, { appName, serverId }) {
      return domains.generate(appName, serverId ? await dns.addressOf(await serverAddress(serverId, actor.organizationId)) : await serverIp());
    },
    validateDomain: (_context, { domain, serverIp: expected }) => dns.check(domain, expected),
  };
}
