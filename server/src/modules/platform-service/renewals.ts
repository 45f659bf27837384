/**
 * What a new version of Berth brings to the machines: proxies, monitoring agents. One machine after another
 * gets it, and one that did not work somewhere goes to no other.
 */
import type { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

export interface Begun<T> {
  result: T;
  /** Why the new one did not work, once the former one is back; undefined when it works. */
  outcome: Promise<AppError | undefined>;
}

export interface Renewals {
  /**
   * Begins when all before it have come out; undefined when `version` did not work where it was tried last,
   * which is told there alone. An outcome that cannot be known counts as none.
   */
  take<T>(version: string, begin: () => Promise<Begun<T>>): Promise<T | undefined>;
  /** That is not tried any more for now. */
  failure(version: string): AppError | undefined;
}

/** Whoever mended the cause starts Berth again, or waits so long. */
const againAfterMs = 3_600_000;

export function createRenewals(clock: Pick<Clock, 'now'>): Renewals {
  const failures = new Map<string, { error: AppError; at: number }>();
  let last: Promise<unknown> = Promise.resolve();
  const failure = (version: string): AppError | undefined => {
    const found = failures.get(version);
    return found && clock.now() - found.at < againAfterMs ? found.error : undefined;
  };
  async function inTurn<T>(
    version: string,
    begin: () => Promise<Begun<T>>,
    end: () => void,
  ): Promise<T | undefined> {
    if (failure(version)) {
      end();
      return undefined;
    }
    try {
      const { result, outcome } = await begin();
      void outcome
        .then(
          (error) => void (error && failures.set(version, { error, at: clock.now() })),
          () => undefined,
        )
        .finally(end);
      return result;
    } catch (error) {
      end();
      throw error;
    }
  }
  return {
    failure,
    async take(version, begin) {
      const turn = last;
      const over = Promise.withResolvers<void>();
      last = turn.then(() => over.promise);
      await turn;
      return inTurn(version, begin, over.resolve);
    },
  };
}
