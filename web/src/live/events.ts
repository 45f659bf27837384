/**
 * What happens on the server, as one stream for the whole tab: each event has what it touches read again,
 * gathered for 100 ms. Without the stream for a minute everything on the screen is read every 10 s.
 */
import { exists, listen, queries, type Path } from './api.ts';

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

const pollMs = 10_000;
const path = 'event.stream';

/** Follows until the given function is called. Where the server has no such stream it reads every 10 s. */
export function startEvents(): () => void {
  if (!exists(path)) return poll(() => undefined);
  let stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastEventId: string | undefined;
  let isEnded = false;
  let stopPolling: (() => void) | undefined;
  const run = async (): Promise<void> => {
    const { signal } = (stop = new AbortController());
    while (!signal.aborted && !isEnded) {
      try {
        become(state === 'polling' ? 'polling' : state === 'live' ? 'live' : 'off');
        for await (const { id, data } of listen(path as Path, {}, { signal, lastEventId })) {
          lastEventId = id || lastEventId;
          stopPolling?.();
          stopPolling = undefined;
          become('live');
          note(data);
        }
      } catch {
        // Refused or away: read by hand until it is back, and say so.
        if (signal.aborted) return;
      }
      if (signal.aborted) return;
      stopPolling ??= poll(() => become('polling'));
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  };
  const onHidden = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => stop.abort(), 30_000);
    else if (stop.signal.aborted) void run();
  };
  document.addEventListener('visibilitychange', onHidden);
  void run();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    stopPolling?.();
    document.removeEventListener('visibilitychange', onHidden);
    stop.abort();
    become('off');
  };
}

function poll(begun: () => void): () => void {
  begun();
  const timer = setInterval(() => {
    if (!document.hidden)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => isLive(queryKey[0]) });
  }, pollMs);
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
  'server',
  'previewDeployment',
  'alarm',
  'schedule',
];

/** What changes by itself; settings and the like are read when somebody looks. */
const isLive = (name: unknown): boolean =>
  typeof name === 'string' && live.includes(name.split('.')[0] ?? '');

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
    void queries.invalidateQueries({
      predicate: ({ queryKey: [name] }) =>
        typeof name === 'string' && (names.has('*') ? isLive(name) : names.has(name.split('.')[0] ?? '')),
    });
  }, 100);
}

const services = ['application', 'compose', 'postgres', 'mysql', 'mariadb', 'mongo', 'redis'];

function touchedBy(kind: string, what: string): readonly string[] {
  const shown = ['service', 'project', 'environment'];
  if (what === 'deployment' || kind === 'deployment') return ['deployment', ...shown, ...services];
  if (what === 'condition' || services.includes(kind))
    return [...shown, 'alarm', ...(services.includes(kind) ? [kind] : services)];
  return [kind, ...(kind === 'project' || kind === 'environment' ? shown : services)];
}
