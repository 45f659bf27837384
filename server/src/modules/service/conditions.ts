/**
 * What every service is in, and the events that tell of changes of it (decisions 14): compared from memory
 * and one statement, after each look at an engine that showed something else and each few seconds.
 */
import {
  conditionOf,
  type Condition,
  type ConditionVerdict,
  type HostSight,
} from '../../domain/states/condition.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Clock } from '../../ports/clock.ts';
import { refOfService } from './record-lists.ts';
import type { ConditionChange, JudgedService, LiveReader, PlacedService } from './service.ts';

export interface ConditionParts {
  clock: Clock;
  liveOf: LiveReader;
  sightOf(serverKey: string): HostSight;
  /** Every service of the installation, as each comparison reads them. */
  judged(): Promise<JudgedService[]>;
  /** The same with their names and places, read when a condition has changed. */
  everywhere(): Promise<PlacedService[]>;
  /** Told of what changed, all of one comparison together. */
  onChanges(changes: ConditionChange[]): Promise<void>;
  onFault(error: unknown): void;
  /** Whether somebody watches: then it is compared each few seconds. */
  isWatched(): boolean;
}

export interface Conditions {
  of(service: Judged): ConditionVerdict;
  /** Something may have changed: compares soon. */
  look(): void;
  /** Compares now. */
  compare(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

type Judged = Omit<JudgedService, 'organizationId'>;

const soonMs = 250;
const watchedMs = 5000;
const unwatchedMs = 60_000;

export function createConditions(parts: ConditionParts): Conditions {
  const of = judge(parts);
  const compareOnce = createComparison(parts, of);
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();
  let isStarted = false;
  let isDue = true;
  let [dueAt, comparedAt] = [Infinity, 0];

  function compare(): Promise<void> {
    work = work.then(compareOnce).catch(parts.onFault);
    return work;
  }
  function plan(ms: number): void {
    const at = parts.clock.now() + ms;
    if (!isStarted || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void turn(), ms).unref();
  }
  async function turn(): Promise<void> {
    dueAt = Infinity;
    const now = parts.clock.now();
    if (isDue || parts.isWatched() || now - comparedAt >= unwatchedMs) {
      isDue = false;
      comparedAt = now;
      await compare();
    }
    plan(isDue ? soonMs : watchedMs);
  }
  return {
    of,
    compare,
    look() {
      isDue = true;
      plan(soonMs);
    },
    start() {
      isStarted = true;
      plan(soonMs);
    },
    async stop() {
      isStarted = false;
      clearTimeout(timer);
      await work;
    },
  };
}

function judge({ liveOf, sightOf, clock }: ConditionParts): Conditions['of'] {
  return ({ kind, serviceId, serverId, liveDeploymentId, isStopped }) =>
    conditionOf(
      {
        isReleased: liveDeploymentId !== null,
        isStopped,
        live: liveOf(refOfService({ kind, serviceId })),
        host: sightOf(serverKeyOf({ serverId })),
      },
      clock.now(),
    );
}

/** Tells of conditions that differ from those of the last comparison. */
function createComparison(
  { judged, everywhere, onChanges }: ConditionParts,
  of: Conditions['of'],
): () => Promise<void> {
  const told = new Map<string, Condition>();
  const hasChanged = (service: JudgedService): boolean =>
    of(service).condition !== told.get(service.serviceId);
  return async () => {
    const services = await judged();
    const present = new Set(services.map(({ serviceId }) => serviceId));
    for (const serviceId of told.keys()) if (!present.has(serviceId)) told.delete(serviceId);
    if (!services.some(hasChanged)) return;
    const changes: ConditionChange[] = (await everywhere())
      .filter(hasChanged)
      .map((service) => ({ ...service, ...of(service), former: told.get(service.serviceId) }));
    if (changes.length > 0) await onChanges(changes);
    for (const { serviceId, condition } of changes) told.set(serviceId, condition);
  };
}
