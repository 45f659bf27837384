/**
 * Whether Berth answers, and whether it still serves the version that this page was loaded from. While it
 * does not answer it is asked every 3 s, and what is on the screen is read again as soon as it does.
 */
import { useSyncExternalStore } from 'react';

export interface ConnectionState {
  /** `offline`: the browser has no network. `lost`: it has one, and Berth does not answer. */
  reach: 'reached' | 'offline' | 'lost';
  /** Berth serves another version of the dashboard than this tab has loaded. */
  isOutdated: boolean;
}

const againMs = 3000;
const answerLimitMs = 5000;

let state: ConnectionState = { reach: 'reached', isOutdated: false };
let timer: ReturnType<typeof setTimeout> | undefined;
let isAsking = false;
let onReturn: () => void = () => undefined;
const listeners = new Set<() => void>();

function become(next: Partial<ConnectionState>): void {
  const changed = { ...state, ...next };
  if (changed.reach === state.reach && changed.isOutdated === state.isOutdated) return;
  state = changed;
  for (const listener of listeners) listener();
}

/** Asks Berth now; resolves to whether it answered. */
export async function probe(): Promise<boolean> {
  if (isAsking) return state.reach === 'reached';
  isAsking = true;
  clearTimeout(timer);
  const doesAnswer = await fetch('/api/health', {
    cache: 'no-store',
    signal: AbortSignal.timeout(answerLimitMs),
  }).then(
    ({ ok }) => ok,
    () => false,
  );
  isAsking = false;
  if (doesAnswer) {
    const wasAway = state.reach !== 'reached';
    become({ reach: 'reached' });
    if (wasAway) {
      onReturn();
      void checkVersion();
    }
  } else {
    become({ reach: navigator.onLine ? 'lost' : 'offline' });
    timer = setTimeout(() => void probe(), againMs);
  }
  return doesAnswer;
}

/** Called for an answer that did not come. */
export function noteUnreachable(): void {
  if (state.reach === 'reached') void probe();
}

/** Address of the program of the page whose text this is. */
const programOf = (html: string): string | undefined => /src="([^"]*\/assets\/[^"]+\.js)"/.exec(html)?.[1];

/** Resolves to whether another version is served than the one that this tab has loaded. */
export async function checkVersion(): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src');
  const served = await fetch('/', {
    cache: 'no-store',
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(answerLimitMs),
  }).then(
    async (answer) => (answer.ok ? programOf(await answer.text()) : undefined),
    () => undefined,
  );
  if (own && served && served !== own) become({ isOutdated: true });
  return state.isOutdated;
}

/** Watches until the returned function is called; `back` is called when Berth answers again. */
export function watchConnection(back: () => void): () => void {
  onReturn = back;
  const ask = (): void => void probe();
  addEventListener('offline', ask);
  addEventListener('online', ask);
  return () => {
    removeEventListener('offline', ask);
    removeEventListener('online', ask);
    clearTimeout(timer);
  };
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useConnection = (): ConnectionState => useSyncExternalStore(subscribe, () => state);
