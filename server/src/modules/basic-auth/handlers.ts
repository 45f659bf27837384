import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { BasicAuths } from './basic-auth.ts';
import type { basicAuthContract } from './contract.ts';
import { hashPassword } from './password-hash.ts';

export interface RoutingDesk {
  /** Key of the server that an application stands on. */
  serverOf(applicationId: string): Promise<string>;
  changeRoutes: ChangeRoutes;
}

export function basicAuthHandlers(
  users: BasicAuths,
  { serverOf, changeRoutes }: RoutingDesk,
): Handlers<typeof basicAuthContract, CallContext> {
  return {
    async create({ actor, write }, { applicationId, username, password }) {
      // Before the transaction, which it would hold up.
      const passwordHash = await hashPassword(password);
      return changeRoutes(await serverOf(applicationId), write, () =>
        users.create(actor.organizationId, applicationId, { username, passwordHash }),
      );
    },
    one: ({ actor }, { basicAuthId }) => users.one(basicAuthId, actor.organizationId),
    async byApplicationId({ actor }, input) {
      return paginate(
        await users.byApplication(input.applicationId, actor.organizationId),
        input,
        ({ basicAuthId }) => basicAuthId,
      );
    },
    async update({ actor, write }, { basicAuthId, username, password }) {
      const passwordHash = password === undefined ? undefined : await hashPassword(password);
      const { applicationId } = await users.one(basicAuthId, actor.organizationId);
      return changeRoutes(await serverOf(applicationId), write, () =>
        users.update(basicAuthId, actor.organizationId, { username, passwordHash }),
      );
    },
    async delete({ actor, write }, { basicAuthId }) {
      const { applicationId } = await users.one(basicAuthId, actor.organizationId);
      return changeRoutes(await serverOf(applicationId), write, () =>
        users.remove(basicAuthId, actor.organizationId),
      );
    },
  };
}
