/**
 * One change of a service at a time: what a person does by hand, and what the reconciler puts right, never cross. Without it the reconciler would see a service
 * that is scaled down but not yet recorded as stopped, and start it again. Of this process only.
 */
export interface Turns {
  /** Waits for the service's turn, then works. */
  take<T>(serviceId: string, work: () => Promise<T>): Promise<T>;
  /** Works when nobody has the turn; else gives undefined at once. */
  takeIfFree<T>(serviceId: string, work: () => Promise<T>): Promise<T | undefined>;
}

export function createTurns(): Turns {
  /** The last work in each service's line; absent when there is none. */
  const lines = new Map<string, Promise<unknown>>();

  async function take<T>(serviceId: string, work: () => Promise<T>): Promise<T> {
    const mine = (lines.get(serviceId) ?? Promise.resolve()).then(work);
    const ended = mine.catch(() => undefined);
    lines.set(serviceId, ended);
    try {
      return await mine;
    } finally {
      if (lines.get(serviceId) === ended) lines.delete(serviceId);
    }
  }
  return {
    take,
    takeIfFree: async (serviceId, work) => (lines.has(serviceId) ? undefined : take(serviceId, work)),
  };
}
