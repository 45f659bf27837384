/**
 * Watches what the engine of one host runs, and keeps it in memory, so that reads ask neither engine nor
 * database. The engine's events say which services to look at; an occasional look at all of them finds what
 * no event reported.
 */
import { AppError } from '../../domain/errors.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import { createObservedServices, type ObservedOptions, type ObservedServices } from './observed-services.ts';

export interface ObserverOptions extends ObservedOptions {
  engine: Pick<
    Engine,
    'changes' | 'containerEnd' | 'pausedContainers' | 'servicesWithTasks' | 'serviceWithTasks'
  >;
  /** Called with unexpected errors. */
  onFault(error: unknown): void;
  fullLookMs?: number;
  /** Called with each event of a service or container. */
  onChange?(): void;
  /** Whether somebody follows; while it is true, everything is looked at each `watchedLookMs`. */
  isWatched?(): boolean;
}

export interface Observer {
  /** Looks at everything once; throws SERVICE_UNAVAILABLE when the engine does not answer. */
  look(): Promise<void>;
  /** Whether the engine was seen, and whether it answers. */
  sight: ObservedServices['sight'];
  /** ISO 8601: when the engine was last seen; null while it answers. */
  unreachableSince(): string | null;
  start(): void;
  stop(): Promise<void>;
}

const usualFullLookMs = 60_000;
const watchedLookMs = 5000;
/** Looks twice, because the event of a container comes before the swarm has updated its task. */
const looksAfterMs = [300, 3000] as const;
const firstRetryMs = 1000;
const longestRetryMs = 30_000;

export function createObserver(options: ObserverOptions): Observer {
  const { engine, onFault, fullLookMs = usualFullLookMs, isWatched = () => false } = options;
  const observed = createObservedServices(options);
  const stopped = new AbortController();
  const later = createTimers(stopped.signal);
  const due = new Set<string>();
  let following: Promise<void> | undefined;
  const failed = (error: unknown): void => (isUnavailable(error) ? observed.lose() : onFault(error));
  const turns = createTurns(stopped.signal, failed);
  const inTurn = turns.take;
  function lookSoon(name: string): void {
    for (const [ms, key] of looksAfterMs.map((each) => [each, `${each} ${name}`] as const)) {
      if (due.has(key)) continue;
      due.add(key);
      later(ms, () => {
        due.delete(key);
        void inTurn(() => look(name));
      });
    }
  }
  const { look, lookAtAll } = createLooks(engine, observed);
  const pauseMs = Math.min(watchedLookMs, fullLookMs);
  function lookAgain(sinceMs = pauseMs): void {
    if (stopped.signal.aborted) return;
    later(pauseMs, () => {
      if (!isWatched() && sinceMs < fullLookMs) lookAgain(sinceMs + pauseMs);
      else void inTurn(lookAtAll).then(() => lookAgain());
    });
  }
  async function follow(): Promise<void> {
    let retryMs = firstRetryMs;
    while (!stopped.signal.aborted) {
      try {
        for await (const name of engine.changes(stopped.signal)) {
          retryMs = firstRetryMs;
          options.onChange?.();
          void (name === undefined ? inTurn(lookAtAll) : lookSoon(name));
        }
      } catch (error) {
        failed(error);
      }
      await new Promise<void>((resolve) => later(retryMs, resolve));
      retryMs = Math.min(retryMs * 2, longestRetryMs);
    }
  }
  return {
    look: lookAtAll,
    sight: observed.sight,
    unreachableSince: observed.unreachableSince,
    start() {
      following ??= follow();
      lookAgain();
    },
    async stop() {
      stopped.abort();
      await Promise.all([following, turns.ended()]);
    },
  };
}

function createLooks(engine: ObserverOptions['engine'], observed: ObservedServices) {
  const paused = async (): Promise<ReadonlySet<string>> => new Set(await engine.pausedContainers());
  return {
    async look(name: string): Promise<void> {
      const [found, still] = await Promise.all([engine.serviceWithTasks(name), paused()]);
      await observed.note(name, found, still);
    },
    async lookAtAll(): Promise<void> {
      const [all, still] = await Promise.all([engine.servicesWithTasks(), paused()]);
      await observed.noteAll(all, still);
    },
  };
}

/**
 * One look at a time. An aborted signal ends the wait, so that an engine that hangs does not delay the end.
 */
function createTurns(signal: AbortSignal, failed: (error: unknown) => void) {
  let work = Promise.resolve();
  return {
    take(look: () => Promise<void>): Promise<void> {
      work = work.then(async () => {
        if (signal.aborted) return;
        const done = look().catch((error: unknown) => {
          if (!signal.aborted) failed(error);
        });
        await unlessOver(done, signal);
      });
      return work;
    },
    ended: () => work,
  };
}

/**
 * Resolves with the work or when the signal is aborted. Promise.race with one lasting promise would keep
 * memory of every look until the end.
 */
function unlessOver(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
    if (signal.aborted) end();
  });
}

/** Timers that fire at once when the signal is aborted. */
function createTimers(signal: AbortSignal): (ms: number, then: () => void) => void {
  return (ms, then) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      then();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms);
    timer.unref();
    signal.addEventListener('abort', end, { once: true });
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
}
