import { expect, it } from 'vitest';
import { eachDatabase } from '../../../test/store/each-database.ts';
import type { Database } from '../db/database.ts';
import { tableStore } from '../db/table-store.ts';
import { AppError } from '../domain/errors.ts';
import { createRouteChanges } from './route-changes.ts';

eachDatabase('changes of routes', (test) => {
  async function begin() {
    const database = await test.open();
    const rows = tableStore(database, 'service_name');
    const names = async (): Promise<string[]> =>
      (await rows.list({})).map(({ nameKey }) => nameKey).toSorted();
    const proxy = { has: [] as string[], loads: 0, isAway: false, delayMs: 5 };
    const { changeRoutes, applyRoutes } = createRouteChanges({
      ...bound(database),
      ready: async () => undefined,
      async apply() {
        const wanted = await names();
        await new Promise((resolve) => setTimeout(resolve, proxy.delayMs));
        if (proxy.isAway) throw new AppError('SERVICE_UNAVAILABLE', 'The proxy does not answer.');
        if (wanted.join() === proxy.has.join()) return { changed: false };
        const bad = wanted.find((name) => name.startsWith('bad'));
        if (bad !== undefined) throw new AppError('BAD_REQUEST', `The proxy refused ${bad}.`);
        proxy.loads += 1;
        proxy.has = wanted;
        return { changed: true };
      },
    });
    const add = (nameKey: string, mayWait = false): Promise<string> =>
      changeRoutes(
        (work) => database.transaction(work),
        async () => {
          await rows.insert({ nameKey, serviceId: 'x', isStem: false });
          if (nameKey.startsWith('late'))
            throw new AppError('BAD_REQUEST', 'Changed its mind after it wrote.');
          return nameKey;
        },
        { mayWait },
      );
    return { database, names, proxy, add, applyRoutes };
  }
  const numbered = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `n${String(index).padStart(2, '0')}`);

  it('that come at once are few configurations, and all are there', async () => {
    const { names, proxy, add } = await begin();
    const wanted = numbered(50);
    expect(await Promise.all(wanted.map((name) => add(name)))).toEqual(wanted);
    expect(await names()).toEqual(wanted);
    expect(proxy.has).toEqual(wanted);
    expect(proxy.loads).toBeLessThanOrEqual(3);
  });

  it('that the proxy refuses, or that fail by themselves, take no other along, and say why', async () => {
    const { names, proxy, add } = await begin();
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'bad', 'c', 'late', 'b', 'd'].map((name) => add(name)),
    );
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
    ).toEqual([
      'a',
      'b',
      'The proxy refused bad.',
      'c',
      'Changed its mind after it wrote.',
      expect.stringContaining('already exists'),
      'd',
    ]);
    expect(await names()).toEqual(['a', 'b', 'c', 'd']);
    expect(proxy.has).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are refused while the proxy is away, but for those that may wait', async () => {
    const { names, proxy, add, applyRoutes } = await begin();
    proxy.isAway = true;
    const outcomes = await Promise.allSettled([add('a'), add('b', true), add('c'), add('d', true)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await names()).toEqual(['b', 'd']);
    // Vitest fails for a rejection that nobody handles.
    expect((await Promise.allSettled([add('late1'), add('late2')])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    proxy.isAway = false;
    expect(await applyRoutes()).toEqual({ changed: true });
    expect(proxy.has).toEqual(['b', 'd']);
  });

  it('are never overtaken by an older picture', async () => {
    const { proxy, add, applyRoutes } = await begin();
    await Promise.all([add('a'), applyRoutes(), add('b'), applyRoutes(), add('c'), applyRoutes()]);
    expect(proxy.has).toEqual(['a', 'b', 'c']);
  });
});

function bound(database: Database): Pick<Database, 'transaction' | 'attempt'> {
  return { transaction: (work) => database.transaction(work), attempt: (work) => database.attempt(work) };
}
