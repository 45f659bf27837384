/** What runs on every host, and what each service is in, joined with the records and the events. */
import { conditionEvent, type Events } from '../../modules/event/event.ts';
import { createConditions, type Conditions } from '../../modules/service/conditions.ts';
import { createHostObservers, type HostObservers } from '../../reconcile/observing/host-observers.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from './machines.ts';

export interface Observing
  extends Pick<HostObservers, 'liveOf' | 'shown' | 'unreachable' | 'forgetObserved'> {
  conditions: Conditions;
  start(): void;
  stop(): Promise<void>;
}

export function createObserving(
  { clock, log, stores }: Ground,
  {
    hosts,
    deployments,
    endedOutput,
    portGuard,
  }: Pick<Machines, 'hosts' | 'deployments' | 'endedOutput' | 'portGuard'>,
  events: Pick<Events, 'isFollowed' | 'tellAll'>,
): Observing {
  const observers = createHostObservers({
    hosts,
    clock,
    async deploymentOf(deploymentId) {
      const found = await deployments.find(deploymentId);
      return found && { ...found, isDone: found.status === 'done' };
    },
    onProblem: (host, problem, service, { restarts, lastExit }) =>
      log.warn('A released service is in trouble', { host, service, problem, restarts, lastExit }),
    onFault: (error, what) => void log.fault(error, what),
    onSeen: endedOutput.note,
    onChange: (key) =>
      void hosts.find(key).then(
        (host) => host && portGuard.follow(host),
        () => undefined,
      ),
    isWatched: events.isFollowed,
  });
  const conditions = createConditions({
    liveOf: observers.liveOf,
    sightOf: observers.sightOf,
    clock,
    judged: stores.serviceReads.judged,
    everywhere: stores.serviceReads.everywhere,
    onChanges: (changes) => events.tellAll(changes.map(conditionEvent)),
    onFault: (error) => void log.fault(error, 'conditions of services'),
    isWatched: events.isFollowed,
  });
  let leave: (() => void) | undefined;
  return {
    ...observers,
    conditions,
    start() {
      // What a service is in follows from its record, too.
      leave = stores.events.onTold(conditions.look);
      conditions.start();
      observers.start(conditions.look);
    },
    async stop() {
      leave?.();
      await conditions.stop();
      await observers.stop();
      await endedOutput.stop();
    },
  };
}
