import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { BasicAuths } from './basic-auth.ts';
import type { basicAuthContract } from './contract.ts';
import { hashPassword } from './password-hash.ts';

export function basicAuthHandlers(
  users: BasicAuths,
  changeRoutes: ChangeRoutes,
): Handlers<typeof basicAuthContract, CallContext> {
  return {
    async create({ actor, write }, { applicationId, username, password }) {
      // Before the transaction, which it would hold up.
      const passwordHash = await hashPassword(password);
      return changeRoutes(write, () =>
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
      return changeRoutes(write, () =>
        users.update(basicAuthId, actor.organizationId, { username, passwordHash }),
      );
    },
    delete: ({ actor, write }, { basicAuthId }) =>
      changeRoutes(write, () => users.remove(basicAuthId, actor.organizationId)),
  };
}
