import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * One change of a service at a time: what a person does by hand, and what the reconciler puts right, never
 * cross. Without it the reconciler would see a service that is scaled down but not yet recorded as stopped,
 * and start it again. Of this process only.
 */
export interface Turns {
  /** Waits for the service's turn, then works. A turn inside a turn of the same service belongs to it. */
  take<T>(serviceId: string, work: () => Promise<T>): Promise<T>;
  /** Works when nobody has the turn; else gives undefined at once. */
  takeIfFree<T>(serviceId: string, work: () => Promise<T>): Promise<T | undefined>;
}

/** What a turn started may go on after it; then it no longer belongs to it. */
interface Held {
  serviceId: string;
  isOpen: boolean;
  outer: Held | undefined;
}

export function createTurns(): Turns {
  /** The last work in each service's line; absent when there is none. */
  const lines = new Map<string, Promise<unknown>>();
  const present = new AsyncLocalStorage<Held | undefined>();

  async function take<T>(serviceId: string, work: () => Promise<T>): Promise<T> {
    const outer = present.getStore();
    if (isHeld(outer, serviceId)) return work();
    const held: Held = { serviceId, isOpen: true, outer };
    const inTurn = (): Promise<T> => present.run(held, work);
    const mine = (lines.get(serviceId) ?? Promise.resolve()).then(inTurn);
    const ended = mine.catch(() => undefined);
    lines.set(serviceId, ended);
    try {
      return await mine;
    } finally {
      held.isOpen = false;
      if (lines.get(serviceId) === ended) lines.delete(serviceId);
    }
  }
  return {
    take,
    takeIfFree: async (serviceId, work) => (lines.has(serviceId) ? undefined : take(serviceId, work)),
  };
}

function isHeld(held: Held | undefined, serviceId: string): boolean {
  if (held === undefined) return false;
  return (held.isOpen && held.serviceId === serviceId) || isHeld(held.outer, serviceId);
}
