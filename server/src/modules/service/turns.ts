import { AsyncLocalStorage } from 'node:async_hooks';
import { oneAtATime, type OneAtATime } from '../../domain/time/one-at-a-time.ts';

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
  /** Of each service that somebody works on or waits for: its line, and how many stand in it. */
  const lines = new Map<string, { inTurn: OneAtATime; works: number }>();
  const present = new AsyncLocalStorage<Held | undefined>();

  async function take<T>(serviceId: string, work: () => Promise<T>): Promise<T> {
    const outer = present.getStore();
    if (isHeld(outer, serviceId)) return work();
    const held: Held = { serviceId, isOpen: true, outer };
    const line = lines.get(serviceId) ?? { inTurn: oneAtATime(), works: 0 };
    lines.set(serviceId, line);
    line.works += 1;
    try {
      return await line.inTurn(() => present.run(held, work));
    } finally {
      held.isOpen = false;
      line.works -= 1;
      if (line.works === 0) lines.delete(serviceId);
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
