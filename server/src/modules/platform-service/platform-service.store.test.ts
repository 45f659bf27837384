import { expect, it } from 'vitest';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createPlatformServiceStore } from './store.ts';

eachDatabase('services of the platform', ({ open }) => {
  it('are kept by server and name, and follow a new one', async () => {
    const store = createPlatformServiceStore(await open());
    expect(await store.idOf('local', 'berth-proxy')).toBeUndefined();
    for (const engineId of ['one', 'one', 'two']) await store.keep('local', 'berth-proxy', engineId);
    await store.keep('far', 'berth-proxy', 'three');
    expect([await store.idOf('local', 'berth-proxy'), await store.idOf('far', 'berth-proxy')]).toEqual([
      'two',
      'three',
    ]);
  });
});
