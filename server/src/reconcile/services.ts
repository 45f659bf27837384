/** Services as they should be: the live release of every application, and nothing of ours that no application owns. */
import type { ApplicationRecord } from '../db/tables.ts';
import { instanceLabel, taskLabel, type Engine, type ServiceSpec, type ServiceState } from '../ports/engine.ts';

export interface ServicesPlan {
  engine: Engine;
  applications: readonly ApplicationRecord[];
  /** Applications with a deployment under way; their services are the deployment's. */
  busy: ReadonlySet<string>;
  /** The specification of the live release, its registry's sign-in included. */
  liveSpec(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  /** Makes the networks that the specification names. */
  ensureNetworks(application: ApplicationRecord): Promise<void>;
  /** The application as it is at this moment; undefined when it does not exist, or when a deployment of it is under way. */
  settled(applicationId: string): Promise<ApplicationRecord | undefined>;
  /** Works when nobody changes the application by hand at this moment; else gives undefined. */
  takeIfFree<T>(applicationId: string, work: () => Promise<T>): Promise<T | undefined>;
  /** Whose one-off tasks may run; those of a former run of Berth wait for nobody. Undefined where another control plane may have its own. */
  instance: string | undefined;
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
      found.push(...(await removeFormerNames(plan, application, present)));
    } catch (error) {
      found.push(`${application.appName}: could not be put right: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  found.push(...(await removeOrphans(plan, present)), ...(await removeLeftTasks(plan, present)));
  return found;
}

async function reconcileOne(plan: ServicesPlan, application: ApplicationRecord, service: ServiceState | undefined): Promise<string[]> {
  const spec = await plan.liveSpec(application);
  if (!spec) return [];
  // `replicas` is a setting that takes effect at the next deploy; until then the release's own number counts.
  const replicas = application.isStopped ? 0 : spec.replicas;
  if (isAsItShould(plan, spec, replicas, service)) return [];
  return (await whileStill(plan, application, () => putRight(plan, application, { ...spec, replicas }, service))) ?? [];
}

async function putRight({ engine, ensureNetworks }: ServicesPlan, application: ApplicationRecord, spec: ServiceSpec, service: ServiceState | undefined): Promise<string[]> {
  if (service && service.specDigest === engine.specDigest(spec)) {
    await engine.scaleService(spec.name, spec.replicas);
    return [`${spec.name}: had ${service.replicas} replicas instead of ${spec.replicas}; scaled it`];
  }
  await ensureNetworks(application);
  await engine.applyService(spec);
  return [`${spec.name}: the service ${service ? 'differed from its live release; put it back' : 'was gone; made it again from its live release'}`];
}

/** An update that is under way is left to its end. */
function isAsItShould({ engine }: ServicesPlan, spec: ServiceSpec, replicas: number, service: ServiceState | undefined): boolean {
  if (!service) return false;
  const isChanging = service.update?.state === 'updating' || service.update?.state === 'rollback_started';
  return isChanging || (service.specDigest === engine.specDigest(spec) && service.replicas === replicas);
}

/** What was read of records and engine is some milliseconds old and not of one moment: a release or a stop that was made meanwhile must not be taken back. */
function whileStill(plan: ServicesPlan, { applicationId, liveDeploymentId, isStopped }: ApplicationRecord, work: () => Promise<string[]>): Promise<string[] | undefined> {
  return plan.takeIfFree(applicationId, async () => {
    const now = await plan.settled(applicationId);
    return now !== undefined && now.liveDeploymentId === liveDeploymentId && now.isStopped === isStopped ? work() : [];
  });
}

/** What a deployment that was interrupted after a change of the name left under the former one. */
async function removeFormerNames(plan: ServicesPlan, application: ApplicationRecord, present: readonly ServiceState[]): Promise<string[]> {
  const { applicationId, appName, releasedAppName } = application;
  const former = present.filter(({ name, labels }) => labels['berth.application'] === applicationId && labels[taskLabel] === undefined && name !== (releasedAppName ?? appName));
  if (former.length === 0) return [];
  const removed = await whileStill(plan, application, async () => {
    for (const { name } of former) await plan.engine.removeService(name);
    return former.map(({ name }) => `${name}: its application runs as ${releasedAppName ?? appName} now; removed the service under the former name`);
  });
  return removed ?? [];
}

/** One-off tasks that a former run of Berth waited for. */
async function removeLeftTasks({ engine, instance }: ServicesPlan, present: readonly ServiceState[]): Promise<string[]> {
  const left = present.filter(({ labels }) => instance !== undefined && labels[taskLabel] !== undefined && labels[instanceLabel] !== instance);
  for (const { name } of left) await engine.removeService(name);
  return left.map(({ name }) => `${name}: the Berth that waited for this one-off task has ended; removed it`);
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
