import { expect, it } from 'vitest';
import { hostReachOn } from '../../../../test/http/host-reach.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { tableStore } from '../../db/table-store.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { mountContract } from './contract.ts';
import { mountHandlers } from './handlers.ts';
import { createMounts } from './mount.ts';
import { createMountStore } from './store.ts';

eachDatabase('mounts', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => {
      const mounts = createMounts(createMountStore(database), {
        clock: systemClock,
        approve: hostReachOn(database, ['/var/lib/berth']).bindApproval,
        released: async () => [],
      });
      return [router('mount', mountContract, mountHandlers(mounts))];
    });

  it('that are secret files are never read back, and keep their text until another is given', async () => {
    const {
      owner,
      database,
      place: { applicationId },
    } = await begin();
    const created = await owner.mutate('mount.create', {
      type: 'file',
      content: 'the key itself',
      isSecret: true,
      mountPath: '/run/key.pem',
      applicationId,
    });
    const mountId = textOf(created, 'mountId');
    expect(await owner.query('mount.one', { mountId })).toMatchObject({ content: null, isSecret: true });
    expect(await owner.query('mount.byApplicationId', { applicationId })).toMatchObject([{ content: null }]);
    await owner.mutate('mount.update', { mountId, content: null, mountPath: '/run/other.pem' });
    expect(await owner.mutate('mount.update', { mountId, isSecret: false })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['content'],
    });
    const rows = tableStore(database, 'mount');
    expect(await rows.find({ mountId })).toMatchObject({
      content: 'the key itself',
      isSecret: true,
      mountPath: '/run/other.pem',
    });
    await owner.mutate('mount.update', { mountId, content: 'another', isSecret: false });
    expect(await owner.query('mount.one', { mountId })).toMatchObject({
      content: 'another',
      isSecret: false,
    });
  });
});
