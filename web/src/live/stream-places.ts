/**
 * Over plain http a browser has six connections to a server for all of its tabs: one carries the events, so
 * that three logs at most are followed at once. The one that was begun or looked at longest ago pauses, which
 * tabs tell each other by a channel.
 */

export const mostStreams = 3;

/** One stream's word to the others. */
interface Word {
  id: string;
  /** Milliseconds since 1970 when it began, or was looked at; undefined: it ended. */
  at?: number | undefined;
}

/** The streams that were begun after one, as far as it was told. */
export function laterStreams(heard: Map<string, number>, word: Word, ownAt: number): number {
  if (word.at === undefined) heard.delete(word.id);
  else heard.set(word.id, word.at);
  return [...heard.values()].filter((at) => at >= ownAt).length;
}

export interface StreamPlace {
  /** Begun, or looked at again: others that are older give way. */
  take(): void;
  leave(): void;
}

let made = 0;

/** `onLost` is called when three others began later. */
export function streamPlace(onLost: () => void): StreamPlace {
  if (typeof BroadcastChannel === 'undefined') return { take: () => undefined, leave: () => undefined };
  const id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${(made += 1)}`;
  const heard = new Map<string, number>();
  let channel: BroadcastChannel | undefined;
  let ownAt = 0;
  const leave = (): void => {
    channel?.postMessage({ id } satisfies Word);
    channel?.close();
    channel = undefined;
    heard.clear();
    removeEventListener('pagehide', leave);
  };
  return {
    leave,
    take() {
      ownAt = Date.now();
      if (!channel) {
        channel = new BroadcastChannel('berth-logs');
        channel.addEventListener('message', ({ data }) => {
          if (laterStreams(heard, data as Word, ownAt) < mostStreams) return;
          leave();
          onLost();
        });
        addEventListener('pagehide', leave);
      }
      channel.postMessage({ id, at: ownAt } satisfies Word);
    },
  };
}
