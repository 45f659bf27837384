import { everyServer, type ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { CertificateResolvers } from './certificate-resolver.ts';
import type { certificateResolverContract } from './contract.ts';

/**
 * `changeRoutes` gives a changed authority to the proxy, at once or, when it is away, as soon as it is back.
 */
export function certificateResolverHandlers(
  resolvers: CertificateResolvers,
  changeRoutes: ChangeRoutes,
): Handlers<typeof certificateResolverContract, CallContext> {
  return {
    async create({ actor, write }, input) {
      await resolvers.admit(input.directoryUrl, actor.organizationId);
      return write(() => resolvers.create(actor.organizationId, input));
    },
    one: ({ actor }, { certificateResolverId }) => resolvers.one(certificateResolverId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(
        await resolvers.all(actor.organizationId),
        input,
        ({ certificateResolverId }) => certificateResolverId,
      );
    },
    async update({ actor, write }, { certificateResolverId, ...patch }) {
      if (patch.directoryUrl !== undefined) await resolvers.admit(patch.directoryUrl, actor.organizationId);
      return changeRoutes(
        everyServer,
        write,
        () => resolvers.update(certificateResolverId, actor.organizationId, patch),
        { mayWait: true },
      );
    },
    remove: ({ actor, write }, { certificateResolverId }) =>
      write(() => resolvers.remove(certificateResolverId, actor.organizationId)),
  };
}
