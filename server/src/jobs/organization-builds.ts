/**
 * Builds of one organization at once, before the build slots of a server: at most as many as its quota says,
 * in the order in which they came. One process builds, so what it holds is known here; after a restart
 * everything is asked for anew.
 */
import type { BuildSlots, JobAhead, SlotJob } from '../ports/engine/build-slots.ts';
import type { JobStore } from './store.ts';

export interface OrganizationBuilds {
  /** Whose quota the job's deployment counts in; undefined when the deployment is gone. */
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
      // Turns are fair between quotas: further organizations bring no further turns.
      const counted = { ...job, organizationId };
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
        await slots.take(counted, { signal, onWait: hasWaited ? async () => undefined : onWait });
      } catch (error) {
        end(job);
        throw error;
      }
    },
    give: (job) => slots.give(job).finally(() => end(job)),
  };
}

/** The organization whose quota the deployment of a job counts in. */
export function organizationOfJobs({
  jobs,
  deployments,
  payer,
}: {
  payer(organizationId: string): Promise<string>;
  jobs: Pick<JobStore, 'find'>;
  deployments: { find(where: { deploymentId: string }): Promise<{ organizationId: string } | undefined> };
}): OrganizationBuilds['organizationOf'] {
  return async ({ jobId }) => {
    const job = await jobs.find({ jobId });
    const deploymentId = job?.payload['deploymentId'];
    const found = deploymentId === undefined ? undefined : await deployments.find({ deploymentId });
    return (
      job &&
      found && {
        organizationId: await payer(found.organizationId),
        ahead: { kind: job.kind, payload: job.payload },
      }
    );
  };
}
