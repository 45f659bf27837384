import { parseHost } from '../../domain/names/names.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { ChallengeRecords } from './challenge-records.ts';
import type { dnsProviderContract } from './contract.ts';
import type { DnsProviders } from './dns-provider.ts';

export interface DnsProviderDeps {
  dnsProviders: DnsProviders;
  challengeRecords: Pick<ChallengeRecords, 'test'>;
}

export function dnsProviderHandlers({
  dnsProviders,
  challengeRecords,
}: DnsProviderDeps): Handlers<typeof dnsProviderContract, CallContext> {
  return {
    create: ({ actor, write }, input) => write(() => dnsProviders.create(actor.organizationId, input)),
    one: ({ actor }, { dnsProviderId }) => dnsProviders.one(dnsProviderId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(
        await dnsProviders.all(actor.organizationId),
        input,
        ({ dnsProviderId }) => dnsProviderId,
      );
    },
    update: ({ actor, write }, { dnsProviderId, ...input }) =>
      write(() => dnsProviders.update(dnsProviderId, actor.organizationId, input)),
    remove: ({ actor, write }, { dnsProviderId }) =>
      write(() => dnsProviders.remove(dnsProviderId, actor.organizationId)),
    async test({ actor }, { dnsProviderId, hostName }) {
      const name = parseHost(hostName, 'hostName').replace(/^\*\./, '');
      const provider = await dnsProviders.found(dnsProviderId, actor.organizationId);
      return { success: true, ...(await challengeRecords.test(provider, name)) };
    },
  };
}
