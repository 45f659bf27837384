import { expect, it } from 'vitest';
import { bothDatabases } from '../../../../test/store/each-database.ts';
import { tableStore } from '../table-store.ts';
import { keepUntilWritten } from './until-written.ts';

bothDatabases('what is kept until something is written', ({ open }) => {
  it('is never what it was before a write that has been answered', async () => {
    const database = await open();
    const settings = tableStore(database, 'setting');
    const once = keepUntilWritten<number>(database, 2);
    let reads = 0;
    const count = (): Promise<number> =>
      once('count', [], async () => {
        reads += 1;
        return (await settings.list({})).length;
      });
    expect(await count()).toBe(0);
    expect(await count()).toBe(0);
    // On PostgreSQL, where tests beside this one write, perhaps not.
    expect(reads).toBeLessThanOrEqual(database.dialect === 'sqlite' ? 1 : 2);
    await settings.insert({ name: 'a', value: 1 });
    expect(await count()).toBe(1);
    // Inside a transaction it sees what the transaction wrote, and nobody else does.
    await expect(
      database.transaction(async () => {
        await settings.insert({ name: 'b', value: 1 });
        expect(await count()).toBe(2);
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    expect(await count()).toBe(1);
    await database.transaction(async () => {
      await settings.insert({ name: 'c', value: 1 });
    });
    expect(await count()).toBe(2);
  });

  it('is not kept when something was written while it was read', async () => {
    const database = await open();
    const settings = tableStore(database, 'setting');
    const once = keepUntilWritten<number>(database, 2);
    const before = await once('count', [], async () => {
      const seen = (await settings.list({})).length;
      await settings.insert({ name: 'a', value: 1 });
      return seen;
    });
    expect(before).toBe(0);
    expect(await once('count', [], async () => (await settings.list({})).length)).toBe(1);
  });

  it('is not kept for others from records that were read before a write', async () => {
    const database = await open();
    const settings = tableStore(database, 'setting');
    const once = keepUntilWritten<string>(database, 2);
    const ask = (record: { name: string }): Promise<string> => once('one', [record], async () => record.name);
    const former = { name: 'former' };
    await settings.insert({ name: 'a', value: 1 });
    expect(await ask(former)).toBe('former');
    expect(await ask({ name: 'new' })).toBe('new');
  });

  it('is dropped when there is more of it than may be kept', async () => {
    const database = await open();
    const once = keepUntilWritten<string>(database, 2);
    const reads: string[] = [];
    const ask = (key: string): Promise<string> =>
      once(key, [], async () => {
        reads.push(key);
        return key;
      });
    for (const key of ['a', 'b', 'a', 'c', 'c', 'a']) await ask(key);
    const shown = database.dialect === 'sqlite' ? reads : [...new Set(reads), 'a'];
    expect(shown).toEqual(['a', 'b', 'c', 'a']);
  });
});
