import { expect, it } from 'vitest';
import { eachDatabase } from '../../../test/store/each-database.ts';
import type { Database } from '../db/database.ts';
import { tableStore } from '../db/table-store.ts';
import { AppError } from '../domain/errors.ts';
import { everyServer } from '../ports/proxy.ts';
import type { KeptHost } from './host-reconciler.ts';
import { createReconciler } from './reconciler.ts';

/** A machine of the test: what its proxy was given, and how it behaves. */
interface Machine extends KeptHost {
  given: string[][];
  runs: number;
  /** Neither engine nor proxy answer. */
  isDead: boolean;
  /** With it the proxy refuses what it is given. */
  refuses: string | undefined;
  lines: string[];
}

function machine(key: string, names: () => Promise<string[]>): Machine {
  const dead = (): AppError => new AppError('SERVICE_UNAVAILABLE', `The engine of ${key} cannot be reached.`);
  const nothing = async (): Promise<string[]> => [];
  const made: Machine = {
    key,
    name: `the server ${key}`,
    given: [],
    claim: async () => undefined,
    runs: 0,
    isDead: false,
    refuses: undefined,
    lines: [],
    proxy: {
      async apply() {
        if (made.isDead) throw dead();
        if (made.refuses !== undefined) throw new AppError('BAD_REQUEST', made.refuses);
        made.given.push(await names());
        return { changed: true };
      },
      current: async () => (made.isDead ? undefined : 'ours'),
      expected: () => 'ours',
    },
    async reach() {
      if (made.isDead) throw dead();
    },
    guardPorts: nothing,
    ensurePlatform: nothing,
    async services() {
      made.runs += 1;
      return [];
    },
    attachProxy: nothing,
    routes: async () => [],
  };
  return made;
}

eachDatabase('hosts that the reconciler keeps', (test) => {
  async function begin() {
    const database = await test.open();
    const rows = tableStore(database, 'service_name');
    const names = async (): Promise<string[]> =>
      (await rows.list({})).map(({ nameKey }) => nameKey).toSorted();
    const [near, far] = [machine('near', names), machine('far', names)];
    const reconciler = createReconciler({
      database: bound(database),
      hosts: {
        find: async (serverKey) => [near, far].find(({ key }) => key === serverKey),
        nodesOf: async () => [],
        all: async () => [near, far],
      },
      onDrift: ({ key }, lines) => void (key === 'far' ? far : near).lines.push(...lines),
    });
    await reconciler.run();
    const add = (serverKey: string, nameKey: string, mayWait = false): Promise<string> =>
      reconciler.changeRoutes(
        serverKey,
        (work) => database.transaction(work),
        async () => {
          await rows.insert({ nameKey, serviceId: 'x', isStem: false });
          return nameKey;
        },
        { mayWait },
      );
    near.given.length = 0;
    far.given.length = 0;
    return { reconciler, near, far, names, add };
  }

  it('a change of routes goes to the proxy of its server alone, or to those of all', async () => {
    const { near, far, add } = await begin();
    await add('near', 'a');
    expect([near.given, far.given]).toEqual([[['a']], []]);
    await add('far', 'b');
    expect([near.given, far.given]).toEqual([[['a']], [['a', 'b']]]);
    await add(everyServer, 'c');
    expect(near.given.at(-1)).toEqual(['a', 'b', 'c']);
    expect(far.given.at(-1)).toEqual(['a', 'b', 'c']);
    // A server that is not connected has no proxy.
    expect(await add('nowhere', 'd')).toBe('d');
  });

  it('a change that one of several proxies refuses is made on none', async () => {
    const { near, far, names, add } = await begin();
    far.refuses = 'The proxy refused it.';
    await expect(add(everyServer, 'a')).rejects.toThrow('The proxy refused it.');
    expect(await names()).toEqual([]);
    expect(near.given.at(-1) ?? []).toEqual([]);
  });

  it('a silent host refuses its own changes by name, takes part in no other, and follows later', async () => {
    const { reconciler, near, far, names, add } = await begin();
    far.isDead = true;
    await reconciler.run();
    await expect(add('far', 'a')).rejects.toThrow(/the server far does not answer, so nothing was changed/);
    expect(await names()).toEqual([]);
    await add('near', 'b');
    await add(everyServer, 'c');
    await add('far', 'd', true);
    expect(near.given.at(-1)).toEqual(['b', 'c']);
    expect(far.given).toEqual([]);
    far.isDead = false;
    await reconciler.run('far');
    expect(far.given.at(-1)).toEqual(['b', 'c', 'd']);
  });

  it('of a silent host nothing is touched, which is told once; the others go on', async () => {
    const { reconciler, near, far } = await begin();
    far.isDead = true;
    const before = { near: near.runs, far: far.runs };
    await reconciler.run();
    await reconciler.run();
    expect([near.runs, far.runs]).toEqual([before.near + 2, before.far]);
    expect(far.lines.filter((line) => line.includes('cannot be reached'))).toHaveLength(1);
    far.isDead = false;
    await reconciler.run('far');
    expect(far.runs).toBe(before.far + 1);
    expect(far.lines).toContainEqual(expect.stringMatching(/^the server far answers again/));
  });

  it('a host that gives no answer at all holds up nobody', async () => {
    const { reconciler, near, far, add } = await begin();
    const silence = Promise.withResolvers<void>();
    far.reach = () => silence.promise;
    const before = near.runs;
    const all = reconciler.run();
    await add('near', 'a');
    expect(near.runs).toBe(before + 1);
    silence.resolve();
    await all;
  });

  it('routes that may wait do so for no proxy; the run that finds it gives it them', async () => {
    const { reconciler, far } = await begin();
    const found = Promise.withResolvers<void>();
    far.ensurePlatform = () => found.promise.then(() => []);
    reconciler.start();
    far.isDead = true;
    await reconciler.applyRoutes('far', { mayWait: true });
    expect(far.given).toEqual([]);
    far.isDead = false;
    found.resolve();
    await reconciler.applyRoutes('far');
    expect(far.given).not.toEqual([]);
    await reconciler.stop();
  });
});

function bound(database: Database): Pick<Database, 'transaction' | 'attempt'> {
  return {
    transaction: (work) => database.transaction(work),
    attempt: (work) => database.attempt(work),
  };
}
