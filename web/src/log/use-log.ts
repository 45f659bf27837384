/** A live log as lines in a store; one stream, ended when the page leaves it or is hidden for 5 s. */
import { useEffect, useState } from 'react';
import { listen, sentenceOf, type Path } from '../live/api.ts';
import { streamPlace } from '../live/stream-places.ts';
import { createLogStore, type LogStore } from './lines.ts';

export interface LiveLog {
  store: LogStore;
  /** `paused`: other tabs follow as many logs as the browser has connections for. */
  state: 'connecting' | 'live' | 'over' | 'failed' | 'paused';
  outcome?: string | undefined;
  fault?: string | undefined;
  /** Of a paused one: goes on here, and another pauses. */
  resume?: (() => void) | undefined;
}

interface Event {
  type?: string;
  text?: string;
  at?: string;
  stream?: 'stdout' | 'stderr';
  stage?: string;
  task?: string;
  service?: string;
  outcome?: string;
}

/** Short: over plain http a browser has six connections for all its tabs. */
const hiddenLimitMs = 5_000;

/** Of one program from its beginning to its end: its lines stand in the order in which they were written. */
const numbered: readonly Path[] = ['deployment.logs', 'server.setupLogs', 'schedule.runLogs'];

/** `attempt` begins it anew where the same input leads to another log. */
export function useLog(path: Path, input: object, isOn = true, attempt = 0): LiveLog {
  const key = JSON.stringify([path, input, attempt]);
  const [store, setStore] = useState(() => createLogStore());
  const [state, setState] = useState<Omit<LiveLog, 'store'>>({ state: 'connecting' });
  useEffect(() => {
    if (!isOn) return;
    const own = createLogStore({ isByTime: !numbered.includes(path) });
    setStore(own);
    setState({ state: 'connecting' });
    return followInto(own, path, JSON.parse(key)[1], setState);
  }, [key, isOn, path]);
  return { store, ...state };
}

/** The time that a line begins with stands beside it already. */
const withoutTime = (text: string, at: string | undefined): string =>
  at !== undefined && text.startsWith(`${at} `) ? text.slice(at.length + 1) : text;

function followInto(
  store: LogStore,
  path: Path,
  input: object,
  setState: (state: Omit<LiveLog, 'store'>) => void,
): () => void {
  // Nothing is followed before somebody looks: the browser has few connections for all its tabs.
  let stop: AbortController | undefined;
  let lastEventId: string | undefined;
  let isOver = false;
  const place = streamPlace(() => {
    stop?.abort();
    setState({ state: 'paused', resume: () => void begin() });
  });
  const begin = async (): Promise<void> => {
    const { signal } = (stop = new AbortController());
    try {
      place.take();
      setState({ state: 'live' });
      for await (const { id, data } of listen(path, input, { signal, lastEventId, giveUpAfterMs: 300_000 })) {
        lastEventId = id;
        const event = data as Event;
        if (event.type === 'end') {
          isOver = true;
          setState({ state: 'over', outcome: event.outcome });
        } else if (event.text !== undefined) store.add({ ...event, text: withoutTime(event.text, event.at) });
      }
      if (!isOver) setState({ state: 'over' });
      isOver = true;
    } catch (error) {
      if (signal.aborted) return;
      isOver = true;
      setState({ state: 'failed', fault: sentenceOf(error) });
    }
    place.leave();
  };
  const pause = (): void => {
    stop?.abort();
    place.leave();
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onHidden = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(pause, hiddenLimitMs);
    else onLook();
  };
  const onLook = (): void => {
    if (isOver || document.hidden) return;
    if (stop?.signal.aborted === false) place.take();
    else void begin();
  };
  addEventListener('focus', onLook);
  document.addEventListener('visibilitychange', onHidden);
  if (!document.hidden) void begin();
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onHidden);
    removeEventListener('focus', onLook);
    isOver = true;
    pause();
  };
}
