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
   * Begins, unless another one has not come out yet; then `onTurn` is called as soon as one has, to ask
   * again. Undefined also when `version` did not work where it was tried last. An outcome that cannot be
   * known counts as none.
   */
  take<T>(version: string, begin: () => Promise<Begun<T>>, onTurn?: () => void): Promise<T | undefined>;
  /** That is not tried any more for now. */
  failure(version: string): AppError | undefined;
}

/** Whoever mended the cause starts Berth again, or waits so long. */
const againAfterMs = 3_600_000;

export function createRenewals(clock: Pick<Clock, 'now'>): Renewals {
  const failures = new Map<string, { error: AppError; at: number }>();
  const waiting = new Set<() => void>();
  let isUnderWay = false;
  const failure = (version: string): AppError | undefined => {
    const found = failures.get(version);
    return found && clock.now() - found.at < againAfterMs ? found.error : undefined;
  };
  function end(): void {
    isUnderWay = false;
    const [next] = waiting;
    if (next) waiting.delete(next);
    next?.();
  }
  function note(version: string, error: AppError | undefined): void {
    if (error) failures.set(version, { error, at: clock.now() });
  }
  return {
    failure,
    async take(version, begin, onTurn) {
      if (failure(version)) return undefined;
      if (isUnderWay) {
        if (onTurn) waiting.add(onTurn);
        return undefined;
      }
      isUnderWay = true;
      if (onTurn) waiting.delete(onTurn);
      try {
        const { result, outcome } = await begin();
        void outcome
          .then(
            (error) => note(version, error),
            () => undefined,
          )
          .finally(end);
        return result;
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}
