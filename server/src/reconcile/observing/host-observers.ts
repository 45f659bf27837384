/** What runs on every host, kept in memory: one observer for each. */
import { serviceKey, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { HostSight } from '../../domain/states/condition.ts';
import type { Live } from '../../domain/states/live.ts';
import type { RunningService } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';
import { createObserver, type Observer, type ObserverOptions } from './observer.ts';

export interface HostObservers {
  /** What runs of a service; null when nothing of it is released, or its engine was not seen yet. */
  liveOf(service: ServiceRef): Live | null;
  /** Whether the host's engine was seen, and whether it answers. */
  sightOf(serverKey: string): HostSight;
  /** What runs of every service that anything runs of. */
  shown(): { kind: string; serviceId: string; live: Live }[];
  /** Hosts whose engine does not answer. */
  unreachable(): { serverKey: string; name: string; since: string }[];
  /** Stops observing a host whose swarm has changed; the next look for hosts observes its new one. */
  forgetObserved(serverKey: string): Promise<void>;
  /** From now on `onShown` is called whenever what is shown has changed. */
  start(onShown: () => void): void;
  stop(): Promise<void>;
}

type Trouble = Parameters<ObserverOptions['onProblem']>;

type ObservedHost = Pick<Host, 'key' | 'name'> & Pick<ObserverOptions, 'engine'>;

export interface HostObserversParts extends Pick<ObserverOptions, 'clock' | 'deploymentOf'> {
  hosts: { all(): Promise<ObservedHost[]> };
  /** A released service of this host is in trouble. */
  onProblem(host: string, ...trouble: Trouble): void;
  onFault(error: unknown, what: string): void;
  /** Called with each service that was found, changed or not. */
  onSeen(serverKey: string, found: RunningService): void;
  /** Called when something of the host's engine may have started or ended. */
  onChange?(serverKey: string): void;
  /** Whether somebody follows the events now; then observers look more often. */
  isWatched(): boolean;
}

/** Between two looks for hosts that were connected since. */
const hostsLookMs = 60_000;

type NamedObserver = Observer & { hostName: string };

export function createHostObservers(parts: HostObserversParts): HostObservers {
  const { hosts, clock, deploymentOf, onProblem, onFault, onSeen, isWatched } = parts;
  const shown = new Map<string, Live>();
  const observers = new Map<string, NamedObserver>();
  /** Undefined before `start` and after `stop`. */
  let hostsTimer: NodeJS.Timeout | undefined;

  function observe({ key, name: hostName, engine }: ObservedHost, onShown: () => void): void {
    if (observers.has(key)) return;
    const observer = createObserver({
      engine,
      clock,
      shown,
      deploymentOf,
      onProblem: (...trouble) => onProblem(hostName, ...trouble),
      onFault: (error) => onFault(error, 'observer of the engine'),
      onShown,
      onSeen: (found) => onSeen(key, found),
      isWatched,
      onChange: () => parts.onChange?.(key),
    });
    observers.set(key, { ...observer, hostName });
    observer.start();
  }
  async function observeAll(onShown: () => void): Promise<void> {
    const all = await hosts.all();
    // Stopped while the hosts were read: whatever began now, nobody would stop.
    if (hostsTimer === undefined) return;
    for (const host of all) observe(host, onShown);
  }
  return {
    liveOf: (service) => shown.get(serviceKey(service)) ?? null,
    sightOf: (key) => observers.get(key)?.sight() ?? { state: 'unseen' },
    shown: () => shownServices(shown),
    unreachable: () => unreachableHosts(observers),
    async forgetObserved(serverKey) {
      const former = observers.get(serverKey);
      observers.delete(serverKey);
      await former?.stop();
    },
    start(onShown) {
      const look = (): void =>
        void observeAll(onShown).catch((error: unknown) => onFault(error, 'hosts to observe'));
      hostsTimer = setInterval(look, hostsLookMs);
      look();
    },
    async stop() {
      clearInterval(hostsTimer);
      hostsTimer = undefined;
      await Promise.all([...observers.values()].map((observer) => observer.stop()));
    },
  };
}

function shownServices(shown: ReadonlyMap<string, Live>): ReturnType<HostObservers['shown']> {
  return [...shown].map(([key, live]) => {
    const [kind = '', serviceId = ''] = key.split(':');
    return { kind, serviceId, live };
  });
}

function unreachableHosts(
  observers: ReadonlyMap<string, NamedObserver>,
): ReturnType<HostObservers['unreachable']> {
  return [...observers].flatMap(([serverKey, { hostName, unreachableSince }]) => {
    const since = unreachableSince();
    return since === null ? [] : { serverKey, name: hostName, since };
  });
}
