/**
 * One change of a service at a time: what a person does by hand, and what the reconciler puts right, never cross. Without it the reconciler would see a service
 * that is scaled down but not yet recorded as stopped, and start it again. Of this process only.
 */
export interface Turns {
  /** Waits for the application's turn, then works. */
  take<T>(applicationId: string, work: () => Promise<T>): Promise<T>;
  /** Works when nobody has the turn; else gives undefined at once. */
  takeIfFree<T>(applicationId: string, work: () => Promise<T>): Promise<T | undefined>;
}

export function createTurns(): Turns {
  /** The last work in each application's line; absent when there is none. */
  const lines = new Map<string, Promise<unknown>>();

  async function take<T>(applicationId: string, work: () => Promise<T>): Promise<T> {
    const mine = (lines.get(applicationId) ?? Promise.resolve()).then(work);
    const ended = mine.catch(() => undefined);
    lines.set(applicationId, ended);
    try {
      return await mine;
    } finally {
      if (lines.get(applicationId) === ended) lines.delete(applicationId);
    }
  }
  return {
    take,
    takeIfFree: async (applicationId, work) => (lines.has(applicationId) ? undefined : take(applicationId, work)),
  };
}
