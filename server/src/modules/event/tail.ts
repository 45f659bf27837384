/**
 * The newest events, read once for all who follow them: a commit wakes it, and whoever is behind it reads the
 * database. Positions have no gaps, so a place in it is counted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { pageSize, type EventRecord, type EventStore } from './store.ts';

export interface Tail {
  /** Counts a reader until it leaves. */
  join(signal: AbortSignal): TailReader;
  /** How many wait or read. */
  readers(): number;
}

export interface TailReader {
  /** What comes after the position, perhaps nothing yet. */
  after(position: number): readonly EventRecord[] | Promise<readonly EventRecord[]>;
  /** Resolves when something comes after the position, or when the signal fires. */
  wait(position: number): Promise<void>;
  /** Whether the signal has fired. */
  isOver(): boolean;
  leave(): void;
}

const kept = 2000;
/** Another process on the same database wakes nobody here. */
const pollMs = 1000;
/** The first change is told at once, and those that follow within this time together. */
export const gatherMs = 20;

export function createTail(store: EventStore, onFault: (error: unknown) => void): Tail {
  const newest = createNewest(store, onFault);
  let readers = 0;
  let leave: (() => void) | undefined;
  function watch(): () => void {
    const end = store.onTold(newest.look);
    const timer = setInterval(newest.look, pollMs).unref();
    return () => {
      end();
      clearInterval(timer);
      newest.forget();
    };
  }
  return {
    readers: () => readers,
    join(signal) {
      readers += 1;
      leave ??= watch();
      const place: Place = { isOver: signal.aborted, wake: () => undefined };
      // Once for all that it waits for: a signal made of others is slow to ask and to listen to.
      const end = (): void => {
        place.isOver = true;
        place.wake();
      };
      signal.addEventListener('abort', end, { once: true });
      let isIn = true;
      return {
        after: (position) => newest.after(position) ?? store.after(position),
        wait: (position) => newest.wait(position, place),
        isOver: () => place.isOver,
        leave() {
          if (!isIn) return;
          isIn = false;
          signal.removeEventListener('abort', end);
          readers -= 1;
          if (readers > 0) return;
          leave?.();
          leave = undefined;
        },
      };
    },
  };
}

/** Somebody who reads. */
interface Place {
  isOver: boolean;
  /** Looks whether what it waits for is there. */
  wake(): void;
}

/** The newest of them in memory. */
function createNewest(store: EventStore, onFault: (error: unknown) => void) {
  let events: EventRecord[] = [];
  /** The newest position that was read; undefined before the first look. */
  let last: number | undefined;
  let loading: Promise<void> | undefined;
  let isStale = false;
  const waiting = new Set<Place>();
  const isBehind = (position: number): boolean => last !== undefined && last > position;

  async function load(): Promise<void> {
    do {
      isStale = false;
      last ??= await store.head();
      const found = await store.after(last);
      events = [...events, ...found].slice(-kept);
      last = found.at(-1)?.position ?? last;
      for (const place of waiting) place.wake();
      if (found.length === pageSize) isStale = true;
      else await pause(gatherMs, undefined, { ref: false });
    } while (isStale);
  }
  function look(): void {
    isStale = true;
    loading ??= load()
      .catch(onFault)
      .finally(() => {
        loading = undefined;
      });
  }
  return {
    look,
    /** Undefined where they do not reach back so far. */
    after(position: number): readonly EventRecord[] | undefined {
      const first = events[0]?.position;
      return first === undefined || position < first - 1
        ? undefined
        : events.slice(position - first + 1, position - first + 1 + pageSize);
    },
    wait: (position: number, place: Place): Promise<void> =>
      new Promise((resolve) => {
        if (place.isOver || isBehind(position)) return resolve();
        place.wake = () => {
          if (!place.isOver && !isBehind(position)) return;
          waiting.delete(place);
          resolve();
        };
        waiting.add(place);
        if (last === undefined) look();
      }),
    forget(): void {
      events = [];
      last = undefined;
    },
  };
}
