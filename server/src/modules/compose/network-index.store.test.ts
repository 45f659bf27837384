/** Indices of the networks of compose services and environments in the address pool. */
import { expect, it } from 'vitest';
import { composeWorlds } from '../../../../test/http/worlds/compose-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { createServiceNames } from '../service-name/service-name.ts';
import { createComposes } from './compose.ts';

eachDatabase('indices of networks', (test) => {
  const { begin, create } = composeWorlds(test);

  it('are others when the engine has given theirs away, and an organization has its share', async () => {
    const world = await begin();
    const { database, place, people } = world;
    const { composes, environments } = createStores(database);
    const { freeNetworkIndex } = composes;
    const { organizationId } = people.owner;
    const tenant = people.stranger.organizationId;
    const room = 16;
    const taken = new Set([1, 2, 5]);
    expect(await freeNetworkIndex(organizationId, { room, taken })).toBe(3);
    const [first, second] = [await create(world), await create(world)];
    const services = createComposes(
      composes,
      {
        names: createServiceNames(createStores(database).serviceNames),
        localRepositoryPaths: async () => [],
      },
      systemClock,
    );
    expect(await services.networkIndex(first, { room })).toBe(1);
    expect(await services.networkIndex(first, { room, taken })).toBe(3);
    expect(await services.networkIndex(first, { room, taken })).toBe(3);
    expect(await services.networkIndex(second, { room, taken: new Set([1, 2]) })).toBe(4);
    await environments.update({ environmentId: place.environmentId }, { networkIndex: 6 });
    // Twelve are left of the sixteen, and the platform has one; they have three.
    const few = { room, taken: new Set([7, 8, 9, 10, 11, 12, 13, 14, 15]) };
    expect(await freeNetworkIndex(tenant, few)).toBe(1);
    await composes.update({ composeId: first }, { organizationId: tenant });
    await composes.update({ composeId: second }, { organizationId: tenant });
    await expect(
      freeNetworkIndex(tenant, { ...few, taken: new Set([...few.taken, 5]) }),
    ).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('has 2 of the installation'),
    });
    // The installation's own organization sets the pool.
    expect(await freeNetworkIndex(organizationId, { ...few, taken: new Set([...few.taken, 5]) })).toBe(1);
    await expect(freeNetworkIndex(organizationId, { room: 5, taken })).rejects.toMatchObject({
      message: expect.stringContaining('room for 5 networks, and all of them are in use'),
    });
  });
});
