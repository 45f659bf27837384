import { expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../stores.ts';
import { createOutgoingPolicy } from './outgoing-policy.ts';

eachDatabase('private networks', (test) => {
  it('are open to the installation’s organization and trusted ones, and to no callback', async () => {
    const database = await test.open();
    const stores = createStores(database);
    const { owner, stranger } = await createPeople(database);
    const policyOf = createOutgoingPolicy(stores);
    const opens = async ({ organizationId }: { organizationId: string }): Promise<boolean[]> => {
      const [usual, callback] = [{ organizationId }, { organizationId, purpose: 'callback' as const }];
      return [(await policyOf(usual)).reachesPrivate, (await policyOf(callback)).reachesPrivate];
    };
    expect(await opens(owner)).toEqual([true, false]);
    expect(await opens(stranger)).toEqual([false, false]);
    await stores.users.organizations.update({ organizationId: stranger.organizationId }, { trusted: true });
    expect(await opens(stranger)).toEqual([true, false]);
  });

  it('that the settings name are open to everybody and everything', async () => {
    const database = await test.open();
    const stores = createStores(database);
    const { stranger } = await createPeople(database);
    const allowedPrivateNetworks = ['10.20.0.0/16'];
    await stores.settings.put('allowedPrivateNetworks', allowedPrivateNetworks);
    const { organizationId } = stranger;
    for (const purpose of [undefined, 'callback'] as const)
      expect(await createOutgoingPolicy(stores)({ organizationId, purpose })).toMatchObject({
        allowed: allowedPrivateNetworks,
        platform: ['10.192.0.0/12'],
      });
  });
});
