import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { domainContract } from './contract.ts';
import type { Domains } from './domain.ts';

export interface DomainDesk {
  /** Puts the routes onto the running proxy; throws when it refuses them. Called inside the transaction, so that a refused change is in neither. */
  applyRoutes(): Promise<void>;
  serverIp(): Promise<string | null>;
}

export function domainHandlers(domains: Domains, { applyRoutes, serverIp }: DomainDesk): Handlers<typeof domainContract, CallContext> {
  const routed = <T>(change: () => Promise<T>) => async (): Promise<T> => {
    const record = await change();
    await applyRoutes();
    return record;
  };
  return {
    create: ({ actor, write }, { applicationId, composeId, previewDeploymentId, ...input }) =>
      write(routed(() => domains.create(actor.organizationId, { applicationId, composeId, previewDeploymentId }, input))),
    update: ({ actor, write }, { domainId, ...input }) => write(routed(() => domains.update(domainId, actor.organizationId, input))),
    one: ({ actor }, { domainId }) => domains.one(domainId, actor.organizationId),
    byApplicationId: async ({ actor }, input) => paginate(await domains.byApplication(input.applicationId, actor.organizationId), input, ({ domainId }) => domainId),
    delete: ({ actor, write }, { domainId }) => write(routed(() => domains.remove(domainId, actor.organizationId))),
    generateDomain: async (_context, { appName }) => domains.generate(appName, await serverIp()),
  };
}
