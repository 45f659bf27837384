import { expect, it } from 'vitest';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { composeServiceName } from '../../domain/names/names.ts';
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

  it('of services of compose services are kept for these, both ways', async () => {
    const { names, held } = await begin();
    const taken = { code: 'CONFLICT', issues: [{ path: 'appName' }] };
    await names.keep('compose', ['Stack', 'Stack_web'], ['Stack']);
    expect(await held('compose')).toEqual(['stack', 'stack_web']);
    // What its file has, and what a next one may have.
    for (const name of ['stack_web', 'STACK_WEB', 'stack_db', 'Stack_web_2', 'stack_'])
      await expect(names.keep('application', [name]), name).rejects.toMatchObject(taken);
    await names.keep('application', ['stackweb']);
    await names.keep('application', ['stack-web', 'my_stack_web']);
    // Names that are there already are nobody's to begin with.
    for (const stem of ['my', 'MY_stack'])
      await expect(names.keep('other', [stem], [stem]), stem).rejects.toMatchObject(taken);
    await names.keep('other', ['my']);
    await expect(names.keep('other', ['my'], ['my'])).rejects.toMatchObject(taken);
    await names.keep('other', ['my_stack_we'], ['my_stack_we']);
    // Of one service both may be.
    await names.keep('compose', ['stack', 'stack_web', 'stack_web_db'], ['stack', 'stack_web']);
    expect(await held('compose')).toEqual(['stack', 'stack_web', 'stack_web_db']);
    await names.keep('compose', []);
    await names.keep('application', ['stack_web']);
  });

  it('released under a cut name are rows of their own, of which one wins', async () => {
    const { names } = await begin();
    const long = composeServiceName('a'.repeat(60), 'web');
    await names.keep('application', [long]);
    await expect(names.keep('compose', ['a'.repeat(60), long], ['a'.repeat(60)])).rejects.toMatchObject({
      code: 'CONFLICT',
    });
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
