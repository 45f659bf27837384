import { AppError } from '../../domain/errors.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { domainContract } from './contract.ts';
import type { Domains } from './domain.ts';

export interface DomainDesk {
  /** Puts the routes onto the running proxy; throws when it refuses them. Called inside the transaction, so that a refused change is in neither. */
  applyRoutes(): Promise<void>;
  /** Resolves when the proxy had its time to start after Berth's own start. */
  ready(): Promise<void>;
  serverIp(): Promise<string | null>;
}

export function domainHandlers(domains: Domains, { applyRoutes, ready, serverIp }: DomainDesk): Handlers<typeof domainContract, CallContext> {
  async function routed<T>({ write }: CallContext, change: () => Promise<T>): Promise<T> {
    await ready();
    const record = await write(async () => {
      const changed = await change();
      await applyRoutes();
      return changed;
    });
    // Once more with what is committed: another change may have been on its way at the same time.
    await applyRoutes();
    return record;
  }
  return {
    create: (context, { applicationId, composeId, previewDeploymentId, ...input }) =>
      routed(context, () => domains.create(context.actor.organizationId, { applicationId, composeId, previewDeploymentId }, input)),
    update: (context, { domainId, ...input }) => routed(context, () => domains.update(domainId, context.actor.organizationId, input)),
    one: ({ actor }, { domainId }) => domains.one(domainId, actor.organizationId),
    byApplicationId: async ({ actor }, input) => paginate(await domains.byApplication(input.applicationId, actor.organizationId), input, ({ domainId }) => domainId),
    delete: (context, { domainId }) => routed(context, () => domains.remove(domainId, context.actor.organizationId)),
    async generateDomain(_context, { appName, serverId }) {
      if (serverId) throw new AppError('NOT_FOUND', 'There is no server with the id given in serverId. Leave it out to use this server.');
      return domains.generate(appName, await serverIp());
    },
  };
}
