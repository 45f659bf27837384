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
        released: async (_kind, deploymentId) => [
          { mounts: [{ type: 'volume', source: `berth-${deploymentId}-data`, target: '/data' }] },
        ],
      });
      return [router('mount', mountContract, mountHandlers(mounts))];
    });

  it('ask before the next release begins without the data of the live one', async () => {
    const { owner, database, place } = await begin();
    const { applicationId } = place;
    const input = { type: 'volume', volumeName: 'data', mountPath: '/data', applicationId };
    const mountId = textOf(await owner.mutate('mount.create', input), 'mountId');
    const renamed = { mountId, volumeName: 'data2' };
    expect(await owner.mutate('mount.update', renamed)).toMatchObject({ volumeName: 'data2' });
    await owner.mutate('mount.update', { mountId, volumeName: 'data' });
    // In this test a release is named for the service, so that its volume has the service's name.
    await tableStore(database, 'application').update({ applicationId }, { liveDeploymentId: applicationId });
    const asked = {
      code: 'CONFLICT',
      fields: ['beginEmpty'],
      message: expect.stringMatching(/the data that it has at \/data: the volume data stays on the server/),
    };
    expect(await owner.mutate('mount.update', renamed)).toMatchObject(asked);
    expect(await owner.mutate('mount.update', { ...renamed, beginEmpty: false })).toMatchObject(asked);
    expect(await owner.mutate('mount.update', { mountId, mountPath: '/var/data' })).toMatchObject(asked);
    const asFile = { mountId, type: 'file', content: 'text' };
    expect(await owner.mutate('mount.update', asFile)).toMatchObject(asked);
    expect(await owner.query('mount.one', { mountId })).toMatchObject(input);
    expect(await owner.mutate('mount.update', { ...renamed, beginEmpty: true })).toMatchObject({
      volumeName: 'data2',
    });
    // Back to what the release has.
    expect(await owner.mutate('mount.update', { mountId, volumeName: 'data' })).toMatchObject(input);
    await owner.mutate('mount.remove', { mountId });
    expect(await owner.mutate('mount.create', { ...input, volumeName: 'other' })).toMatchObject({
      ...asked,
      message: expect.stringContaining(`the volume berth-${applicationId}-data stays`),
    });
    expect(await owner.mutate('mount.create', input)).toMatchObject(input);
    const elsewhere = { ...input, volumeName: 'other', mountPath: '/other', beginEmpty: true };
    expect(await owner.mutate('mount.create', elsewhere)).toMatchObject({ mountPath: '/other' });
  });
});
