/** Kills a running Berth at a call of one of its ports: nothing it does from then on happens. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '../../server/src/db/database.ts';
import type { State } from '../engine-in-memory/state.ts';
import { inWorld, type World } from '../virtual-time/virtual-time.ts';

export interface Reaper {
  /**
   * Counts kill points from here on; at the one of this number it kills. A kill point is a call before which
   * something that outlives a kill is otherwise than before the last one: a kill at any other call leaves the
   * same behind as that did.
   */
  arm(killPoint: number): void;
  /** Calls since then, by what they were. */
  calls(): readonly string[];
  isDead(): boolean;
  /** Resolves when it has killed. */
  killed: Promise<void>;
  /** Calls it when it kills; gives a function that forgets it, without which the reaper keeps it for ever. */
  onKilled(listener: () => void): () => void;
  kill(): void;
  /** Passes a call, or never comes back. */
  pass(what: string): Promise<void>;
  /** The same for what answers at once: false when it must not happen. */
  note(what: string): boolean;
  /** Every function of the port behind `pass`. */
  guard<T extends object>(name: string, port: T): T;
  run<T>(work: () => T): T;
}

const never = (): Promise<never> => new Promise<never>(() => undefined);

/** Calls that leave nothing behind but what the engine itself says of its changes. */
const leavesNothing = /^(?:engine|log|proxy\.current|files\.(?:names|readInside|freeBytes|bytesIn))/;

/** Thrown inside a transaction of a killed world, which the database takes back then. */
class Dead extends Error {}

export function createReaper(name: string, engines: readonly State[]): Reaper {
  const world: World = { name, isOver: false };
  const killed = Promise.withResolvers<void>();
  const listeners = new Set<() => void>();
  let calls: string[] | undefined;
  let killPoint = Infinity;
  let points = 0;
  let isOtherwise = true;
  const change = (): void => void (isOtherwise = true);
  for (const { watchers } of engines) watchers.add(change);
  function kill(): void {
    world.isOver = true;
    for (const { watchers } of engines) watchers.delete(change);
    killed.resolve();
    for (const listener of listeners) listener();
  }
  function note(what: string): boolean {
    if (world.isOver) return false;
    calls?.push(what);
    if (isOtherwise) points += 1;
    isOtherwise = !leavesNothing.test(what);
    if (points >= killPoint) kill();
    return !world.isOver;
  }

  async function pass(what: string): Promise<void> {
    if (!note(what)) await never();
  }

  return {
    arm(at) {
      calls = [];
      killPoint = at;
      points = 0;
      isOtherwise = true;
    },
    calls: () => calls ?? [],
    isDead: () => world.isOver,
    killed: killed.promise,
    onKilled(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    kill,
    note,
    pass,
    run: (work) => inWorld(world, work),
    guard: (portName, port) =>
      new Proxy(port, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key);
          if (typeof member !== 'function') return member;
          return async (...given: unknown[]) => {
            await pass(`${portName}.${String(key)}`);
            const answer: unknown = await Reflect.apply(member, target, given);
            return world.isOver ? never() : answer;
          };
        },
      }),
  };
}

/** The database of a world: each statement that writes, and each commit, is a call. */
export function guardDatabase(reaper: Reaper, database: Database): Database {
  const inside = new AsyncLocalStorage<true>();
  const isIn = (): boolean => inside.getStore() === true;

  async function alive<T>(what: string | undefined, work: () => Promise<T>): Promise<T> {
    // A transaction must end for the database's sake, a killed one by being taken back.
    if (isIn()) {
      if (!(what === undefined ? !reaper.isDead() : reaper.note(what))) throw new Dead();
      return work();
    }
    if (what !== undefined) await reaper.pass(what);
    const result = reaper.isDead() ? await never() : await work();
    return reaper.isDead() ? never() : result;
  }

  async function whole<T>(run: (work: () => Promise<T>) => Promise<T>, work: () => Promise<T>): Promise<T> {
    if (isIn()) return run(work);
    if (reaper.isDead()) return never();
    const wrapped = async (): Promise<T> => {
      const result = await unlessKilled(reaper, () => inside.run(true, work));
      if (!reaper.note('database.commit')) throw new Dead();
      return result;
    };
    try {
      const result = await run(wrapped);
      return reaper.isDead() ? await never() : result;
    } catch (error) {
      if (reaper.isDead()) return never();
      throw error;
    }
  }

  return {
    ...database,
    // A look leaves nothing behind that a kill could leave unfinished, so it is no call.
    run: (query, parameters) =>
      alive(/^\s*(?:select|with)/i.test(query.sql) ? undefined : 'database.write', () =>
        database.run(query, parameters),
      ),
    change: (query, parameters) => alive('database.write', () => database.change(query, parameters)),
    transaction: (work) => whole(database.transaction, work),
    attempt: (work) => whole(database.attempt, work),
  };
}

/** What the work gives, or `Dead` as soon as it is killed. */
function unlessKilled<T>(reaper: Reaper, work: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const forget = reaper.onKilled(() => reject(new Dead()));
  work().then(resolve, reject).finally(forget);
  return promise;
}
