/** What runs on every host, kept in memory: one observer for each. */
import { serviceKey, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { HostSight } from '../../domain/states/condition.ts';
import type { Live } from '../../domain/states/live.ts';
import type { RunningService } from '../../ports/engine/engine.ts';
import type { Host, Hosts } from '../../ports/host/host.ts';
import { createObserver, type Observer, type ObserverOptions } from './observer.ts';

export interface HostObservers {
  /** What runs of a service; null when nothing of it is released, or its engine was not seen yet. */
  liveOf(service: ServiceRef): Live | null;
  sightOf(serverKey: string): HostSight;
  /** What runs of every service that anything runs of. */
  shown(): { kind: string; serviceId: string; live: Live }[];
  /** Hosts whose engine does not answer. */
  unreachable(): { serverKey: string; name: string; since: string }[];
  /** The host has another swarm from now on, or none. */
  forgetObserved(serverKey: string): Promise<void>;
  /** `onShown` is told from now on that something else is shown. */
  start(onShown: () => void): void;
  stop(): Promise<void>;
}

type Trouble = Parameters<ObserverOptions['onProblem']>;

export interface HostObserversParts extends Pick<ObserverOptions, 'clock' | 'deploymentOf'> {
  hosts: Pick<Hosts, 'all'>;
  /** A released service of this host is in trouble. */
  onProblem(host: string, ...trouble: Trouble): void;
  onFault(error: unknown, what: string): void;
  onSeen(serverKey: string, found: RunningService): void;
  isWatched(): boolean;
}

/** A server that is connected later is found by this. */
const hostsLookMs = 60_000;

type NamedObserver = Observer & { hostName: string };

export function createHostObservers(parts: HostObserversParts): HostObservers {
  const { hosts, clock, deploymentOf, onProblem, onFault, onSeen, isWatched } = parts;
  const shown = new Map<string, Live>();
  const observers = new Map<string, NamedObserver>();
  let looking: NodeJS.Timeout | undefined;

  function observe({ key, name: hostName, engine }: Host, onShown: () => void): void {
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
    });
    observers.set(key, { ...observer, hostName });
    observer.start();
  }
  async function observeAll(onShown: () => void): Promise<void> {
    for (const host of await hosts.all()) if (looking !== undefined) observe(host, onShown);
  }
  return {
    liveOf: (service) => shown.get(serviceKey(service)) ?? null,
    sightOf: (key) => observers.get(key)?.sight() ?? { state: 'unseen' },
    ...sights(shown, observers),
    start(onShown) {
      const look = (): void =>
        void observeAll(onShown).catch((error: unknown) => onFault(error, 'hosts to observe'));
      looking = setInterval(look, hostsLookMs);
      look();
    },
    async stop() {
      clearInterval(looking);
      looking = undefined;
      await Promise.all([...observers.values()].map((observer) => observer.stop()));
    },
  };
}

function sights(
  shown: ReadonlyMap<string, Live>,
  observers: Map<string, NamedObserver>,
): Pick<HostObservers, 'shown' | 'unreachable' | 'forgetObserved'> {
  return {
    async forgetObserved(serverKey) {
      const former = observers.get(serverKey);
      observers.delete(serverKey);
      await former?.stop();
    },
    shown: () =>
      [...shown].map(([key, live]) => {
        const [kind = '', serviceId = ''] = key.split(':');
        return { kind, serviceId, live };
      }),
    unreachable: () =>
      [...observers].flatMap(([serverKey, { hostName, unreachableSince }]) => {
        const since = unreachableSince();
        return since === null ? [] : { serverKey, name: hostName, since };
      }),
  };
}
