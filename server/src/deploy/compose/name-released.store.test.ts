import { expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { plainCompose } from '../../../../test/world/plain-compose.ts';
import { tableStore } from '../../db/table-store.ts';
import { nameReleasedServices } from './name-released.ts';
import { createStores } from '../../composition/stores.ts';
import { plainDeployment } from '../../../../test/world/plain-deployment.ts';

const release = { imageId: 'sha256:1', dependsOn: [] };
const spec = {
  image: 'nginx:1',
  labels: {},
  env: [],
  replicas: 1,
  limits: {},
  updateOrder: 'start-first',
  monitorMs: 0,
  stopGracePeriodMs: 0,
};

eachDatabase('names of released services', ({ open }) => {
  it('of releases before they were noted are taken from the live one', async () => {
    const database = await open();
    const stores = createStores(database);
    const { owner } = await createPeople(database);
    const { environmentId } = await createPlace(database, owner, 'one');
    const { organizationId } = owner;
    const compose = {
      ...plainCompose,
      organizationId,
      environmentId,
      name: 'Stack',
      createdAt: '2026-01-01T00:00:00.000Z',
      releasedAppName: 'stack',
      releasedServices: null,
    };
    for (const [composeId, liveDeploymentId] of [
      ['with', 'live'],
      ['without', null],
    ] as const)
      await stores.composes.insert({
        ...compose,
        composeId,
        appName: composeId,
        refreshToken: composeId,
        liveDeploymentId,
      });
    await tableStore(database, 'deployment').insert({
      ...plainDeployment,
      deploymentId: 'live',
      organizationId,
      composeId: 'with',
      settings: JSON.stringify({
        services: [
          { service: 'web', spec: { ...spec, name: 'former_web-b1' }, ...release, isOneShot: false },
          { service: 'setup', spec: { ...spec, name: 'former_setup-b1' }, ...release, isOneShot: true },
        ],
      }),
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    await nameReleasedServices(stores);
    const released = async (composeId: string): Promise<unknown> =>
      (await stores.composes.find({ composeId }))?.releasedServices;
    expect(await released('with')).toEqual({ web: 'former_web-b1' });
    expect(await released('without')).toBeNull();
  });
});
