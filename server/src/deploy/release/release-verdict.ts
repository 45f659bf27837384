import type { ServiceState, TaskState } from '../../ports/engine/engine.ts';

/** What a release is measured by. */
export interface ReleaseTarget {
  /** `AppliedService.generation` of the release. */
  generation: string;
  /** `UpdateState.startedAt` of the service before the release: an update with this start is an older one. */
  previousUpdateStartedAt?: string | undefined;
  expectedReplicas: number;
  /**
   * How long all replicas must run before a release without an engine update counts (a first one, a start
   * from 0 replicas); milliseconds.
   */
  monitorMs: number;
  /** So many ended tasks of a release without an engine update mean that it failed. */
  failedTasks: number;
  /** A task that ended with 0 has done its work and is not started again (`ServiceSpec.restart`). */
  mayEnd?: boolean | undefined;
}

/** One look at the engine. */
export interface ReleaseObservation {
  service: ServiceState | undefined;
  /** Tasks of the service, newest first. */
  tasks: readonly TaskState[];
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * What one look says. `healthySince` is when all replicas were first seen running without a break until now.
 */
export type ReleaseVerdict =
  | { kind: 'waiting'; healthySince: number | undefined }
  | { kind: 'rolling-back'; task: TaskState | undefined }
  | { kind: 'completed'; healthySince: number }
  /** Every task has ended with 0, in a release where that is no failure. */
  | { kind: 'ended' }
  | { kind: 'rolled-back'; task: TaskState | undefined; isComplete: boolean }
  | { kind: 'failed'; task: TaskState | undefined }
  | { kind: 'removed' }
  | { kind: 'superseded' };

const failureStates: ReadonlySet<string> = new Set(['failed', 'rejected', 'complete', 'orphaned']);

/**
 * Judges a release by one look and by how long it has been healthy. Swarm makes a task with a health check
 * `running` only when the check has passed, and takes the update status away when a service changes, so a
 * status is of this release or has a former start (both measured on 20.10).
 */
export function judgeRelease(
  target: ReleaseTarget,
  { service, tasks, now }: ReleaseObservation,
  healthySince: number | undefined,
): ReleaseVerdict {
  if (service === undefined) return { kind: 'removed' };
  const own = tasks.filter((task) => task.generation === target.generation);
  const failures = own.filter(
    ({ state }) => failureStates.has(state) && !(target.mayEnd === true && state === 'complete'),
  );
  const update = service.update?.startedAt === target.previousUpdateStartedAt ? undefined : service.update;

  if (update?.state === 'rollback_started') return { kind: 'rolling-back', task: failures[0] };
  if (update?.state === 'rollback_completed')
    return { kind: 'rolled-back', task: failures[0], isComplete: true };
  if (update?.state === 'rollback_paused')
    return { kind: 'rolled-back', task: failures[0], isComplete: false };
  if (service.generation !== target.generation) return { kind: 'superseded' };
  if (update?.state === 'paused') return { kind: 'failed', task: failures[0] };

  const done = target.mayEnd === true ? own.filter(({ state }) => state === 'complete').length : 0;
  if (done > 0 && done >= target.expectedReplicas) return { kind: 'ended' };
  const since = isHealthy(own, target.expectedReplicas - done) ? (healthySince ?? now) : undefined;
  if (update?.state === 'updating') return { kind: 'waiting', healthySince: since };
  const isSettled = since !== undefined && (update?.state === 'completed' || now - since >= target.monitorMs);
  if (isSettled) return { kind: 'completed', healthySince: since };
  if (failures.length >= target.failedTasks) return { kind: 'failed', task: failures[0] };
  return { kind: 'waiting', healthySince: since };
}

function isHealthy(own: readonly TaskState[], expectedReplicas: number): boolean {
  const running = own.filter((task) => task.state === 'running' && task.desiredState === 'running').length;
  return running >= expectedReplicas;
}
