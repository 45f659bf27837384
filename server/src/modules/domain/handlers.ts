import { AppError } from '../../domain/errors.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { domainContract } from './contract.ts';
import type { Domains } from './domain.ts';

export interface DomainDesk {
  changeRoutes: ChangeRoutes;
  serverIp(): Promise<string | null>;
}

export function domainHandlers(domains: Domains, { changeRoutes, serverIp }: DomainDesk): Handlers<typeof domainContract, CallContext> {
  return {
    create: (context, { applicationId, composeId, previewDeploymentId, ...input }) =>
      changeRoutes(context.write, () => domains.create(context.actor.organizationId, { applicationId, composeId, previewDeploymentId }, input)),
    update: (context, { domainId, ...input }) => changeRoutes(context.write, () => domains.update(domainId, context.actor.organizationId, input)),
    one: ({ actor }, { domainId }) => domains.one(domainId, actor.organizationId),
    byApplicationId: async ({ actor }, input) => paginate(await domains.byApplication(input.applicationId, actor.organizationId), input, ({ domainId }) => domainId),
    delete: (context, { domainId }) => changeRoutes(context.write, () => domains.remove(domainId, context.actor.organizationId)),
    async generateDomain(_context, { appName, serverId }) {
      if (serverId) throw new AppError('NOT_FOUND', 'There is no server with the id given in serverId. Leave it out to use this server.');
      return domains.generate(appName, await serverIp());
    },
  };
}
