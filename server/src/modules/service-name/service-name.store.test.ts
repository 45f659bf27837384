import { expect, it } from 'vitest';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createServiceNames } from './service-name.ts';
import { createServiceNameStore } from './store.ts';

eachDatabase('names of services', ({ open }) => {
  const begin = async () => {
    const store = createServiceNameStore(await open());
    return {
      store,
      names: createServiceNames(store),
      held: async (serviceId: string) =>
        (await store.list({ serviceId }, { by: ['nameKey'], direction: 'asc' })).map(
          ({ nameKey }) => nameKey,
        ),
    };
  };

  it('are exactly those that are kept, each key once', async () => {
    const { names, held } = await begin();
    await names.keep('a', ['Shop', null]);
    expect(await held('a')).toEqual(['shop']);
    await names.keep('a', ['shop-2', 'Shop', 'SHOP']);
    expect(await held('a')).toEqual(['shop', 'shop-2']);
    await names.keep('a', ['shop-2']);
    await names.keep('b', ['shop']);
    expect([await held('a'), await held('b')]).toEqual([['shop-2'], ['shop']]);
    await names.keep('a', []);
    expect(await held('a')).toEqual([]);
  });

  it('of another service, in any case, and reserved ones are refused, and nothing is changed', async () => {
    const { names, held } = await begin();
    await names.keep('a', ['Shop']);
    await names.keep('b', ['other']);
    const taken = {
      code: 'CONFLICT',
      message: expect.stringContaining('is taken'),
      issues: [{ path: 'appName', message: 'is taken' }],
    };
    for (const name of ['shop', 'SHOP', 'berth-proxy', 'Berth-Proxy'])
      await expect(names.keep('b', ['new', name])).rejects.toMatchObject(taken);
    expect([await held('a'), await held('b')]).toEqual([['shop'], ['other']]);
  });

  it('asked for by many at once go to one', async () => {
    const { names, store } = await begin();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => names.keep(`service ${index}`, ['shop'])),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await store.list({})).toHaveLength(1);
  });
});
