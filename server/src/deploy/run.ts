/**
 * Runs the deployments of this process: which is where, and how a person ends one. An attempt itself is
 * attempt.ts.
 */
import { AppError } from '../domain/errors.ts';
import { ownerOf, serviceKey, type ServiceRef } from '../domain/names/service-ref.ts';
import type { JobRecord } from '../db/tables.ts';
import type { Turns } from '../modules/service/turns.ts';
import { attempt, Killed, type AttemptOptions } from './attempt.ts';

export interface DeploymentRunner {
  /**
   * Handler of the queue's `deployment` jobs; returns when the deployment has ended, or when the signal took
   * it away.
   */
  run(job: JobRecord, signal: AbortSignal): Promise<void>;
  /** Ends the running build of the service, if one is in a building stage; false when nothing is building. */
  killBuild(service: ServiceRef): Promise<boolean>;
  /**
   * Cancels whatever deployment of the service runs here, and waits for its end; SERVICE_UNAVAILABLE when
   * that takes too long.
   */
  end(service: ServiceRef, reason: string): Promise<void>;
  /** The same for one that waits for a build slot; gives how many did. */
  endWaiting(service: ServiceRef, reason: string): Promise<number>;
}

export interface RunnerOptions extends AttemptOptions {
  turns: Pick<Turns, 'take'>;
}

interface Running {
  service: string;
  /** It waits for its build slot. */
  isWaiting: boolean;
  /** Processes of a build may be running. */
  isBuilding: boolean;
  kill: AbortController;
  done: Promise<void>;
}

/** Longer than the undoing of an upgrade that was cut short takes. */
const endLimitMs = 120_000;

export function createDeploymentRunner(options: RunnerOptions): DeploymentRunner {
  const running = new Map<string, Running>();

  async function stop(entries: Running[], reason: string, status: 'error' | 'cancelled'): Promise<void> {
    for (const { kill } of entries) kill.abort(new Killed(reason, status));
    await within(endLimitMs, Promise.all(entries.map(({ done }) => done)));
  }
  const ofService = (service: ServiceRef): Running[] =>
    [...running.values()].filter((entry) => entry.service === serviceKey(service));

  return {
    async run(job, signal) {
      // Known before anything is read, so that whoever ends the service's deployments misses none.
      const entry: Running = {
        service: job.serviceKey,
        isWaiting: false,
        isBuilding: false,
        kill: new AbortController(),
        done: Promise.resolve(),
      };
      running.set(job.jobId, entry);
      entry.done = carryOut(options, entry, job, signal).finally(() => running.delete(job.jobId));
      await entry.done;
    },
    async killBuild(service) {
      const building = ofService(service).filter(({ isBuilding }) => isBuilding);
      await stop(building, 'The build was ended by hand (killBuild). Deploy again to go on.', 'error');
      return building.length > 0;
    },
    end: (service, reason) => stop(ofService(service), reason, 'cancelled'),
    async endWaiting(service, reason) {
      const waiting = ofService(service).filter(({ isWaiting }) => isWaiting);
      await stop(waiting, reason, 'cancelled');
      return waiting.length;
    },
  };
}

async function carryOut(
  options: RunnerOptions,
  entry: Running,
  job: JobRecord,
  stop: AbortSignal,
): Promise<void> {
  const { deployments, turns } = options;
  const signal = AbortSignal.any([stop, entry.kill.signal]);
  const deployment = await deployments.find(job.payload['deploymentId'] ?? '');
  if (!deployment) return;
  // What is done by hand at this moment ends first; whatever comes later ends this deployment.
  await unlessAborted(
    signal,
    turns.take(ownerOf(deployment).serviceId, async () => undefined),
  );
  if (stop.aborted || !(await deployments.begin(deployment.deploymentId))) return;
  // A former attempt's build may live on until this one has ended it.
  entry.isBuilding = deployment.child !== null;
  await attempt(options, {
    deployment,
    job,
    signal,
    onStage({ holdsBuildSlot }, state) {
      entry.isBuilding = holdsBuildSlot;
      entry.isWaiting = holdsBuildSlot && state === 'waiting';
    },
  });
}

/** Resolves with the work or with the abort, whichever comes first. */
async function unlessAborted(signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  if (signal.aborted) return;
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  await Promise.race([work, aborted.promise]);
  signal.removeEventListener('abort', onAbort);
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      late.reject(
        new AppError(
          'SERVICE_UNAVAILABLE',
          `The deployment was asked to stop and has not stopped within ${limitMs / 1000} s; its log shows ` +
            'where it is. Try again.',
        ),
      ),
    limitMs,
  );
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
