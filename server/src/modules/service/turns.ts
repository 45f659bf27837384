import { AsyncLocalStorage } from 'node:async_hooks';
import { oneAtATime, type OneAtATime } from '../../domain/time/one-at-a-time.ts';

/**
 * One change of a service at a time, so that a person's change and the reconciler's never overlap. Without it
 * the reconciler would see a service that is scaled down but not yet recorded as stopped, and start it again.
 * It holds within this process only.
 */
export interface Turns {
  /** Waits for its turn, then works. A turn taken within a turn of the same service is part of that one. */
  take<T>(serviceId: string, work: () => Promise<T>): Promise<T>;
  /** Works when nobody has the turn; otherwise resolves with undefined at once. */
  takeIfFree<T>(serviceId: string, work: () => Promise<T>): Promise<T | undefined>;
}

/** Work that a turn started may outlive the turn; from then on it is no longer part of it. */
interface Held {
  serviceId: string;
  isOpen: boolean;
  outer: Held | undefined;
}

export function createTurns(): Turns {
  /** For each service with work: the queue, and the number of works in it. */
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
