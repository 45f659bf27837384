import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { redirectContract } from './contract.ts';
import type { Redirects } from './redirect.ts';

export interface RoutingDesk {
  /** Key of the server that an application stands on. */
  serverOf(applicationId: string): Promise<string>;
  changeRoutes: ChangeRoutes;
}

export function redirectHandlers(
  redirects: Redirects,
  { serverOf, changeRoutes }: RoutingDesk,
): Handlers<typeof redirectContract, CallContext> {
  return {
    create: async ({ actor, write }, { applicationId, ...input }) =>
      changeRoutes(await serverOf(applicationId), write, () =>
        redirects.create(actor.organizationId, applicationId, input),
      ),
    one: ({ actor }, { redirectId }) => redirects.one(redirectId, actor.organizationId),
    async byApplicationId({ actor }, input) {
      return paginate(
        await redirects.byApplication(input.applicationId, actor.organizationId),
        input,
        ({ redirectId }) => redirectId,
      );
    },
    async update({ actor, write }, { redirectId, ...patch }) {
      const { applicationId } = await redirects.one(redirectId, actor.organizationId);
      return changeRoutes(await serverOf(applicationId), write, () =>
        redirects.update(redirectId, actor.organizationId, patch),
      );
    },
    async delete({ actor, write }, { redirectId }) {
      const { applicationId } = await redirects.one(redirectId, actor.organizationId);
      return changeRoutes(await serverOf(applicationId), write, () =>
        redirects.remove(redirectId, actor.organizationId),
      );
    },
  };
}
