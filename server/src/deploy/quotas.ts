/** Quotas of organizations, joined with what deployments release. */
import { specsOfRelease } from './compose/compose-snapshot.ts';
import type { JudgeFile } from './compose/compose-context.ts';
import type { Judge, JudgeParts } from './images/judged-engine.ts';
import type { ServiceSpec } from '../ports/engine/engine.ts';
import { ownerOfLabels } from '../domain/names/service-ref.ts';
import { createQuotas, type Quotas, type Taken } from '../modules/quota/quota.ts';

interface Limited {
  replicas: number;
  limits: { memoryBytes?: number | undefined; nanoCpus?: number | undefined };
}

/** Undefined as soon as one of them has no limit. */
export function sumOf(services: readonly Limited[]): Pick<Taken, 'memoryBytes' | 'nanoCpus'> {
  const sum = (name: 'memoryBytes' | 'nanoCpus'): number | undefined =>
    services.reduce<number | undefined>((total, { replicas, limits }) => {
      const one = limits[name];
      return total === undefined || one === undefined ? undefined : total + replicas * one;
    }, 0);
  return { memoryBytes: sum('memoryBytes'), nanoCpus: sum('nanoCpus') };
}

export function quotasOf({ quotas }: { quotas: Parameters<typeof createQuotas>[0] }): Quotas {
  return createQuotas(quotas, (settings) => sumOf(specsOfRelease(settings)));
}

/** What a whole compose file takes, beside what the organization has. */
export function fileWithinQuota(judgeFile: JudgeFile, quotas: Quotas): JudgeFile {
  return async (compose, plan, deploymentId) => {
    await judgeFile(compose, plan, deploymentId);
    await quotas.requireRoom(
      compose.organizationId,
      {
        serviceId: compose.composeId,
        name: compose.name,
        // What runs once takes as much while it runs.
        ...sumOf(plan.services),
      },
      deploymentId,
    );
  };
}

/** Whatever way a service comes to the engine: what runs goes on, everything else fits or is refused. */
export function specWithinQuota(
  judge: Judge,
  {
    approvals: { find },
    released,
    quotas,
    requireDisk,
    countLeft,
  }: Pick<JudgeParts, 'released'> & {
    approvals: Pick<JudgeParts['approvals'], 'find'>;
    quotas: Quotas;
    /** Room on the disk of the engine's machine, which has the image already. */
    requireDisk(organizationId: string, image: string): Promise<void>;
    /** Counts what runs on the engine beside what records say. */
    countLeft(): Promise<void>;
  },
): Judge {
  return async (spec) => {
    await judge(spec);
    const service = ownerOfLabels(spec.labels);
    const known = service && (await find(service));
    if (!service || !known || spec.release === undefined) return;
    const { liveDeploymentId: live } = known;
    const isLive = (one: ServiceSpec): boolean => one.name === spec.name && one.release === spec.release;
    if (live !== null && (spec.release === live || (await released(service, live)).some(isLive))) return;
    await requireDisk(known.organizationId, spec.image);
    // The services of a compose service are released together, and so they are counted.
    const all = service.kind === 'compose' ? await released(service, spec.release) : [];
    await quotas.requireRoom(
      known.organizationId,
      {
        serviceId: service.serviceId,
        name: spec.name,
        ...sumOf(all.some(isLive) ? all : [spec]),
      },
      spec.release,
      countLeft,
    );
  };
}
