import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { bothDatabases } from '../../../test/store/each-database.ts';
import type { Database } from './database.ts';
import { tableStore } from './table-store.ts';

bothDatabases('a transaction', ({ open, reopen }) => {
  const settingsOf = (database: Database): ReturnType<typeof tableStore<'setting'>> =>
    tableStore(database, 'setting');
  const names = async (database: Database): Promise<string[]> =>
    (await settingsOf(database).list({}, { by: ['name'], direction: 'asc' })).map(({ name }) => name);

  it('keeps everything, and gives what its work gives', async () => {
    const database = await open();
    const settings = settingsOf(database);
    const result = await database.transaction(async () => {
      await settings.insert({ name: 'a', value: 1 });
      await settings.insert({ name: 'b', value: 1 });
      return names(database);
    });
    expect(result).toEqual(['a', 'b']);
    expect(await names(reopen(database))).toEqual(['a', 'b']);
  });

  it('keeps nothing when its work fails, and the next one is not disturbed', async () => {
    const database = await open();
    const settings = settingsOf(database);
    await expect(
      database.transaction(async () => {
        await settings.insert({ name: 'a', value: 1 });
        throw new Error('half-way');
      }),
    ).rejects.toThrow('half-way');
    await expect(
      database.transaction(async () => {
        await settings.insert({ name: 'b', value: 1 });
        await settings.insert({ name: 'b', value: 2 });
      }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await names(database)).toEqual([]);
    await database.transaction(() => settings.insert({ name: 'c', value: 1 }));
    expect(await names(database)).toEqual(['c']);
  });

  it('inside a transaction joins it: the inner work goes when the outer fails', async () => {
    const database = await open();
    const settings = settingsOf(database);
    await expect(
      database.transaction(async () => {
        await database.transaction(() => settings.insert({ name: 'inner', value: 1 }));
        throw new Error('outer');
      }),
    ).rejects.toThrow('outer');
    expect(await names(database)).toEqual([]);
  });

  it('is not seen by others before its end', async () => {
    const database = await open();
    const settings = settingsOf(database);
    const other = reopen(database);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let inserted = (): void => undefined;
    const afterInsert = new Promise<void>((resolve) => {
      inserted = resolve;
    });
    const work = database.transaction(async () => {
      await settings.insert({ name: 'a', value: 1 });
      inserted();
      await held;
    });
    await afterInsert;
    expect(await names(database)).toEqual([]);
    expect(await names(other)).toEqual([]);
    release();
    await work;
    expect(await names(database)).toEqual(['a']);
    expect(await names(other)).toEqual(['a']);
  });

  it('ends for what it started: a loop that goes on later writes by itself', async () => {
    const database = await open();
    const settings = settingsOf(database);
    let loop: Promise<void> = Promise.resolve();
    await database.transaction(async () => {
      loop = pause(30).then(() => settings.insert({ name: 'loop', value: 1 }));
    });
    await expect(
      database.transaction(async () => {
        await pause(80);
        throw new Error("not the loop's");
      }),
    ).rejects.toThrow('not the loop');
    await loop;
    expect(await names(database)).toEqual(['loop']);
  });

  it('and single writes from many sides lose nothing', async () => {
    const database = await open();
    const settings = settingsOf(database);
    await settings.insert({ name: 'count', value: 0 });
    const increments = Array.from({ length: 20 }, () =>
      database.transaction(async () => {
        // The write comes first: it takes the row on PostgreSQL, as a counter has to.
        await settings.update({ name: 'count' }, { name: 'count' });
        const row = await settings.find({ name: 'count' });
        await pause(1);
        await settings.update({ name: 'count' }, { value: Number(row?.value) + 1 });
      }),
    );
    const singles = Array.from({ length: 50 }, (_, index) =>
      settings.insert({ name: `single ${index}`, value: index }),
    );
    const refused = Array.from({ length: 10 }, () =>
      settings.insert({ name: 'count', value: 9 }).then(
        () => 'stored',
        () => 'refused',
      ),
    );
    await Promise.all([...increments, ...singles]);
    expect(await Promise.all(refused)).toEqual(Array.from({ length: 10 }, () => 'refused'));
    expect(await settings.find({ name: 'count' })).toEqual({ name: 'count', value: 20 });
    expect(await names(database)).toHaveLength(51);
  });
});
