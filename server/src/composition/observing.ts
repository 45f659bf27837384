/** What runs on every host, kept in memory: one observer for each. */
import { serviceKey, type ServiceRef } from '../domain/service-ref.ts';
import type { Live } from '../domain/live.ts';
import type { Host } from '../ports/host.ts';
import { createObserver, type Observer } from '../reconcile/observer.ts';
import type { Ground } from './ground.ts';
import type { Machines } from './machines.ts';

export interface Observing {
  /** What runs of a service; null when nothing of it is released, or its engine was not seen yet. */
  liveOf(service: ServiceRef): Live | null;
  start(): void;
  stop(): Promise<void>;
}

/** A server that is connected later is found by this. */
const hostsLookMs = 60_000;

export function createObserving(
  { clock, log }: Ground,
  { hosts, deployments }: Pick<Machines, 'hosts' | 'deployments'>,
): Observing {
  const shown = new Map<string, Live>();
  const observers = new Map<string, Observer>();
  let looking: NodeJS.Timeout | undefined;

  function observe({ key, name: hostName, engine }: Host): void {
    if (observers.has(key)) return;
    const observer = createObserver({
      engine,
      clock,
      shown,
      async deploymentOf(deploymentId) {
        const found = await deployments.find(deploymentId);
        return found && { ...found, isDone: found.status === 'done' };
      },
      onProblem: (problem, service, { restarts, lastExit }) =>
        log.warn('A released service is in trouble', {
          host: hostName,
          service,
          problem,
          restarts,
          lastExit,
        }),
      onFault: (error) => void log.fault(error, 'observer of the engine'),
    });
    observers.set(key, observer);
    observer.start();
  }
  const observeAll = async (): Promise<void> => {
    for (const host of await hosts.all()) if (looking !== undefined) observe(host);
  };
  return {
    liveOf: (service) => shown.get(serviceKey(service)) ?? null,
    start() {
      const look = (): void => void observeAll().catch((error) => void log.fault(error, 'hosts to observe'));
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
