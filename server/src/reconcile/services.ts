/**
 * Services as they should be: the live release of every service, and nothing of ours that no service owns.
 */
import { installationLabel, instanceLabel, taskLabel } from '../domain/names/labels.ts';
import {
  isSameService,
  ownerOfLabels,
  serviceKey,
  type DeployedKind,
  type ServiceRef,
} from '../domain/names/service-ref.ts';
import { endUnknown, isUnknown, type UnknownPlan } from './ownership/unknown-services.ts';
import { type Engine, type ServiceSpec, type ServiceState } from '../ports/engine/engine.ts';

/** What is known of a service that should run. */
export interface KeptService extends ServiceRef {
  environmentId: string;
  appName: string;
  releasedAppName: string | null;
  liveDeploymentId: string | null;
  isStopped: boolean;
}

export interface ServicesPlan {
  engine: Engine;
  /** Every service of the kinds below that stands on the host of the engine. */
  services: readonly KeptService[];
  /** Keys of all services of these kinds, wherever they stand. */
  known: ReadonlySet<string>;
  /** Whether the service, as its record is at this moment, stands on another host. */
  standsElsewhere(service: ServiceRef): Promise<boolean>;
  /** Kinds whose services are known here; those of others are left alone. */
  kinds: ReadonlySet<DeployedKind>;
  /** Keys of the services with a deployment under way; they are the deployment's. */
  busy: ReadonlySet<string>;
  /**
   * The specifications of the live release, their registries' sign-in included: one of an application or a
   * database, as many as a compose has; none when it is not known.
   */
  liveSpecs(service: KeptService): Promise<ServiceSpec[]>;
  /** Makes the networks that the specification names. */
  ensureNetworks(service: KeptService, spec: Pick<ServiceSpec, 'networks' | 'networkMtu'>): Promise<void>;
  /**
   * The service as it is at this moment; undefined when it does not exist, or when a deployment of it is
   * under way.
   */
  settled(service: ServiceRef): Promise<KeptService | undefined>;
  /** Works when nobody changes the service by hand at this moment; else gives undefined. */
  takeIfFree<T>(serviceId: string, work: () => Promise<T>): Promise<T | undefined>;
  unknown: UnknownPlan;
  /**
   * Whose one-off tasks may run; those of a former run of Berth wait for nobody. Undefined where another
   * control plane may have its own.
   */
  instance: string | undefined;
}

/** Puts services right and says what it found; what cannot be put right is said too, and the others go on. */
export async function reconcileServices(plan: ServicesPlan): Promise<string[]> {
  const present = await plan.engine.services();
  const byName = new Map(present.map((service) => [service.name, service]));
  const found: string[] = [];
  for (const kept of plan.services) {
    if (kept.liveDeploymentId === null || plan.busy.has(serviceKey(kept))) continue;
    try {
      const specs = await plan.liveSpecs(kept);
      for (const spec of specs) found.push(...(await reconcileOne(plan, kept, spec, byName.get(spec.name))));
      if (specs.length > 0) found.push(...(await removeFormerNames(plan, kept, specs, present)));
    } catch (error) {
      found.push(
        `${kept.appName}: could not be corrected: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  found.push(...(await removeLeftBehind(plan, present)));
  const unknown = present.filter(
    (service) =>
      isUnknown(service, plan.known) &&
      service.labels[taskLabel] === undefined &&
      plan.kinds.has(ownerOfLabels(service.labels)?.kind ?? 'application') &&
      !plan.busy.has(ownerKey(service)),
  );
  found.push(...(await endUnknown(plan.engine, plan.unknown, unknown)));
  found.push(...(await removeLeftTasks(plan, present)), ...(await adoptServices(plan, present)));
  return found;
}

function ownerKey({ labels }: ServiceState): string {
  const owner = ownerOfLabels(labels);
  return owner ? serviceKey(owner) : '';
}

async function reconcileOne(
  plan: ServicesPlan,
  kept: KeptService,
  spec: ServiceSpec,
  service: ServiceState | undefined,
): Promise<string[]> {
  // `replicas` is a setting that takes effect at the next deploy; until then the release's own number counts.
  const replicas = kept.isStopped ? 0 : spec.replicas;
  if (isAsItShould(plan, spec, replicas, service))
    return service !== undefined && replicas > 0 && (await wasCutShort(plan.engine, spec, service))
      ? ((await whileStill(plan, kept, () => startAgain(plan, spec))) ?? [])
      : [];
  return (await whileStill(plan, kept, () => putRight(plan, kept, { ...spec, replicas }, service))) ?? [];
}

/** An engine that stops ends its containers, and notes it when it is back; this is the least time between. */
const leastAbsenceMs = 2_000;

/**
 * Whether a service whose tasks may end well was ended by a restart of its engine: swarm starts nothing again
 * that has ended with 0, which a server does when it is asked to stop.
 */
async function wasCutShort(
  engine: ServicesPlan['engine'],
  spec: ServiceSpec,
  { running }: ServiceState,
): Promise<boolean> {
  if (spec.restart === undefined || running >= spec.replicas) return false;
  const [newest] = await engine.tasks(spec.name);
  if (newest?.state !== 'complete' || newest.containerId === undefined) return false;
  const end = await engine.containerEnd(newest.containerId);
  return Date.parse(newest.stateAt) - Date.parse(end?.finishedAt ?? '') > leastAbsenceMs;
}

async function startAgain({ engine }: ServicesPlan, { name }: ServiceSpec): Promise<string[]> {
  await engine.restartService(name);
  return [`${name}: it ran until its engine was restarted; started it again`];
}

async function putRight(
  { engine, ensureNetworks }: ServicesPlan,
  kept: KeptService,
  spec: ServiceSpec,
  service: ServiceState | undefined,
): Promise<string[]> {
  if (service && service.specDigest === engine.specDigest(spec)) {
    await engine.scaleService(spec.name, spec.replicas);
    return [`${spec.name}: had ${service.replicas} replicas instead of ${spec.replicas}; scaled it`];
  }
  await ensureNetworks(kept, spec);
  await engine.applyService(spec);
  const found = service
    ? 'differed from its live release; restored'
    : 'was missing; created again from its live release';
  return [`${spec.name}: the service ${found}`];
}

/** An update that is under way is left to its end. */
function isAsItShould(
  { engine }: ServicesPlan,
  spec: ServiceSpec,
  replicas: number,
  service: ServiceState | undefined,
): boolean {
  if (!service) return false;
  const isChanging = service.update?.state === 'updating' || service.update?.state === 'rollback_started';
  return isChanging || (service.specDigest === engine.specDigest(spec) && service.replicas === replicas);
}

/**
 * What was read of records and engine is some milliseconds old and not of one moment: a release or a stop
 * that was made meanwhile must not be taken back.
 */
function whileStill(
  plan: ServicesPlan,
  kept: KeptService,
  work: () => Promise<string[]>,
): Promise<string[] | undefined> {
  return plan.takeIfFree(kept.serviceId, async () => {
    const now = await plan.settled(kept);
    return now !== undefined &&
      now.liveDeploymentId === kept.liveDeploymentId &&
      now.isStopped === kept.isStopped
      ? work()
      : [];
  });
}

/** What a deployment that was interrupted after a change of the name left under the former one. */
async function removeFormerNames(
  plan: ServicesPlan,
  kept: KeptService,
  specs: readonly ServiceSpec[],
  present: readonly ServiceState[],
): Promise<string[]> {
  const { appName, releasedAppName } = kept;
  const names = new Set(specs.map(({ name }) => name));
  const former = present.filter(
    ({ name, labels }) =>
      isSameService(ownerOfLabels(labels), kept) && labels[taskLabel] === undefined && !names.has(name),
  );
  if (former.length === 0) return [];
  const removed = await whileStill(plan, kept, async () => {
    for (const { name } of former) await plan.engine.removeService(name, { drains: true });
    return former.map(
      ({ name }) =>
        `${name}: its ${kept.kind} runs as ${releasedAppName ?? appName} now; removed the service under ` +
        'the former name',
    );
  });
  return removed ?? [];
}

/** What a move to another host could not remove here. */
async function removeLeftBehind(plan: ServicesPlan, present: readonly ServiceState[]): Promise<string[]> {
  const here = new Set(plan.services.map(serviceKey));
  const removed: string[] = [];
  for (const { name, labels } of present) {
    const owner = ownerOfLabels(labels);
    if (!owner || !plan.known.has(serviceKey(owner)) || here.has(serviceKey(owner))) continue;
    if (plan.busy.has(serviceKey(owner))) continue;
    await plan.takeIfFree(owner.serviceId, async () => {
      if ((await plan.settled(owner)) === undefined || !(await plan.standsElsewhere(owner))) return;
      await plan.engine.removeService(name, { drains: true });
      removed.push(`${name}: its ${owner.kind} runs on another server; removed it here`);
    });
  }
  return removed;
}

/** One-off tasks that a former run of Berth waited for. */
async function removeLeftTasks(
  { engine, instance, known }: ServicesPlan,
  present: readonly ServiceState[],
): Promise<string[]> {
  const left = present.filter(
    ({ labels }) =>
      instance !== undefined &&
      labels[taskLabel] !== undefined &&
      labels[instanceLabel] !== instance &&
      isOwned(known, labels),
  );
  for (const { name } of left) await engine.removeService(name);
  return left.map(({ name }) => `${name}: the Berth that waited for this one-off task has ended; removed it`);
}

/** By its label, or by the record of its service: it was made before there were ids. */
function isOwned(known: ReadonlySet<string>, labels: Readonly<Record<string, string>>): boolean {
  const owner = ownerOfLabels(labels);
  return !!labels[installationLabel] || (owner !== undefined && known.has(serviceKey(owner)));
}

/** Services from before there were ids, which the records name: the label makes no new task. */
async function adoptServices(
  { engine, known, busy }: ServicesPlan,
  present: readonly ServiceState[],
): Promise<string[]> {
  const adopted: string[] = [];
  for (const { name, labels, update } of present) {
    const owner = ownerOfLabels(labels);
    if (labels[installationLabel] || owner === undefined) continue;
    if (!known.has(serviceKey(owner)) || busy.has(serviceKey(owner))) continue;
    // Its former specification is what an update under way goes back to.
    if (update?.state === 'updating' || update?.state === 'rollback_started') continue;
    await engine.labelService(name, {});
    adopted.push(name);
  }
  return adopted.length === 0 ? [] : [`${adopted.join(', ')}: labelled with the id of this installation`];
}
