/**
 * The newest events, read once for all who follow them: a commit wakes it, and whoever is behind it reads the
 * database. Positions have no gaps, so a place in it is counted.
 */
import { pageSize, type EventRecord, type EventStore } from './store.ts';

export interface Tail {
  /** What comes after the position, perhaps nothing yet. */
  after(position: number): Promise<readonly EventRecord[]>;
  /** Resolves when something comes after the position, or when the signal fires. */
  wait(position: number, signal: AbortSignal): Promise<void>;
  /** How many wait or read. */
  readers(): number;
  /** Counts a reader until the function is called that it gives. */
  join(): () => void;
}

const kept = 2000;
/** Another process on the same database wakes nobody here. */
const pollMs = 1000;

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
    after: async (position) => newest.after(position) ?? store.after(position),
    wait: newest.wait,
    readers: () => readers,
    join() {
      readers += 1;
      leave ??= watch();
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        readers -= 1;
        if (readers > 0) return;
        leave?.();
        leave = undefined;
      };
    },
  };
}

/** The newest of them in memory. */
function createNewest(store: EventStore, onFault: (error: unknown) => void) {
  let events: EventRecord[] = [];
  /** The newest position that was read; undefined before the first look. */
  let last: number | undefined;
  let loading: Promise<void> | undefined;
  let isStale = false;
  const waiting = new Set<() => void>();
  const isBehind = (position: number): boolean => last !== undefined && last > position;

  async function load(): Promise<void> {
    do {
      isStale = false;
      last ??= await store.head();
      const found = await store.after(last);
      events = [...events, ...found].slice(-kept);
      last = found.at(-1)?.position ?? last;
      for (const wake of waiting) wake();
      if (found.length === pageSize) isStale = true;
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
    wait: (position: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (signal.aborted || isBehind(position)) return resolve();
        const wake = (): void => {
          if (!signal.aborted && !isBehind(position)) return;
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
        if (last === undefined) look();
      }),
    forget(): void {
      events = [];
      last = undefined;
    },
  };
}
