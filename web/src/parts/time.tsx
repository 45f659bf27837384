/** Times as people say them; the exact one, local and UTC, in the tip. */
import { useSyncExternalStore, type ReactElement } from 'react';

let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  if (document.hidden) return;
  now = Date.now();
  for (const listener of listeners) listener();
}, 5_000);

const subscribe = (listener: () => void): (() => void) => {
  now = Date.now();
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

/** `just now`, `40 s ago`, `3 min ago`, `5 h ago`, `2 d ago`, then the date. */
export function ago(at: number, from: number): string {
  const seconds = Math.round((from - at) / 1000);
  // What is months away is better known by its date.
  if (seconds < -90 * 86_400) return new Date(at).toLocaleDateString('en-CA');
  if (seconds < 0) return until(-seconds);
  if (seconds < 10) return 'just now';
  if (seconds < 60) return `${Math.floor(seconds / 10) * 10} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return new Date(at).toLocaleDateString('en-CA');
}

const until = (seconds: number): string =>
  seconds < 60
    ? 'in a moment'
    : seconds < 3600
      ? `in ${Math.round(seconds / 60)} min`
      : seconds < 86_400
        ? `in ${Math.round(seconds / 3600)} h`
        : `in ${Math.round(seconds / 86_400)} d`;

export function Ago({ at }: { at: string | null | undefined }): ReactElement {
  const from = useNow();
  if (at == null) return <span className="text-faint">–</span>;
  const time = Date.parse(at);
  const exact = `${new Date(time).toLocaleString('en-GB')} local, ${new Date(time).toISOString()}`;
  return (
    <time dateTime={at} title={exact} className="whitespace-nowrap">
      {ago(time, from)}
    </time>
  );
}

/** A sentence of the server with its times as the viewer's clock has them, to the second. */
export const withLocalTimes = (sentence: string): string =>
  sentence.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (iso) =>
    new Date(iso).toLocaleString('en-GB'),
  );

/** `820 ms`, `14 s`, `1 m 04 s`, `2 h 05 m`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const pad = (count: number): string => String(count).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${pad(Math.floor((seconds % 3600) / 60))} m`;
}

/** How long something took, or has taken until now. */
export function Took({ from, to }: { from: string | null; to: string | null }): ReactElement {
  const present = useNow();
  if (from === null) return <span className="text-faint">–</span>;
  const end = to === null ? Math.max(present, Date.parse(from)) : Date.parse(to);
  return <span className="tabular-nums whitespace-nowrap">{duration(end - Date.parse(from))}</span>;
}
