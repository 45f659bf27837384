/** Who uses a thing that is stopped when nobody has used it for a while. */

export interface Idle {
  /** Used until `giveBack`; what waits for its end is called off. */
  take(): void;
  giveBack(): void;
  /** How many use it. */
  users(): number;
  /** Whether it is used, or is not stopped yet. */
  isAwaited(): boolean;
}

/** `stop` is called `afterMs` after the last user, and again when it fails. */
export function createIdle(afterMs: number, stop: () => Promise<void>): Idle {
  let users = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      if (users === 0) stop().catch(wait);
    }, afterMs);
    timer.unref();
  };
  return {
    take() {
      users += 1;
      clearTimeout(timer);
      timer = undefined;
    },
    giveBack() {
      users = Math.max(0, users - 1);
      if (users === 0) wait();
    },
    users: () => users,
    isAwaited: () => users > 0 || timer !== undefined,
  };
}
