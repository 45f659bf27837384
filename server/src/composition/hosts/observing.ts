/** What runs on every host, kept in memory: one observer for each. */
import { serviceKey, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { Live } from '../../domain/states/live.ts';
import type { Host } from '../../ports/host/host.ts';
import { createObserver, type Observer, type ObserverOptions } from '../../reconcile/observer.ts';
import { conditionEvent, type Events } from '../../modules/event/event.ts';
import { createConditions, type ConditionParts, type Conditions } from '../../modules/service/conditions.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from './machines.ts';

export interface Observing {
  /** What runs of a service; null when nothing of it is released, or its engine was not seen yet. */
  liveOf(service: ServiceRef): Live | null;
  conditions: Conditions;
  /** What runs of every service that anything runs of. */
  shown(): { kind: string; serviceId: string; live: Live }[];
  /** Hosts whose engine does not answer. */
  unreachable(): { serverKey: string; name: string; since: string }[];
  /** The host has another swarm from now on, or none. */
  forgetObserved(serverKey: string): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/** A server that is connected later is found by this. */
const hostsLookMs = 60_000;

export function createObserving(
  { clock, log, stores }: Ground,
  { hosts, deployments, endedOutput }: Pick<Machines, 'hosts' | 'deployments' | 'endedOutput'>,
  events: Pick<Events, 'isFollowed' | 'tellAll'>,
): Observing {
  const shown = new Map<string, Live>();
  const observers = new Map<string, Observer & { hostName: string }>();
  const liveOf: Observing['liveOf'] = (service) => shown.get(serviceKey(service)) ?? null;
  const sightOf: ConditionParts['sightOf'] = (key) => observers.get(key)?.sight() ?? { state: 'unseen' };
  const conditions = conditionsOf({ clock, log, stores }, events, { liveOf, sightOf });
  let leave: (() => void) | undefined;
  let looking: NodeJS.Timeout | undefined;

  function observe({ key, name: hostName, engine }: Host): void {
    if (observers.has(key)) return;
    const observer = createObserver({
      engine,
      clock,
      shown,
      deploymentOf: deploymentsAsRun(deployments),
      onProblem: (problem, service, { restarts, lastExit }) =>
        log.warn('A released service is in trouble', {
          host: hostName,
          service,
          problem,
          restarts,
          lastExit,
        }),
      onFault: (error) => void log.fault(error, 'observer of the engine'),
      onShown: conditions.look,
      onSeen: (found) => endedOutput.note(key, found),
      isWatched: events.isFollowed,
    });
    observers.set(key, { ...observer, hostName });
    observer.start();
  }
  const observeAll = async (): Promise<void> => {
    for (const host of await hosts.all()) if (looking !== undefined) observe(host);
  };
  return {
    liveOf,
    conditions,
    ...sights(shown, observers),
    start() {
      const look = (): void => void observeAll().catch((error) => void log.fault(error, 'hosts to observe'));
      looking = setInterval(look, hostsLookMs);
      // What a service is in follows from its record, too.
      leave = stores.events.onTold(conditions.look);
      conditions.start();
      look();
    },
    async stop() {
      clearInterval(looking);
      leave?.();
      await conditions.stop();
      looking = undefined;
      await Promise.all([...observers.values()].map((observer) => observer.stop()));
      await endedOutput.stop();
    },
  };
}

function sights(
  shown: ReadonlyMap<string, Live>,
  observers: Map<string, Observer & { hostName: string }>,
): Pick<Observing, 'shown' | 'unreachable' | 'forgetObserved'> {
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

function deploymentsAsRun(
  deployments: Pick<Machines['deployments'], 'find'>,
): ObserverOptions['deploymentOf'] {
  return async (deploymentId) => {
    const found = await deployments.find(deploymentId);
    return found && { ...found, isDone: found.status === 'done' };
  };
}

function conditionsOf(
  { clock, log, stores }: Pick<Ground, 'clock' | 'log' | 'stores'>,
  events: Pick<Events, 'isFollowed' | 'tellAll'>,
  seen: Pick<ConditionParts, 'liveOf' | 'sightOf'>,
): Conditions {
  return createConditions({
    ...seen,
    clock,
    judged: stores.serviceReads.judged,
    everywhere: stores.serviceReads.everywhere,
    onChanges: (changes) => events.tellAll(changes.map(conditionEvent)),
    onFault: (error) => void log.fault(error, 'conditions of services'),
    isWatched: events.isFollowed,
  });
}
