/** The build slot of one attempt: taken before its building stages, released when the image is built. */
import type { Deployments } from '../../modules/deployment/deployment.ts';
import type { BuildSlots, JobAhead, SlotJob } from '../../ports/engine/build-slots.ts';
import type { BoundStage, StageContext } from '../context.ts';

export interface BuildTurn {
  /** Takes or releases the slot, as the stage needs; the log says which builds it waits for. */
  prepare(stage: BoundStage): Promise<void>;
  /** Releases the slot at the end of the attempt. */
  end(): Promise<void>;
}

export function createBuildTurn(
  slots: BuildSlots,
  deployments: Pick<Deployments, 'serviceOf'>,
  job: SlotJob,
  { clock, deployment, log, signal }: Pick<StageContext, 'clock' | 'deployment' | 'log' | 'signal'>,
): BuildTurn {
  let holds = false;

  async function take(): Promise<void> {
    const began = clock.now();
    let hasWaited = false;
    await slots.take(job, {
      signal,
      async onWait(ahead) {
        hasWaited = true;
        const names = await Promise.all(ahead.map((one) => nameOf(one)));
        log.line(
          `Waiting for a build slot of this server, behind ${listed(names)} (setting buildsConcurrency).`,
        );
      },
    });
    if (hasWaited) log.line(`Waited ${((clock.now() - began) / 1000).toFixed(1)} s for the build slot.`);
  }
  /** The name of a build that is ahead; those of other organizations are not named. */
  async function nameOf({ payload }: JobAhead): Promise<string> {
    const service = await deployments.serviceOf(payload['deploymentId'] ?? '');
    return service?.organizationId === deployment.organizationId
      ? `the build of ${service.name}`
      : "another organization's build";
  }

  return {
    async prepare(stage) {
      if (stage.needsBuildSlot() === holds) return;
      if (holds) await slots.give(job);
      else await take();
      holds = !holds;
    },
    async end() {
      if (holds) await slots.give(job);
      holds = false;
    },
  };
}

/** Lists the names; equal ones once, with their number. */
function listed(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const parts = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`));
  return parts.join(', ') || 'a build that is about to end';
}
