/** So many at once; whoever comes later waits for a place, first come, first served. */
export interface Places {
  /** Throws the signal's reason; then no place was taken, and none is lost to those who wait. */
  take(signal: AbortSignal): Promise<void>;
  release(): void;
  /** There are fewer than thought: one less than are taken now. */
  lower(): void;
  open(): number;
}

export function createPlaces(atMost: number): Places {
  let most = atMost;
  let open = 0;
  const waiting: (() => void)[] = [];
  const wakeNext = (): void => waiting.shift()?.();
  return {
    async take(signal) {
      while (open >= most) {
        signal.throwIfAborted();
        const turn = Promise.withResolvers<void>();
        const leave = (): void => turn.resolve();
        waiting.push(turn.resolve);
        signal.addEventListener('abort', leave, { once: true });
        await turn.promise;
        signal.removeEventListener('abort', leave);
        if (!signal.aborted) continue;
        // Woken and leaving: the next one has the turn.
        const at = waiting.indexOf(turn.resolve);
        if (at === -1) wakeNext();
        else waiting.splice(at, 1);
      }
      signal.throwIfAborted();
      open += 1;
    },
    release() {
      open -= 1;
      wakeNext();
    },
    lower() {
      most = Math.max(1, open - 1);
    },
    open: () => open,
  };
}
