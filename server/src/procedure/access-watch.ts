/**
 * Whether a caller may still have what is open for them: a stream or an upload outlives the check at its
 * beginning, and its session, key, membership or grant may end meanwhile (decisions 2).
 */
import { AppError } from '../domain/errors.ts';

export interface AccessWatch {
  /** Fires when access is lost. */
  readonly lost: AbortSignal;
  /** Begins to look, again and again. */
  start(): void;
  /** Gives what the work gives, or throws what the caller is refused with, as soon as that is known. */
  unlessLost<T>(work: Promise<T>): Promise<T>;
  stop(): void;
}

/** Refusals that end what is open; a thing that is gone ends by itself, and an outage passes. */
const refusals: readonly string[] = ['UNAUTHORIZED', 'FORBIDDEN'];

/** `check` throws what the caller would be refused with now. `everyMs` stands between two looks. */
export function watchAccess(everyMs: number, check: () => Promise<unknown>): AccessWatch {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let leave = (_error: unknown): void => undefined;
  let isLooking = false;

  async function look(): Promise<void> {
    // A look that takes longer than its interval is not doubled.
    if (isLooking) return;
    isLooking = true;
    try {
      await check();
    } catch (error) {
      if (timer === undefined || !(error instanceof AppError) || !refusals.includes(error.code)) return;
      stop();
      controller.abort(error);
      leave(error);
    } finally {
      isLooking = false;
    }
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    lost: controller.signal,
    start() {
      timer ??= setInterval(() => void look(), everyMs).unref();
    },
    unlessLost: (work) =>
      new Promise((resolve, reject) => {
        leave = reject;
        work.then(resolve, reject);
        if (controller.signal.aborted) reject(controller.signal.reason);
      }),
    stop,
  };
}
