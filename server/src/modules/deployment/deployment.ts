/** Deployments as records: accepted, followed, ended. The work itself is deploy/. */
import { AppError } from '../../domain/errors.ts';
import { statusAfter, type ApplicationStatus, type ServiceEvent } from '../../domain/lifecycle.ts';
import {
  ownerColumns,
  ownerOf,
  serviceKey,
  type DeployedKind,
  type ServiceRef,
} from '../../domain/service-ref.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { Queue } from '../../ports/queue.ts';
import { createSequence } from '../../ports/sequence.ts';
import type { DeploymentRecord } from '../../db/tables.ts';
import type { DeploymentStore } from './store.ts';

/** A deployment as lists show it, without the release's settings. */
export type ShownDeployment = Awaited<ReturnType<DeploymentStore['recent']>>[number];

export interface Accepting {
  kind: DeploymentRecord['kind'];
  title: string;
  description: string;
  sourceDeploymentId?: string;
  /** Image to deploy, where it is not what the service's record names. */
  image?: string;
  /** Commit to deploy, where it is not the newest. */
  commit?: string | undefined;
}

/** What deployments know of a service. */
export interface DeployedService {
  organizationId: string;
  /** Its deployments share the concurrency of all that have the same. */
  serverKey: string;
  status: ApplicationStatus;
  liveDeploymentId: string | null;
  /** Throws when what it is made of is not complete. */
  requireDeployable(): void;
}

/** What a deployment changes in the record of its service. */
export interface ServicePatch {
  status?: ApplicationStatus;
  liveDeploymentId?: string;
  releasedAppName?: string;
  isStopped?: boolean;
}

/** The records of the services of one kind. */
export interface DeployedServices {
  find(serviceId: string): Promise<DeployedService | undefined>;
  patch(serviceId: string, patch: ServicePatch): Promise<void>;
}

/** Looking deployments up. */
export interface DeploymentReads {
  /** The version that a redeploy rebuilds: the live deployment's. */
  live(service: Pick<DeployedService, 'liveDeploymentId'>): Promise<DeploymentRecord | undefined>;
  /** The newest 50, as a service shows them. */
  recent(service: ServiceRef): Promise<ShownDeployment[]>;
  all(service: ServiceRef): Promise<ShownDeployment[]>;
  one(deploymentId: string, organizationId: string): Promise<DeploymentRecord>;
  find(deploymentId: string): Promise<DeploymentRecord | undefined>;
  unfinished(): Promise<DeploymentRecord[]>;
  /** Whether a deployment of the service is queued or running. */
  isWorking(service: ServiceRef): Promise<boolean>;
}

export interface Deployments extends DeploymentReads {
  /** Stores deployment and job in one transaction and sets the service's status to running; `wake` the queue after it. NOT_FOUND when the service is gone. */
  accept(service: ServiceRef, accepting: Accepting): Promise<DeploymentRecord>;
  /** queued → running; false when it was cancelled meanwhile. A deployment that was running already (a restart) goes on. */
  begin(deploymentId: string): Promise<boolean>;
  record(deploymentId: string, patch: Partial<DeploymentRecord>): Promise<void>;
  /** Ends the deployment and gives the service the status that follows, in one transaction. */
  finish(deployment: DeploymentRecord, outcome: Outcome): Promise<void>;
  /** Cancels what is queued; gives how many. */
  cancelQueued(service: ServiceRef, hasTasks: () => Promise<boolean>): Promise<number>;
  /** Removes finished deployments with their logs, all but the live one; gives the removed ones. */
  clear(service: ServiceRef): Promise<ShownDeployment[]>;
}

export type Outcome =
  | { status: 'done'; healthyAt: string; patch: ServicePatch }
  | { status: 'error'; reason: string; event: ServiceEvent };

export interface DeploymentNeighbours {
  /** Kinds that can be deployed. */
  services: Partial<Record<DeployedKind, DeployedServices>>;
  queue: Queue;
  logs: DeploymentLogs;
}

const reasonLimit = 4000;

export function createDeployments(
  store: DeploymentStore,
  { services, queue, logs }: DeploymentNeighbours,
  clock: Clock,
): Deployments {
  const nextSequence = createSequence(clock);

  async function setStatus(
    service: ServiceRef,
    event: ServiceEvent,
    patch: ServicePatch = {},
  ): Promise<void> {
    const records = services[service.kind];
    const present = await records?.find(service.serviceId);
    if (!records || !present) return;
    const stillWorking = (await store.countUnfinished(service)) > 0;
    await records.patch(service.serviceId, {
      ...patch,
      status: stillWorking ? 'running' : statusAfter(event, present.status),
    });
  }

  return {
    ...createReads(store),
    accept: (service, accepting) =>
      store.transaction(async () => {
        const records = services[service.kind];
        const present = await records?.find(service.serviceId);
        if (!records || !present)
          throw new AppError('NOT_FOUND', 'There is no such service. It may have been deleted.');
        if (accepting.kind !== 'rollback') present.requireDeployable();
        const deployment = queued(service, present.organizationId, accepting, {
          sequence: nextSequence(),
          createdAt: isoTime(clock),
        });
        await store.insert(deployment);
        await queue.enqueue({
          kind: 'deployment',
          payload: { deploymentId: deployment.deploymentId },
          serviceKey: serviceKey(service),
          serverKey: present.serverKey,
        });
        await records.patch(service.serviceId, { status: statusAfter('deployAccepted', present.status) });
        return deployment;
      }),
    async begin(deploymentId) {
      if (await store.transition(deploymentId, 'running', { startedAt: isoTime(clock) })) return true;
      return (await store.find({ deploymentId }))?.status === 'running';
    },
    record: async (deploymentId, patch) => {
      await store.update({ deploymentId }, patch);
    },
    finish: (deployment, outcome) =>
      store.transaction(async () => {
        const { deploymentId } = deployment;
        const service = ownerOf(deployment);
        const finishedAt = isoTime(clock);
        const isOurs =
          outcome.status === 'done'
            ? await store.transition(deploymentId, 'done', {
                finishedAt,
                healthyAt: outcome.healthyAt,
                child: null,
              })
            : await store.transition(deploymentId, 'error', {
                finishedAt,
                errorMessage: outcome.reason.slice(0, reasonLimit),
                child: null,
              });
        if (!isOurs) return;
        if (outcome.status === 'done')
          await setStatus(service, 'deploySucceeded', {
            ...outcome.patch,
            liveDeploymentId: deploymentId,
            isStopped: false,
          });
        else await setStatus(service, outcome.event);
      }),
    async cancelQueued(service, hasTasks) {
      const isRunning = await hasTasks();
      return store.transaction(async () => {
        const cancelled = await queue.cancelQueued(serviceKey(service));
        for (const { deploymentId } of cancelled) {
          if (deploymentId !== undefined)
            await store.transition(deploymentId, 'cancelled', {
              finishedAt: isoTime(clock),
              errorMessage: 'Cancelled while it was queued.',
            });
        }
        if (cancelled.length > 0)
          await setStatus(service, isRunning ? 'queueCleanedWithTasks' : 'queueCleanedWithoutTasks');
        return cancelled.length;
      });
    },
    clear: (service) => clear({ store, services, logs }, service),
  };
}

async function clear(
  { store, services, logs }: Pick<DeploymentNeighbours, 'services' | 'logs'> & { store: DeploymentStore },
  service: ServiceRef,
): Promise<ShownDeployment[]> {
  const live = (await services[service.kind]?.find(service.serviceId))?.liveDeploymentId;
  const removed = [];
  for (const deployment of await store.all(service)) {
    const isNeeded =
      deployment.deploymentId === live || deployment.status === 'queued' || deployment.status === 'running';
    if (isNeeded) continue;
    await store.remove({ deploymentId: deployment.deploymentId });
    removed.push(deployment);
  }
  for (const { deploymentId } of removed) await logs.remove(deploymentId);
  return removed;
}

function createReads(store: DeploymentStore): DeploymentReads {
  return {
    live: async ({ liveDeploymentId }) =>
      liveDeploymentId === null ? undefined : store.find({ deploymentId: liveDeploymentId }),
    recent: (service) => store.recent(service),
    all: (service) => store.all(service),
    async one(deploymentId, organizationId) {
      const record = await store.find({ deploymentId, organizationId });
      if (!record) throw new AppError('NOT_FOUND', 'There is no such deployment. It may have been cleared.');
      return record;
    },
    find: (deploymentId) => store.find({ deploymentId }),
    unfinished: () => store.unfinished(),
    isWorking: async (service) => (await store.countUnfinished(service)) > 0,
  };
}

function queued(
  service: ServiceRef,
  organizationId: string,
  { kind, title, description, sourceDeploymentId, image, commit }: Accepting,
  at: { sequence: number; createdAt: string },
): DeploymentRecord {
  return {
    deploymentId: randomId(),
    organizationId,
    ...ownerColumns(service),
    kind,
    title,
    description,
    status: 'queued',
    stage: 'queue',
    commit: commit ?? null,
    image: image ?? null,
    errorMessage: null,
    settings: null,
    sourceDeploymentId: sourceDeploymentId ?? null,
    child: null,
    previousVersion: null,
    startedAt: null,
    healthyAt: null,
    finishedAt: null,
    ...at,
  };
}
