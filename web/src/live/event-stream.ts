/** The server's events as they happen, begun again for as long as they are wanted. */
import { follow } from '../../../client/follow.ts';

/** An event, or whether the stream stands. */
export type Told = { event: unknown } | { isLive: boolean };

export interface EventStream {
  begin(): void;
  end(): void;
}

/** Stands for an event whose like were missed: everything that is shown may be old. */
export const everythingMayBeOld = { event: { what: 'reset' } } as const;

/** Milliseconds until a stream that was refused, or stayed away, is asked for again. */
export const againMs = 10_000;

/** Goes on after the last event it gave, however often it is ended and begun. */
export function createEventStream(url: string, tell: (told: Told) => void): EventStream {
  let stop: AbortController | undefined;
  let lastEventId: string | undefined;
  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        const options = { signal, lastEventId, giveUpAfterMs: againMs };
        for await (const { id, data } of follow({ url }, 'event.stream', {}, options)) {
          lastEventId = id || lastEventId;
          tell({ isLive: true });
          tell({ event: data });
        }
      } catch {
        // Refused or away: asked for again below, and told.
      }
      if (signal.aborted) return;
      tell({ isLive: false });
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  };
  return {
    begin() {
      if (stop && !stop.signal.aborted) return;
      stop = new AbortController();
      void run(stop.signal);
    },
    end: () => stop?.abort(),
  };
}
