/**
 * Watches what the engine of one host runs, and keeps it in memory for whoever reads: the engine's events say
 * which services to look at, and a slow look at all of them finds what no event told. Reads ask neither
 * engine nor database.
 */
import { AppError } from '../domain/errors.ts';
import type { Engine } from '../ports/engine.ts';
import { createObservedServices, type ObservedOptions } from './observed-services.ts';

export interface ObserverOptions extends ObservedOptions {
  engine: Pick<Engine, 'changes' | 'containerEnd' | 'servicesWithTasks' | 'serviceWithTasks'>;
  /** Told what nobody expected. */
  onFault(error: unknown): void;
  fullLookMs?: number;
}

export interface Observer {
  /** Looks at everything once; SERVICE_UNAVAILABLE when the engine does not answer. */
  look(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const usualFullLookMs = 60_000;
/** An event of a container is there before the swarm knows what became of its task. */
const looksAfterMs = [300, 3000] as const;
const firstRetryMs = 1000;
const longestRetryMs = 30_000;

export function createObserver(options: ObserverOptions): Observer {
  const { engine, onFault, fullLookMs = usualFullLookMs } = options;
  const observed = createObservedServices(options);
  const stopped = new AbortController();
  const later = createTimers(stopped.signal);
  const due = new Set<string>();
  let work = Promise.resolve();
  let following: Promise<void> | undefined;

  const failed = (error: unknown): void => (isUnavailable(error) ? observed.lose() : onFault(error));
  /** One look at a time. */
  function inTurn(look: () => Promise<void>): Promise<void> {
    work = work.then(async () => {
      if (!stopped.signal.aborted) await look().catch(failed);
    });
    return work;
  }
  function lookSoon(name: string): void {
    for (const ms of looksAfterMs) {
      const key = `${ms} ${name}`;
      if (due.has(key)) continue;
      due.add(key);
      later(ms, () => {
        due.delete(key);
        void inTurn(async () => observed.note(name, await engine.serviceWithTasks(name)));
      });
    }
  }
  const lookAtAll = async (): Promise<void> => observed.noteAll(await engine.servicesWithTasks());
  const lookAgain = (): void => {
    if (!stopped.signal.aborted) later(fullLookMs, () => void inTurn(lookAtAll).then(lookAgain));
  };
  async function follow(): Promise<void> {
    let retryMs = firstRetryMs;
    while (!stopped.signal.aborted) {
      try {
        for await (const name of engine.changes(stopped.signal)) {
          retryMs = firstRetryMs;
          if (name === undefined) void inTurn(lookAtAll);
          else lookSoon(name);
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
    start() {
      following ??= follow();
      lookAgain();
    },
    async stop() {
      stopped.abort();
      await Promise.all([following, work]);
    },
  };
}

/** Timers that go off at once when the signal fires. */
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
