/** Deployments as records: accepted, followed, ended. The work itself is deploy/. */
import { AppError } from '../../domain/errors.ts';
import type { Scope } from '../../domain/access/permissions.ts';
import type { SourceApplication } from '../../domain/builds/source-applications.ts';
import type { TellFact } from '../../domain/states/fact.ts';
import {
  statusAfter,
  type ApplicationStatus,
  type DeploymentStarter,
  type ServiceEvent,
} from '../../domain/states/lifecycle.ts';
import {
  idFields,
  ownerColumns,
  ownerOf,
  serviceKey,
  type DeployedKind,
  type ServiceRef,
} from '../../domain/names/service-ref.ts';
import type { Actor, CallContext } from '../../procedure/context.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { Queue } from '../../ports/queue.ts';
import { createSequence } from '../../ports/sequence.ts';
import type { DeploymentRecord } from '../../db/tables.ts';
import { queued, type Asked } from './queued.ts';
import { endDeployedPushes, replaceEarlierPushes } from './replaced.ts';
import type { DeploymentStore } from './store.ts';

/** A deployment as lists show it, without the release's settings. */
export type ShownDeployment = Awaited<ReturnType<DeploymentStore['recent']>>[number];

export interface Accepting extends Asked {
  /** Whose service it must be. */
  organizationId?: string;
}

/** Whoever calls, by a session or a key. */
export function startedBy({ userId, apiKeyId }: Pick<Actor, 'userId' | 'apiKeyId'>): DeploymentStarter {
  return { kind: apiKeyId === undefined ? 'person' : 'key', userId, apiKeyId: apiKeyId ?? null };
}

/** A deployment that was stored, and where its service stands. */
export interface Accepted extends DeploymentRecord {
  scope: Scope | undefined;
}

/** Stores what somebody asked of their organization's own service, and wakes whoever deploys. */
export async function acceptAsked(
  { deployments, queue }: { deployments: Pick<Deployments, 'accept'>; queue: Pick<Queue, 'wake'> },
  { actor, writeRecord, announce }: CallContext,
  service: ServiceRef,
  accepting: Accepting,
): Promise<void> {
  const { organizationId } = actor;
  const { deploymentId } = await writeRecord(
    () => deployments.accept(service, { ...accepting, organizationId, startedBy: startedBy(actor) }),
    // What the guard need not look up again.
    { scope: ({ scope }) => scope },
  );
  queue.wake();
  announce(deploymentId);
}

/** What deployments know of a service. */
export interface DeployedService {
  name: string;
  organizationId: string;
  /** Its deployments share the concurrency of all that have the same. */
  serverKey: string;
  status: ApplicationStatus;
  liveDeploymentId: string | null;
  isStopped: boolean;
  /** Throws when what it is made of is not complete. */
  requireDeployable(): Promise<void>;
}

/** What a deployment changes in the record of its service. */
export interface ServicePatch {
  status?: ApplicationStatus;
  liveDeploymentId?: string;
  releasedAppName?: string;
  isStopped?: boolean;
}

/** Records of one kind of service. */
interface Records<R> {
  find(serviceId: string): Promise<R | undefined>;
  one(serviceId: string, organizationId: string): Promise<R>;
}

/** With an organization, whose it must be: NOT_FOUND when it is not. */
export const recordOf = <R>(
  records: Records<R>,
  serviceId: string,
  organizationId: string | undefined,
): Promise<R | undefined> =>
  organizationId === undefined ? records.find(serviceId) : records.one(serviceId, organizationId);

/** The records of the services of one kind. */
export interface DeployedServices {
  /** With an organization, whose it must be: NOT_FOUND when it is not. */
  find(serviceId: string, organizationId?: string): Promise<DeployedService | undefined>;
  patch(serviceId: string, patch: ServicePatch): Promise<void>;
}

/** Looking deployments up. */
export interface DeploymentReads {
  /** The version that a redeploy rebuilds: the live deployment's. */
  live(service: Pick<DeployedService, 'liveDeploymentId'>): Promise<DeploymentRecord | undefined>;
  /** The newest 50, as a service shows them. */
  recent(service: ServiceRef): Promise<ShownDeployment[]>;
  sourceApplications(applicationId: string): Promise<SourceApplication[] | null>;
  all(service: ServiceRef): Promise<ShownDeployment[]>;
  /** Those that ended well, newest first. */
  succeeded(service: ServiceRef): Promise<DeploymentRecord[]>;
  everywhere: DeploymentStore['everywhere'];
  one(deploymentId: string, organizationId: string): Promise<DeploymentRecord>;
  find(deploymentId: string): Promise<DeploymentRecord | undefined>;
  unfinished(): Promise<DeploymentRecord[]>;
  /** Whether a deployment of the service is queued or running. */
  isWorking(service: ServiceRef): Promise<boolean>;
  /** The service of a deployment, and whose it is; undefined when either is gone. */
  serviceOf(deploymentId: string): Promise<{ name: string; organizationId: string } | undefined>;
}

export interface Deployments extends DeploymentReads {
  /**
   * Stores deployment and job in one transaction and sets the service's status to running; `wake` the queue
   * after it. NOT_FOUND when the service is gone.
   */
  accept(service: ServiceRef, accepting: Accepting): Promise<Accepted>;
  /**
   * queued → running; false when it was cancelled meanwhile. A deployment that was running already (a
   * restart) goes on.
   */
  begin(deploymentId: string): Promise<boolean>;
  record(deploymentId: string, patch: Partial<DeploymentRecord>): Promise<void>;
  /** Ends the deployment and gives the service the status that follows, in one transaction. */
  finish(deployment: DeploymentRecord, outcome: Outcome): Promise<void>;
  /** Cancels the service's deployments in this status, whoever runs them. */
  cancel(service: ServiceRef, status: 'queued' | 'running', reason: string): Promise<void>;
  /** The service's status is `running` again when a deployment of it is queued or under way. */
  showWorking(service: ServiceRef): Promise<void>;
  /** Cancels what is queued; gives how many. */
  cancelQueued(service: ServiceRef, hasTasks: () => Promise<boolean>): Promise<number>;
  /** Removes finished deployments with their logs, all but the live one and the newest; gives the removed. */
  clear(service: ServiceRef, keep?: number): Promise<ShownDeployment[]>;
}

export type Outcome =
  | { status: 'done'; healthyAt: string; patch: ServicePatch }
  | { status: 'error'; reason: string; event: ServiceEvent }
  | { status: 'cancelled'; reason: string };

export interface DeploymentNeighbours {
  /** Kinds that can be deployed. */
  services: Partial<Record<DeployedKind, DeployedServices>>;
  queue: Queue;
  logs: DeploymentLogs;
  /** CONFLICT when the service as its record has it would take more than its organization may have. */
  requireRoom?(organizationId: string, serviceId: string): Promise<void>;
  /** Told when its commit is known, and when it ended. */
  tellHost?(deployment: DeploymentRecord): Promise<void>;
  /** Told of each deployment that ended, but for cancelled ones. */
  tell?: TellFact;
}

const reasonLimit = 4000;

interface Parts extends DeploymentNeighbours {
  store: DeploymentStore;
  clock: Clock;
}

export function createDeployments(
  store: DeploymentStore,
  neighbours: DeploymentNeighbours,
  clock: Clock,
): Deployments {
  const parts: Parts = { store, ...neighbours, clock };
  const nextSequence = createSequence(clock);
  return {
    ...createReads(store, neighbours.services),
    accept: (service, accepting) =>
      store.transactionOf(service, () => accept(parts, service, accepting, nextSequence())),
    async begin(deploymentId) {
      if (await store.transition(deploymentId, 'running', { startedAt: isoTime(clock) })) return true;
      return (await store.find({ deploymentId }))?.status === 'running';
    },
    record: async (deploymentId, patch) => {
      await store.update({ deploymentId }, patch);
      if (patch.commit != null) await tellHost(parts, deploymentId);
    },
    finish: (deployment, outcome) =>
      store.transactionOf(ownerOf(deployment), () => finish(parts, deployment, outcome)),
    cancel: (service, status, reason) =>
      store.transactionOf(service, () => cancel(parts, service, status, reason)),
    showWorking: (service) =>
      store.transactionOf(service, async () => {
        if ((await store.countUnfinished(service)) > 0)
          await neighbours.services[service.kind]?.patch(service.serviceId, { status: 'running' });
      }),
    async cancelQueued(service, hasTasks) {
      const isRunning = await hasTasks();
      return store.transactionOf(service, () => cancelQueued(parts, service, isRunning));
    },
    clear: (service, keep) => clear(parts, service, keep),
  };
}

async function accept(
  { store, services, queue, requireRoom, clock }: Parts,
  service: ServiceRef,
  accepting: Accepting,
  sequence: number,
): Promise<Accepted> {
  const records = services[service.kind];
  const present = await records?.find(service.serviceId, accepting.organizationId);
  if (!records || !present)
    throw new AppError('NOT_FOUND', 'There is no such service. It may have been deleted.');
  if (accepting.kind !== 'rollback') await present.requireDeployable();
  await requireRoom?.(present.organizationId, service.serviceId);
  const at = { sequence, createdAt: isoTime(clock) };
  const deployment = queued(service, present.organizationId, accepting, at);
  const scope = await store.add(deployment);
  if (deployment.pushedCommit !== null) await replaceEarlierPushes(store, service, deployment);
  await queue.enqueue({
    kind: 'deployment',
    payload: { deploymentId: deployment.deploymentId },
    serviceKey: serviceKey(service),
    serverKey: present.serverKey,
  });
  await records.patch(service.serviceId, { status: statusAfter('deployAccepted', present.status) });
  return { ...deployment, scope };
}

async function finish(parts: Parts, deployment: DeploymentRecord, outcome: Outcome): Promise<void> {
  const { deploymentId } = deployment;
  const service = ownerOf(deployment);
  const finishedAt = isoTime(parts.clock);
  const end =
    outcome.status === 'done'
      ? { healthyAt: outcome.healthyAt }
      : { errorMessage: outcome.reason.slice(0, reasonLimit) };
  if (!(await parts.store.transition(deploymentId, outcome.status, { ...end, finishedAt, child: null })))
    return;
  if (outcome.status === 'done') await endDeployedPushes(parts.store, service, { deploymentId, finishedAt });
  const present = await found(parts, service);
  if (present) await tellEnd(parts, deployment, outcome, present);
  await tellHost(parts, deploymentId);
  if (outcome.status === 'done')
    await setStatus(parts, present, 'deploySucceeded', {
      ...outcome.patch,
      liveDeploymentId: deploymentId,
      isStopped: false,
    });
  else await setStatus(parts, present, outcome.status === 'error' ? outcome.event : eventOfCancel(present));
}

/** A service as it is now, with the way to its record; undefined when it was deleted. */
interface Present {
  service: ServiceRef;
  records: DeployedServices;
  record: DeployedService;
}

async function found(
  { services }: Pick<Parts, 'services'>,
  service: ServiceRef,
): Promise<Present | undefined> {
  const records = services[service.kind];
  const record = await records?.find(service.serviceId);
  return records && record && { service, records, record };
}

async function tellHost({ store, tellHost: tell }: Parts, deploymentId: string): Promise<void> {
  const present = tell && (await store.find({ deploymentId }));
  if (present?.commit != null) await tell?.(present);
}

async function tellEnd(
  { tell }: Parts,
  { organizationId, title, errorMessage }: DeploymentRecord,
  outcome: Outcome,
  { service, record: { name } }: Present,
): Promise<void> {
  if (!tell || outcome.status === 'cancelled') return;
  const about = { organizationId, subject: { type: service.kind, id: service.serviceId, name } };
  const failed = (sentence: string) => tell({ event: 'deploymentFailed', ...about, sentence });
  if (outcome.status === 'error') return failed(`${name}: “${title}” failed: ${outcome.reason}`);
  await tell({
    event: 'deploymentDone',
    ...about,
    sentence: `${name}: “${title}” is deployed and healthy.`,
  });
  if (errorMessage !== null) await failed(`${name}: “${title}” is deployed, but: ${errorMessage}`);
}

async function cancel(
  parts: Parts,
  service: ServiceRef,
  status: 'queued' | 'running',
  reason: string,
): Promise<void> {
  const { store, queue, clock } = parts;
  if (status === 'queued') await queue.cancelQueued(serviceKey(service));
  else await queue.cancelRunning(serviceKey(service));
  const end = { finishedAt: isoTime(clock), errorMessage: reason, child: null };
  const cancelled = await store.list({ ...ownerColumns(service), status });
  for (const { deploymentId } of cancelled) await store.transition(deploymentId, 'cancelled', end);
  const present = cancelled.length > 0 ? await found(parts, service) : undefined;
  await setStatus(parts, present, eventOfCancel(present));
}

/** What runs is what ran before. */
function eventOfCancel(present: Present | undefined): ServiceEvent {
  return present && present.record.liveDeploymentId !== null && !present.record.isStopped
    ? 'deployCancelledWithRelease'
    : 'deployCancelledWithoutRelease';
}

async function cancelQueued(parts: Parts, service: ServiceRef, isRunning: boolean): Promise<number> {
  const cancelled = await parts.queue.cancelQueued(serviceKey(service));
  for (const { deploymentId } of cancelled) {
    if (deploymentId !== undefined)
      await parts.store.transition(deploymentId, 'cancelled', {
        finishedAt: isoTime(parts.clock),
        errorMessage: 'Cancelled while it was queued.',
      });
  }
  // Also where nothing was queued: a status set by hand ends with the next action (decisions 5).
  const present = await found(parts, service);
  await setStatus(parts, present, isRunning ? 'queueCleanedWithTasks' : 'queueCleanedWithoutTasks');
  return cancelled.length;
}

async function setStatus(
  { store }: Parts,
  present: Present | undefined,
  event: ServiceEvent,
  patch: ServicePatch = {},
): Promise<void> {
  if (!present) return;
  const { service, records, record } = present;
  const stillWorking = (await store.countUnfinished(service)) > 0;
  await records.patch(service.serviceId, {
    ...patch,
    status: stillWorking ? 'running' : statusAfter(event, record.status),
  });
}

async function clear(
  { store, services, logs }: Parts,
  service: ServiceRef,
  keep = 0,
): Promise<ShownDeployment[]> {
  const live = (await services[service.kind]?.find(service.serviceId))?.liveDeploymentId;
  const removed = [];
  for (const deployment of (await store.all(service)).slice(keep)) {
    const isNeeded =
      deployment.deploymentId === live || deployment.status === 'queued' || deployment.status === 'running';
    if (isNeeded) continue;
    await store.remove({ deploymentId: deployment.deploymentId });
    removed.push(deployment);
  }
  for (const { deploymentId } of removed) await logs.remove(deploymentId);
  return removed;
}

function createReads(store: DeploymentStore, services: DeploymentNeighbours['services']): DeploymentReads {
  return {
    live: async ({ liveDeploymentId }) =>
      liveDeploymentId === null ? undefined : store.find({ deploymentId: liveDeploymentId }),
    recent: (service) => store.recent(service),
    sourceApplications: (applicationId) => store.sourceApplications(applicationId),
    all: (service) => store.all(service),
    succeeded: ({ kind, serviceId }) =>
      store.list({ [idFields[kind]]: serviceId, status: 'done' }, { by: ['sequence'], direction: 'desc' }),
    everywhere: (organizationId, page) => store.everywhere(organizationId, page),
    async one(deploymentId, organizationId) {
      const record = await store.find({ deploymentId, organizationId });
      if (!record) throw new AppError('NOT_FOUND', 'There is no such deployment. It may have been cleared.');
      return record;
    },
    find: (deploymentId) => store.find({ deploymentId }),
    unfinished: () => store.unfinished(),
    isWorking: async (service) => (await store.countUnfinished(service)) > 0,
    async serviceOf(deploymentId) {
      const deployment = await store.find({ deploymentId });
      if (!deployment) return undefined;
      const { kind, serviceId } = ownerOf(deployment);
      return services[kind]?.find(serviceId);
    },
  };
}
