import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { gitProviderContract } from './contract.ts';
import type { GitProviders } from './git-provider.ts';

export function gitProviderHandlers(
  providers: GitProviders,
): Handlers<typeof gitProviderContract, CallContext> {
  return {
    create: ({ actor, write }, input) => write(() => providers.create(actor.organizationId, input)),
    createFromManifest: ({ actor, write }, { code }) =>
      providers.createFromManifest(actor.organizationId, code, write),
    one: ({ actor }, { gitProviderId }) => providers.one(gitProviderId, actor.organizationId),
    all: async ({ actor }, input) =>
      paginate(await providers.all(actor.organizationId), input, ({ gitProviderId }) => gitProviderId),
    update: ({ actor, write }, { gitProviderId, ...input }) =>
      write(() => providers.update(gitProviderId, actor.organizationId, input)),
    remove: ({ actor, write }, { gitProviderId }) =>
      write(() => providers.remove(gitProviderId, actor.organizationId)),
    async testConnection({ actor }, { gitProviderId }) {
      const api = await providers.api(gitProviderId, actor.organizationId);
      return { success: true, account: await api.account() };
    },
    repositories: async ({ actor }, { gitProviderId }) =>
      (await providers.api(gitProviderId, actor.organizationId)).repositories(),
    branches: async ({ actor }, { gitProviderId, repository }) =>
      (await providers.api(gitProviderId, actor.organizationId)).branches(repository),
  };
}
