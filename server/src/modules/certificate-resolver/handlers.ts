import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { CertificateResolvers } from './certificate-resolver.ts';
import type { certificateResolverContract } from './contract.ts';

/** `changeRoutes` gives a changed authority to the proxy, at once or, when it is away, as soon as it is back. */
export function certificateResolverHandlers(
  resolvers: CertificateResolvers,
  changeRoutes: ChangeRoutes,
): Handlers<typeof certificateResolverContract, CallContext> {
  return {
    create: ({ actor, write }, input) => write(() => resolvers.create(actor.organizationId, input)),
    one: ({ actor }, { certificateResolverId }) => resolvers.one(certificateResolverId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(
        await resolvers.all(actor.organizationId),
        input,
        ({ certificateResolverId }) => certificateResolverId,
      );
    },
    update: ({ actor, write }, { certificateResolverId, ...patch }) =>
      changeRoutes(write, () => resolvers.update(certificateResolverId, actor.organizationId, patch), {
        mayWait: true,
      }),
    remove: ({ actor, write }, { certificateResolverId }) =>
      write(() => resolvers.remove(certificateResolverId, actor.organizationId)),
  };
}
