/**
 * What happens on the server, as one stream for all tabs: each event has what it touches read again, gathered
 * for 100 ms. Without the stream everything on the screen is read every 10 s.
 */
import { exists, readAgain } from './api.ts';
import { checkVersion, noteUnreachable } from './connection.ts';
import { againMs } from './event-stream.ts';
import { openEventStream } from './shared-events.ts';
import { touchedBy } from './touched.ts';

export type StreamState = 'off' | 'connecting' | 'live' | 'polling';

let state: StreamState = 'off';
const listeners = new Set<() => void>();

export const streamState = (): StreamState => state;
export function onStreamState(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
function become(next: StreamState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}

/** A hidden tab needs nothing until it is shown again. */
const hiddenLimitMs = 30_000;

/** Follows until the given function is called. Where the server has no such stream it reads every 10 s. */
export function startEvents(): () => void {
  if (!exists('event.stream')) return poll(() => undefined);
  let stopPolling: (() => void) | undefined;
  const endPolling = (): void => {
    stopPolling?.();
    stopPolling = undefined;
  };
  let knowsPosition = false;
  let wasLive = false;
  const stream = openEventStream((told) => {
    if ('event' in told) {
      if (!isPosition(told.event)) return note(told.event);
      if (!knowsPosition) readOlder();
      if (wasLive && !knowsPosition) void checkVersion();
      wasLive = true;
      knowsPosition = true;
      return;
    }
    if (!told.isLive) {
      knowsPosition = false;
      noteUnreachable();
      return void (stopPolling ??= poll(() => become('polling')));
    }
    endPolling();
    become('live');
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onHidden = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => stream.end(), hiddenLimitMs);
    else stream.begin();
  };
  document.addEventListener('visibilitychange', onHidden);
  stream.begin();
  return () => {
    clearTimeout(timer);
    endPolling();
    document.removeEventListener('visibilitychange', onHidden);
    stream.end();
    become('off');
  };
}

function poll(begun: () => void): () => void {
  begun();
  const timer = setInterval(() => {
    if (!document.hidden) void readAgain(isLive);
  }, againMs);
  return () => clearInterval(timer);
}

const live = [
  'project',
  'environment',
  'application',
  'compose',
  'postgres',
  'mysql',
  'mariadb',
  'mongo',
  'redis',
  'deployment',
  'service',
  'domain',
  'backup',
  'volumeBackup',
  'server',
  'previewDeployment',
  'alarm',
  'schedule',
];

/** What changes by itself; settings and the like are read when somebody looks. */
const isLive = (path: string): boolean => live.includes(path.split('.')[0] ?? '');

const isPosition = (event: unknown): boolean => (event as Happening | null)?.type === 'position';

/** Milliseconds: what was read so shortly before the stream stands is as new as the stream. */
const newMs = 1000;

/** What was read before the stream stood, as before a crash that it had to wait for, may be old. */
function readOlder(): void {
  const now = Date.now();
  void readAgain((path, readAt) => isLive(path) && now - readAt > newMs);
}

interface Happening {
  kind?: string;
  what?: string;
  type?: string;
}

let gathered = new Set<string>();
let gathering: ReturnType<typeof setTimeout> | undefined;

function note(data: unknown): void {
  const { kind = '', what = '', type = '' } = (data ?? {}) as Happening;
  if (what === 'reset' || type === 'reset' || kind === 'reset') gathered.add('*');
  else for (const router of touchedBy(kind, what)) gathered.add(router);
  gathering ??= setTimeout(() => {
    const names = gathered;
    gathered = new Set();
    gathering = undefined;
    void readAgain((path) => (names.has('*') ? isLive(path) : names.has(path.split('.')[0] ?? '')));
  }, 100);
}
