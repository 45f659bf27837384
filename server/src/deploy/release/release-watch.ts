import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ContainerEnd } from '../../ports/engine/container-end.ts';
import type { Engine, TaskState } from '../../ports/engine/engine.ts';
import { createCheckWatch } from './check-watch.ts';
import { createPlaceWatch } from './place-watch.ts';
import { failureReason } from './failure-reason.ts';
import { judgeRelease } from './release-verdict.ts';
import type { ReleaseObservation, ReleaseTarget, ReleaseVerdict } from './release-verdict.ts';

export interface ReleaseWatch {
  engine: Pick<Engine, 'serviceWithTasks' | 'containerEnd' | 'failedCheck'>;
  clock: Clock;
  serviceName: string;
  /**
   * `AppliedService.generation`; after a restart of Berth, `ServiceState.generation` while its
   * `berth.release` label is the deployment's.
   */
  generation: string;
  /** `ServiceState.update.startedAt` from before the release, if any. */
  previousUpdateStartedAt?: string | undefined;
  expectedReplicas: number;
  /** The service's `monitorMs`. */
  monitorMs: number;
  signal: AbortSignal;
  /** How long the release may take until it is `completed`, in milliseconds. */
  limitMs: number;
  /** See `ReleaseTarget.mayEnd`. */
  mayEnd?: boolean | undefined;
  /** Fail once the program has listened elsewhere for 10 s, in place of waiting for the start period. */
  failsElsewhere?: boolean | undefined;
  onEvent(event: ReleaseEvent): void;
}

export type ReleaseEvent =
  /**
   * All replicas run and are healthy since `at`; reported again after they were not. The monitor has not
   * passed yet.
   */
  | { kind: 'healthy'; at: number }
  /** The newest task of the release has changed its state. */
  | { kind: 'task'; task: TaskState }
  /** The health check of the newest task keeps failing; reported once for each reason. */
  | { kind: 'check'; words: string }
  /** The engine goes back to the former version. */
  | { kind: 'rolling-back'; reason: string };

/** How a release ended. Reasons are sentences for the user. */
export type ReleaseOutcome =
  /** Healthy, and the engine's monitor has passed. `healthyAt` is in milliseconds since the epoch. */
  | { kind: 'completed'; healthyAt: number }
  /** Its tasks have ended with 0 and are not started again. */
  | { kind: 'ended' }
  /** The engine went back to the former version. */
  | { kind: 'rolled-back'; reason: string; exitCode?: number | undefined; taskId?: string | undefined }
  /**
   * The release failed and no former version was restored: there was none, another change replaced it, or
   * Berth stopped waiting before the engine had decided (`isUndecided`: the limit passed, or the program
   * listens elsewhere; an update may still be under way, see `Engine.rollbackService`).
   */
  | {
      kind: 'failed';
      reason: string;
      exitCode?: number | undefined;
      taskId?: string | undefined;
      isUndecided?: boolean;
    };

/**
 * One look takes 4 ms of processor time, engine and Berth together. Most releases are healthy within the
 * first looks, and people wait for those, so the pauses become longer only after them.
 */
const pauseMs = (looks: number): number => (looks < 40 ? 75 : 300);

/** A manager learns so late, at most, what its nodes tell of their tasks (measured on 20.10). */
const reportDelayMs = 100;

/** How long to wait for an engine that restarts before its absence is an error. */
const engineAbsenceMs = 60_000;

/** A first release fails after this many ended tasks. */
const failedTasks = 3;

/**
 * Watches a release that `applyService` or `restartService` began until it is completed, rolled back or
 * failed. It asks for two small answers each 75 ms, and after 3 s each 300 ms. Throws the signal's reason
 * when aborted, and SERVICE_UNAVAILABLE when the engine stays away for a minute.
 */
export async function watchRelease(watch: ReleaseWatch): Promise<ReleaseOutcome> {
  const target: ReleaseTarget = { ...watch, failedTasks };
  const end = watch.clock.now() + watch.limitMs;
  const progress = createProgress(watch);
  const look = createLook(watch);
  const checks = createCheckWatch(watch);
  const places = createPlaceWatch(watch.generation);
  for (let looks = 1; ; looks += 1) {
    watch.signal.throwIfAborted();
    const observation = await look();
    if (observation !== undefined) {
      const verdict = judgeRelease(target, observation, progress.healthySince());
      await progress.note(observation, verdict);
      if (verdict.kind === 'waiting') await checks.look(progress.newest());
      const placeless = verdict.kind === 'waiting' ? places.look(observation) : undefined;
      if (placeless !== undefined) return undecided(progress.newest(), placeless);
      const elsewhere = watch.failsElsewhere === true ? checks.elsewhere() : undefined;
      if (verdict.kind === 'waiting' && elsewhere !== undefined)
        return undecided(
          progress.newest(),
          `It never became healthy: its health check kept failing; at last it said: ${elsewhere}.`,
        );
      const outcome = await conclude(watch, verdict, { ...progress, words: checks.words });
      if (outcome !== undefined) return outcome;
    }
    if (watch.clock.now() >= end) return timedOut(watch, progress.newest(), checks.words());
    // The top of the loop throws the reason of an abort.
    await sleep(pauseMs(looks), undefined, { signal: watch.signal }).catch(() => undefined);
  }
}

/** Looks at the engine; undefined when it is away for the moment. */
function createLook({
  engine,
  serviceName,
  clock,
}: ReleaseWatch): () => Promise<ReleaseObservation | undefined> {
  let awaySince: number | undefined;
  return async () => {
    try {
      const { service, tasks } = await engine.serviceWithTasks(serviceName);
      awaySince = undefined;
      return { service, tasks, now: clock.now() };
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE')) throw error;
      awaySince ??= clock.now();
      if (clock.now() - awaySince > engineAbsenceMs) throw error;
      return undefined;
    }
  };
}

/** Remembers what was seen, and reports each change once. */
function createProgress(watch: ReleaseWatch) {
  const seenRunning = new Set<string>();
  let healthySince: number | undefined;
  let healthyAt = 0;
  let lookedAt: number | undefined;
  let newest: TaskState | undefined;
  let isRollingBack = false;
  const hasRun = (task: TaskState | undefined): boolean => task !== undefined && seenRunning.has(task.id);

  function noteTasks(tasks: readonly TaskState[]): void {
    const own = tasks.filter((task) => task.generation === watch.generation);
    for (const task of own) if (task.state === 'running') seenRunning.add(task.id);
    const [first] = own;
    if (
      first === undefined ||
      (first.id === newest?.id && first.state === newest.state && first.error === newest.error)
    )
      return;
    newest = first;
    watch.onEvent({ kind: 'task', task: first });
  }

  function noteHealth(since: number | undefined, { tasks, now }: ReleaseObservation): void {
    if (since !== undefined && healthySince === undefined) {
      healthyAt = lastBegan(
        tasks.filter((task) => task.generation === watch.generation && task.state === 'running'),
        { from: lookedAt === undefined ? now : lookedAt - reportDelayMs, to: now },
      );
      watch.onEvent({ kind: 'healthy', at: healthyAt });
    }
    healthySince = since;
    lookedAt = now;
  }

  return {
    healthySince: () => healthySince,
    healthyAt: () => healthyAt,
    newest: () => newest,
    hasRun,
    async note(observation: ReleaseObservation, verdict: ReleaseVerdict): Promise<void> {
      noteTasks(observation.tasks);
      if (verdict.kind === 'waiting' || verdict.kind === 'completed')
        noteHealth(verdict.healthySince, observation);
      if (verdict.kind !== 'rolling-back' || isRollingBack) return;
      isRollingBack = true;
      watch.onEvent({
        kind: 'rolling-back',
        reason: await reasonOf(watch, verdict.task, hasRun(verdict.task)),
      });
    },
  };
}

/**
 * When the last of these tasks came to its state, by the clock of its node. Other servers' clocks may be
 * wrong; between the two looks that differ it was in any case.
 */
function lastBegan(tasks: readonly TaskState[], { from, to }: { from: number; to: number }): number {
  const began = Math.max(...tasks.map(({ stateAt }) => Date.parse(stateAt)));
  return Number.isNaN(began) ? to : Math.min(to, Math.max(from, began));
}

/** What the verdicts are told with. */
interface Seen {
  healthyAt(): number;
  hasRun(task: TaskState | undefined): boolean;
  words(): string | undefined;
}

async function conclude(
  watch: ReleaseWatch,
  verdict: ReleaseVerdict,
  { healthyAt, hasRun, words }: Seen,
): Promise<ReleaseOutcome | undefined> {
  switch (verdict.kind) {
    case 'waiting':
    case 'rolling-back':
      return undefined;
    case 'completed':
      return { kind: 'completed', healthyAt: healthyAt() };
    case 'ended':
      return { kind: 'ended' };
    case 'removed':
      return {
        kind: 'failed',
        reason: `The service ${watch.serviceName} was removed while it was being released.`,
      };
    case 'superseded':
      return { kind: 'failed', reason: 'Another change of the service replaced this release.' };
    case 'failed':
    case 'rolled-back': {
      const reason = await reasonOf(watch, verdict.task, hasRun(verdict.task), words());
      const isStuck = verdict.kind === 'rolled-back' && !verdict.isComplete;
      const note = isStuck
        ? ' The engine began to go back to the former version and could not finish; see its tasks.'
        : '';
      return {
        kind: verdict.kind,
        reason: reason + note,
        exitCode: verdict.task?.exitCode,
        taskId: verdict.task?.id,
      };
    }
  }
}

async function reasonOf(
  { engine }: ReleaseWatch,
  task: TaskState | undefined,
  hasRun: boolean,
  words?: string,
): Promise<string> {
  const end = task?.containerId === undefined ? undefined : await containerEnd(engine, task.containerId);
  return failureReason(task, end, hasRun, end?.failedCheck ?? words);
}

/** How the container ended, to add to the reason; undefined where the engine cannot tell. */
async function containerEnd(
  engine: ReleaseWatch['engine'],
  containerId: string,
): Promise<ContainerEnd | undefined> {
  try {
    return await engine.containerEnd(containerId);
  } catch {
    return undefined;
  }
}

function timedOut(
  watch: ReleaseWatch,
  newest: TaskState | undefined,
  words: string | undefined,
): ReleaseOutcome {
  const state =
    newest === undefined
      ? 'the engine has not started a task of it'
      : `its newest task is ${newest.state}${newest.error === '' ? '' : `: ${newest.error}`}`;
  const complaint = words === undefined ? '' : `; its health check says: ${words}`;
  return undecided(
    newest,
    `The new version was not ready within ${watch.limitMs / 1000} s; ${state}${complaint}.`,
  );
}

const undecided = (newest: TaskState | undefined, reason: string): ReleaseOutcome => ({
  kind: 'failed',
  reason,
  exitCode: newest?.exitCode,
  taskId: newest?.id,
  isUndecided: true,
});
