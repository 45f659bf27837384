/** Work that waits its turn while as much as may be is under way. */
export interface InFlight {
  /** Begins when there is room; rejects with the signal's reason when that comes first. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** An engine that answers nobody holds this many of our calls, and no more. */
export function createInFlight(most: number): InFlight {
  const waiting: (() => void)[] = [];
  let under = 0;

  async function room(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (under < most) {
      under += 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const leave = (): void => {
      const at = waiting.indexOf(turn.resolve);
      // Its turn may have come already.
      if (at !== -1) waiting.splice(at, 1);
      turn.reject(signal.reason);
    };
    waiting.push(turn.resolve);
    signal.addEventListener('abort', leave, { once: true });
    await turn.promise;
    signal.removeEventListener('abort', leave);
  }

  return {
    async run(signal, work) {
      await room(signal);
      try {
        return await work();
      } finally {
        // Whoever comes next takes the place as it is.
        const next = waiting.shift();
        if (next) next();
        else under -= 1;
      }
    },
  };
}
