/**
 * Builds of one organization at once, before the build slots of a server: at most as many as its quota says,
 * in the order in which they came. One process builds, so what it holds is known here; after a restart
 * everything is asked for anew.
 */
import type { BuildSlots, JobAhead, SlotJob } from '../ports/engine/build-slots.ts';
import type { JobStore } from './store.ts';

export interface OrganizationBuilds {
  /** Of the job's deployment; undefined when it is gone. */
  organizationOf(job: SlotJob): Promise<{ organizationId: string; ahead: JobAhead } | undefined>;
  /** Null: as many as there are slots. */
  limitOf(organizationId: string): Promise<number | null>;
}

interface Turn {
  jobId: string;
  ahead: JobAhead;
}

export function withinOrganizations(
  slots: BuildSlots,
  { organizationOf, limitOf }: OrganizationBuilds,
): BuildSlots {
  /** By organization, in the order in which they came. */
  const turns = new Map<string, Turn[]>();
  const waiting = new Set<() => void>();

  function end(job: SlotJob): void {
    for (const [organizationId, all] of turns) {
      const left = all.filter(({ jobId }) => jobId !== job.jobId);
      if (left.length === 0) turns.delete(organizationId);
      else turns.set(organizationId, left);
    }
    for (const wake of waiting) wake();
  }

  const changed = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const wake = (): void => {
        waiting.delete(wake);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(wake);
        reject(signal.reason);
      };
      waiting.add(wake);
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
    });

  return {
    async take(job, { signal, onWait }) {
      const found = await organizationOf(job);
      if (!found) return slots.take(job, { signal, onWait });
      const { organizationId, ahead } = found;
      const turn: Turn = { jobId: job.jobId, ahead };
      turns.set(organizationId, [...(turns.get(organizationId) ?? []), turn]);
      let hasWaited = false;
      try {
        for (;;) {
          const limit = await limitOf(organizationId);
          const all = turns.get(organizationId) ?? [];
          const before = all.slice(0, all.indexOf(turn));
          if (limit === null || before.length < limit) break;
          // Between the look and the waiting nothing may come, or its end would be missed.
          if (hasWaited) await changed(signal);
          else await onWait(before.map((one) => one.ahead));
          hasWaited = true;
        }
        await slots.take(job, { signal, onWait: hasWaited ? async () => undefined : onWait });
      } catch (error) {
        end(job);
        throw error;
      }
    },
    give: (job) => slots.give(job).finally(() => end(job)),
  };
}

/** The organization of the deployment that a job stands for. */
export function organizationOfJobs({
  jobs,
  deployments,
}: {
  jobs: Pick<JobStore, 'find'>;
  deployments: { find(where: { deploymentId: string }): Promise<{ organizationId: string } | undefined> };
}): OrganizationBuilds['organizationOf'] {
  return async ({ jobId }) => {
    const job = await jobs.find({ jobId });
    const deploymentId = job?.payload['deploymentId'];
    const found = deploymentId === undefined ? undefined : await deployments.find({ deploymentId });
    return (
      job &&
      found && { organizationId: found.organizationId, ahead: { kind: job.kind, payload: job.payload } }
    );
  };
}
