/** What is recorded when an application moves to another server. */
import { expect, it } from 'vitest';
import { worlds } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { placeApplication, type PlacingParts } from './moving.ts';

eachDatabase('the server of an application', (test) => {
  const createWorld = worlds(test);

  async function begin(moveTo: PlacingParts['domains']['moveTo']) {
    const {
      database,
      place: { applicationId },
      people,
    } = await createWorld(() => []);
    const stores = createStores(database);
    await stores.ports.insert({
      portId: 'p',
      organizationId: people.owner.organizationId,
      applicationId,
      publishedPort: 9000,
      targetPort: 3000,
      protocol: 'tcp',
      publishMode: 'host',
      serverKey: 'local',
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    const place = placeApplication({ ...stores, domains: { moveTo } });
    const recorded = async () => [
      (await stores.applications.find({ applicationId }))?.serverId,
      (await stores.ports.find({ portId: 'p' }))?.serverKey,
    ];
    return { applicationId, place: () => place(applicationId, 'far'), recorded };
  }

  it('is recorded for the application, its ports and its domains', async () => {
    const moved: unknown[] = [];
    const { applicationId, place, recorded } = await begin(async (...args) => void moved.push(args));
    await place();
    expect(await recorded()).toEqual(['far', 'far']);
    expect(moved).toEqual([[{ applicationId }, 'far']]);
  });

  it('stays what it was for all of them when its domains cannot move', async () => {
    const { place, recorded } = await begin(() => Promise.reject(new Error('held by another service')));
    await expect(place()).rejects.toThrow('held by another service');
    expect(await recorded()).toEqual([null, 'local']);
  });
});
