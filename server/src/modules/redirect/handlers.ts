import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { redirectContract } from './contract.ts';
import type { Redirects } from './redirect.ts';

export function redirectHandlers(
  redirects: Redirects,
  changeRoutes: ChangeRoutes,
): Handlers<typeof redirectContract, CallContext> {
  return {
    create: ({ actor, write }, { applicationId, ...input }) =>
      changeRoutes(write, () => redirects.create(actor.organizationId, applicationId, input)),
    one: ({ actor }, { redirectId }) => redirects.one(redirectId, actor.organizationId),
    async byApplicationId({ actor }, input) {
      return paginate(
        await redirects.byApplication(input.applicationId, actor.organizationId),
        input,
        ({ redirectId }) => redirectId,
      );
    },
    update: ({ actor, write }, { redirectId, ...patch }) =>
      changeRoutes(write, () => redirects.update(redirectId, actor.organizationId, patch)),
    delete: ({ actor, write }, { redirectId }) =>
      changeRoutes(write, () => redirects.remove(redirectId, actor.organizationId)),
  };
}
