/**
 * The deployments that run in this process: at which point each is, and how a person ends one. A single
 * attempt is attempt.ts.
 */
import { AppError } from '../domain/errors.ts';
import { ownerOf, serviceKey, type ServiceRef } from '../domain/names/service-ref.ts';
import type { JobRecord } from '../db/tables.ts';
import type { Turns } from '../modules/service/turns.ts';
import { attempt, Killed, type AttemptOptions } from './attempt.ts';

export interface DeploymentRunner {
  /**
   * Handler of the queue's `deployment` jobs; resolves when the deployment has ended, or when the signal has
   * stopped it.
   */
  run(job: JobRecord, signal: AbortSignal): Promise<void>;
  /** Ends the running build of the service, if one is in a building stage; false when nothing is building. */
  killBuild(service: ServiceRef): Promise<boolean>;
  /**
   * Cancels the deployment of the service that runs here, if any, and waits for its end; throws
   * SERVICE_UNAVAILABLE when that takes too long.
   */
  end(service: ServiceRef, reason: string): Promise<void>;
  /** The same for those that wait for a build slot; resolves with their number. */
  endWaiting(service: ServiceRef, reason: string): Promise<number>;
}

export interface RunnerOptions extends AttemptOptions {
  turns: Pick<Turns, 'take'>;
}

interface Running {
  service: string;
  /** Whether it waits for a build slot. */
  isWaiting: boolean;
  /** Whether processes of a build may be running. */
  isBuilding: boolean;
  kill: AbortController;
  done: Promise<void>;
}

/** Longer than it takes to undo an upgrade that was interrupted. */
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
      // Registered before anything is read, so that ending the service's deployments misses none.
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
  // A change by hand that is under way comes first; a later one ends this deployment.
  await unlessAborted(
    signal,
    turns.take(ownerOf(deployment).serviceId, async () => undefined),
  );
  if (stop.aborted || !(await deployments.begin(deployment.deploymentId))) return;
  // The build of a former attempt may still run until this attempt has ended it.
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
