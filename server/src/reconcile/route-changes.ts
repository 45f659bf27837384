/**
 * Changes of the routes of one server: each is in the database and on the proxy, or in neither; those that
 * come while the proxy is busy with one become one configuration together.
 */
import { AppError } from '../domain/errors.ts';
import { oneAtATime } from '../domain/time/one-at-a-time.ts';

export interface RouteChangesOptions {
  /** Puts the routes as they are in the database, in the transaction under way too, onto the proxy. */
  apply(): Promise<{ changed: boolean }>;
  /** All or nothing; one inside another joins it. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** A part of a transaction that can fail by itself. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when the proxy may be expected to answer. */
  ready(): Promise<void>;
}

/** `ChangeRoutes` of the one server. */
type Changing = <T>(
  write: Write,
  change: () => Promise<T>,
  options?: { mayWait?: boolean | undefined },
) => Promise<T>;
type Write = <R>(work: () => Promise<R>) => Promise<R>;

export interface RouteChanges {
  changeRoutes: Changing;
  /** The routes alone, between changes; throws when the proxy does not answer or refuses them. */
  applyRoutes(): Promise<{ changed: boolean }>;
}

/** A change that waits for its turn, with its own types inside. */
interface Entry {
  /** By itself, as one transaction with the proxy. */
  alone(): Promise<void>;
  /**
   * As part of a transaction: tells by `onChanged` when its own part is written, then waits for the proxy.
   * Gives what is to be told after the commit.
   */
  part(onChanged: () => void, applied: Promise<void>): Promise<() => void>;
  mayWait: boolean;
  fail(error: unknown): void;
}

export function createRouteChanges(options: RouteChangesOptions): RouteChanges {
  const { apply, transaction, ready } = options;
  // So that an older picture never replaces a newer one.
  const inTurn = oneAtATime();
  let waiting: Entry[] = [];

  async function runWaiting(): Promise<void> {
    const entries = waiting;
    waiting = [];
    if (entries.length === 1) return entries[0]?.alone();
    let told: (() => void)[];
    try {
      told = await transaction(() => commit(entries, apply));
    } catch {
      // One of them, or all for want of a proxy: each finds out by itself, and is told in its own words.
      for (const entry of entries) await entry.alone();
      return;
    }
    for (const tell of told) tell();
  }

  return {
    applyRoutes: () => inTurn(apply),
    async changeRoutes(write, change, { mayWait = false } = {}) {
      await ready();
      return new Promise((resolve, reject) => {
        waiting.push(entryOf({ write, change, mayWait, resolve, reject }, options));
        if (waiting.length === 1) void inTurn(runWaiting);
      });
    },
  };
}

interface Change<T> extends Pick<PromiseWithResolvers<T>, 'resolve' | 'reject'> {
  write<R>(work: () => Promise<R>): Promise<R>;
  change(): Promise<T>;
  mayWait: boolean;
}

function entryOf<T>(
  { write, change, mayWait, resolve, reject }: Change<T>,
  { apply, attempt }: RouteChangesOptions,
): Entry {
  return {
    mayWait,
    fail: reject,
    async alone() {
      try {
        resolve(
          await write(async () => {
            const result = await change();
            await apply().catch(mayWait ? unlessAbsent : rethrow);
            return result;
          }),
        );
      } catch (error) {
        // The database has what it had; if the proxy had taken the change already, it is put right again.
        await apply().catch(() => undefined);
        reject(error);
      }
    },
    async part(onChanged, applied) {
      const result = await write(async () => {
        const value = await attempt(change);
        onChanged();
        await applied;
        return value;
      });
      return () => resolve(result);
    },
  };
}

/**
 * Throws when the proxy does not take them together; nothing is changed then. Gives what to tell each after
 * the commit. Before the proxy and after it they go on one after another: they share one connection to the
 * database, which does one thing at a time.
 */
async function commit(
  entries: readonly Entry[],
  apply: RouteChangesOptions['apply'],
): Promise<(() => void)[]> {
  const running: { applied: PromiseWithResolvers<void>; part: Promise<() => void> }[] = [];
  for (const entry of entries) {
    const [changed, applied] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Nobody waits for it when the change has failed by itself.
    applied.promise.catch(() => undefined);
    // A change that fails by itself takes nobody with it.
    const part = entry
      .part(changed.resolve, applied.promise)
      .catch((error: unknown) => () => entry.fail(error));
    running.push({ applied, part });
    await Promise.race([changed.promise, part]);
  }
  const failure = await apply()
    .catch(entries.every(({ mayWait }) => mayWait) ? unlessAbsent : rethrow)
    .then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  const told: (() => void)[] = [];
  for (const { applied, part } of running) {
    if (failure) applied.reject(failure.error);
    else applied.resolve();
    told.push(await part);
  }
  if (failure) throw failure.error;
  return told;
}

/** A proxy that is not there is given the routes by the run that finds it again, a few seconds later. */
export function unlessAbsent(error: unknown): { changed: boolean } {
  if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
  return { changed: false };
}

function rethrow(error: unknown): never {
  throw error;
}
