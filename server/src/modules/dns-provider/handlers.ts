import { parseHost } from '../../domain/names/names.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { ChallengeRecords } from './challenge-records.ts';
import type { dnsProviderContract } from './contract.ts';
import type { DnsProviders } from './dns-provider.ts';

export interface DnsProviderDeps {
  dnsProviders: DnsProviders;
  test: ChallengeRecords['test'];
  /** Called when a provider was added or changed: what waits for one goes on. */
  changed(): void;
}

export function dnsProviderHandlers({
  dnsProviders,
  test,
  changed,
}: DnsProviderDeps): Handlers<typeof dnsProviderContract, CallContext> {
  return {
    async create({ actor, write }, input) {
      const made = await write(() => dnsProviders.create(actor.organizationId, input));
      changed();
      return made;
    },
    one: ({ actor }, { dnsProviderId }) => dnsProviders.one(dnsProviderId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(
        await dnsProviders.all(actor.organizationId),
        input,
        ({ dnsProviderId }) => dnsProviderId,
      );
    },
    async update({ actor, write }, { dnsProviderId, ...input }) {
      const made = await write(() => dnsProviders.update(dnsProviderId, actor.organizationId, input));
      changed();
      return made;
    },
    remove: ({ actor, write }, { dnsProviderId }) =>
      write(() => dnsProviders.remove(dnsProviderId, actor.organizationId)),
    async test({ actor }, { dnsProviderId, hostName }) {
      const name = parseHost(hostName, 'hostName').replace(/^\*\./, '');
      const provider = await dnsProviders.found(dnsProviderId, actor.organizationId);
      return { success: true, ...(await test(provider, name)) };
    },
  };
}
