import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { registryContract } from './contract.ts';
import type { Registries } from './registry.ts';

export function registryHandlers(registries: Registries): Handlers<typeof registryContract, CallContext> {
  return {
    create: ({ actor, write }, input) => write(() => registries.create(actor.organizationId, input)),
    async test({ actor }, { registryId, registryUrl, username, password }) {
      if (registryId) await registries.testStored(registryId, actor.organizationId);
      else
        await registries.test(
          { registryUrl: registryUrl ?? '', username: username ?? '', password: password ?? '' },
          actor.organizationId,
        );
      return { success: true };
    },
    one: ({ actor }, { registryId }) => registries.one(registryId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(await registries.all(actor.organizationId), input, ({ registryId }) => registryId);
    },
    update: ({ actor, write }, { registryId, ...patch }) =>
      write(() => registries.update(registryId, actor.organizationId, patch)),
    remove: ({ actor, write }, { registryId }) =>
      write(() => registries.remove(registryId, actor.organizationId)),
  };
}
