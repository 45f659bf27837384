/** Services as they should be: the live release of every application, and nothing of ours that no application owns. */
import type { ApplicationRecord } from '../db/tables.ts';
import type { Engine, ServiceSpec, ServiceState } from '../ports/engine.ts';

export interface ServicesPlan {
  engine: Engine;
  applications: readonly ApplicationRecord[];
  /** Applications with a deployment under way; their services are the deployment's. */
  busy: ReadonlySet<string>;
  /** The specification of the live release, its registry's sign-in included. */
  liveSpec(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  /** Makes the networks that the specification names. */
  ensureNetworks(application: ApplicationRecord): Promise<void>;
}

/** Puts services right and says what it found; what cannot be put right is said too, and the others go on. */
export async function reconcileServices(plan: ServicesPlan): Promise<string[]> {
  const present = await plan.engine.services();
  const byName = new Map(present.map((service) => [service.name, service]));
  const found: string[] = [];
  for (const application of plan.applications) {
    if (application.liveDeploymentId === null || plan.busy.has(application.applicationId)) continue;
    try {
      found.push(...(await reconcileOne(plan, application, byName.get(application.releasedAppName ?? application.appName))));
    } catch (error) {
      found.push(`${application.appName}: could not be put right: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  found.push(...(await removeOrphans(plan, present)));
  return found;
}

async function reconcileOne(plan: ServicesPlan, application: ApplicationRecord, service: ServiceState | undefined): Promise<string[]> {
  const spec = await plan.liveSpec(application);
  if (!spec) return [];
  // `replicas` is a setting that takes effect at the next deploy; until then the release's own number counts.
  const replicas = application.isStopped ? 0 : spec.replicas;
  if (!service) {
    await plan.ensureNetworks(application);
    await plan.engine.applyService({ ...spec, replicas });
    return [`${spec.name}: the service was gone; made it again from its live release`];
  }
  if (service.update?.state === 'updating' || service.update?.state === 'rollback_started') return [];
  if (service.specDigest !== plan.engine.specDigest(spec)) {
    await plan.ensureNetworks(application);
    await plan.engine.applyService({ ...spec, replicas });
    return [`${spec.name}: the service differed from its live release; put it back`];
  }
  if (service.replicas !== replicas) {
    await plan.engine.scaleService(spec.name, replicas);
    return [`${spec.name}: had ${service.replicas} replicas instead of ${replicas}; scaled it`];
  }
  return [];
}

async function removeOrphans({ engine, applications, busy }: ServicesPlan, present: readonly ServiceState[]): Promise<string[]> {
  const known = new Set(applications.map(({ applicationId }) => applicationId));
  const removed = [];
  for (const service of present) {
    const owner = service.labels['berth.application'];
    if (owner === undefined || known.has(owner) || busy.has(owner)) continue;
    await engine.removeService(service.name);
    removed.push(`${service.name}: its application no longer exists; removed it`);
  }
  return removed;
}
