/**
 * Time that goes on only when nothing else can happen: as soon as this process waits for a timer and for
 * nothing else, the clock stands at that timer and it fires. What takes a minute on the machine takes a
 * millisecond here, and nothing waits for real seconds. Whatever asks the time or sets a timer gets this one:
 * `Date.now`, `performance.now`, `setTimeout`, `setInterval`, `node:timers/promises`, `AbortSignal.timeout`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire, syncBuiltinESMExports } from 'node:module';

/** A running program of a test, whose timers end with it. */
export interface World {
  readonly name: string;
  isOver: boolean;
}

interface Timer {
  at: number;
  world: World | undefined;
  fire(): void;
}

const require = createRequire(import.meta.url);
const timersPromises: object = require('node:timers/promises');
const realImmediate = globalThis.setImmediate;
const worlds = new AsyncLocalStorage<World>();

/** Work on the disk and of the next turn of the event loop is real; time stands still while there is some. */
const isReal = (resource: string): boolean =>
  resource.startsWith('FSReq') || resource.startsWith('CloseReq') || resource === 'Immediate';
/** Answers that are waited for from outside this process, which no resource of the event loop tells. */
let awaited = 0;
/** So many looks at the event loop must find nothing under way before the clock goes on. */
const quietLooks = 2;

/** Runs work as a part of the world: what it starts is dropped when the world is over. */
export function inWorld<T>(world: World, work: () => T): T {
  return worlds.run(world, work);
}

/** Runs work as a part of no world, whoever asked for it: what it starts outlives them. */
export function outsideWorlds<T>(work: () => T): T {
  return worlds.exit(work);
}

/** Time stands still until the function that it gives is called. */
export function holdTime(): () => void {
  awaited += 1;
  let isHeld = true;
  return () => {
    if (isHeld) awaited -= 1;
    isHeld = false;
  };
}

/** Puts virtual time in the place of the machine's, until the function that it gives is called. */
export function installVirtualTime(startAt = Date.UTC(2030, 0, 1)): () => void {
  const queue = createTimers(startAt);
  const undo: (() => void)[] = [];
  const put = (target: object, name: string, value: unknown): void => {
    const former: unknown = Reflect.get(target, name);
    Reflect.set(target, name, value);
    undo.push(() => void Reflect.set(target, name, former));
  };
  const clear = (timer: unknown): void => {
    if (timer instanceof VirtualTimer) timer.close();
  };
  put(Date, 'now', () => Math.floor(queue.now()));
  put(performance, 'now', () => queue.now() - startAt);
  put(globalThis, 'setTimeout', (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    const timer = new VirtualTimer(queue, ms ?? 0, () => run(...given));
    return timer.start();
  });
  put(globalThis, 'setInterval', (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    const timer: VirtualTimer = new VirtualTimer(queue, Math.max(1, ms ?? 1), () => {
      timer.start();
      run(...given);
    });
    return timer.start();
  });
  put(globalThis, 'clearTimeout', clear);
  put(globalThis, 'clearInterval', clear);
  put(AbortSignal, 'timeout', abortAfter);
  put(timersPromises, 'setTimeout', pause);
  syncBuiltinESMExports();
  return () => {
    queue.stop();
    for (const back of undo.toReversed()) back();
    syncBuiltinESMExports();
  };
}

interface Timers {
  now(): number;
  add(timer: Timer): void;
  remove(timer: Timer): void;
  stop(): void;
}

function createTimers(startAt: number): Timers {
  /** Earliest last. */
  const waiting: Timer[] = [];
  let now = startAt;
  let quiet = 0;
  let isRunning = false;

  function turn(): void {
    if (waiting.length === 0) {
      isRunning = false;
      return;
    }
    quiet = awaited > 0 || process.getActiveResourcesInfo().some(isReal) ? 0 : quiet + 1;
    if (quiet >= quietLooks) {
      quiet = 0;
      const next = waiting.pop();
      if (next !== undefined) {
        now = Math.max(now, next.at);
        if (next.world?.isOver !== true) next.fire();
      }
    }
    realImmediate(turn);
  }

  return {
    now: () => now,
    add(timer) {
      let low = 0;
      let high = waiting.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((waiting[middle]?.at ?? 0) > timer.at) low = middle + 1;
        else high = middle;
      }
      waiting.splice(low, 0, timer);
      if (isRunning) return;
      isRunning = true;
      realImmediate(turn);
    },
    remove(timer) {
      const at = waiting.indexOf(timer);
      if (at >= 0) waiting.splice(at, 1);
    },
    stop: () => void waiting.splice(0),
  };
}

/** What `setTimeout` gives, as far as anybody asks it. */
class VirtualTimer {
  readonly #timers: Timers;
  readonly #ms: number;
  readonly #entry: Timer;

  constructor(timers: Timers, ms: number, run: () => void) {
    this.#timers = timers;
    this.#ms = Number.isFinite(ms) ? Math.max(0, ms) : 0;
    const inContext = AsyncLocalStorage.snapshot();
    this.#entry = { at: 0, world: worlds.getStore(), fire: () => inContext(run) };
  }

  start(): this {
    this.#entry.at = this.#timers.now() + this.#ms;
    this.#timers.add(this.#entry);
    return this;
  }

  close(): this {
    this.#timers.remove(this.#entry);
    return this;
  }

  refresh(): this {
    return this.close().start();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(
    () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    ms,
  );
  return controller.signal;
}

/** As `setTimeout` of `node:timers/promises`. */
function pause<T>(ms?: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const aborted = (): void =>
      reject(
        Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
          name: 'AbortError',
          code: 'ABORT_ERR',
        }),
      );
    if (signal?.aborted) {
      aborted();
      return;
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve(value);
    }, ms);
    const stop = (): void => {
      clearTimeout(timer);
      aborted();
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
