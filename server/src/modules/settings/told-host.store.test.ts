import { expect, it } from 'vitest';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createSettingsStore } from './store.ts';
import { hearSetUp } from './told-host.ts';

eachDatabase('the host name that set-up was told', ({ open }) => {
  it('is heard once, so that an Owner may set another one, and taken away by none', async () => {
    const store = createSettingsStore(await open());
    const host = async (): Promise<unknown> => (await store.all())['host'];
    expect([await hearSetUp(store, undefined), await host()]).toEqual([false, undefined]);
    expect([await hearSetUp(store, 'a.example.com'), await host()]).toEqual([true, 'a.example.com']);
    await store.put('host', 'b.example.com');
    expect([await hearSetUp(store, 'a.example.com'), await host()]).toEqual([false, 'b.example.com']);
    expect([await hearSetUp(store, 'c.example.com'), await host()]).toEqual([true, 'c.example.com']);
    expect([await hearSetUp(store, undefined), await host()]).toEqual([true, undefined]);
    await store.put('host', 'd.example.com');
    expect([await hearSetUp(store, undefined), await host()]).toEqual([false, 'd.example.com']);
  });
});
