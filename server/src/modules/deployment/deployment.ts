/** Deployments as records: accepted, followed, ended. The work itself is deploy/. */
import { AppError } from '../../domain/errors.ts';
import { statusAfter, type ServiceEvent } from '../../domain/lifecycle.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { Queue } from '../../ports/queue.ts';
import { createSequence } from '../../ports/sequence.ts';
import type { Applications } from '../application/application.ts';
import { checkDeployable } from '../application/checks.ts';
import type { ApplicationRecord, DeploymentRecord } from '../../db/tables.ts';
import type { DeploymentStore } from './store.ts';

/** A deployment as lists show it, without the release's settings. */
export type ShownDeployment = Awaited<ReturnType<DeploymentStore['recent']>>[number];

export interface Accepting {
  kind: DeploymentRecord['kind'];
  title: string;
  description: string;
  sourceDeploymentId?: string;
}

/** Looking deployments up. */
export interface DeploymentReads {
  /** The version that a redeploy rebuilds: the live deployment's. */
  live(application: ApplicationRecord): Promise<DeploymentRecord | undefined>;
  /** The newest 50, as an application shows them. */
  recent(applicationId: string): Promise<ShownDeployment[]>;
  all(applicationId: string): Promise<ShownDeployment[]>;
  one(deploymentId: string, organizationId: string): Promise<DeploymentRecord>;
  find(deploymentId: string): Promise<DeploymentRecord | undefined>;
  unfinished(): Promise<DeploymentRecord[]>;
  /** Whether a deployment of the application is queued or running. */
  isWorking(applicationId: string): Promise<boolean>;
}

export interface Deployments extends DeploymentReads {
  /** Stores deployment and job in one transaction and sets the service's status to running; `wake` the queue after it. */
  accept(application: ApplicationRecord, accepting: Accepting): Promise<DeploymentRecord>;
  /** queued → running; false when it was cancelled meanwhile. A deployment that was running already (a restart) goes on. */
  begin(deploymentId: string): Promise<boolean>;
  record(deploymentId: string, patch: Partial<DeploymentRecord>): Promise<void>;
  /** Ends the deployment and gives the service the status that follows, in one transaction. */
  finish(deployment: DeploymentRecord, outcome: Outcome): Promise<void>;
  /** Cancels what is queued; gives how many. */
  cancelQueued(application: ApplicationRecord, hasTasks: () => Promise<boolean>): Promise<number>;
  /** Removes finished deployments with their logs, all but the live one; gives the removed ones. */
  clear(application: ApplicationRecord): Promise<ShownDeployment[]>;
}

export type Outcome = { status: 'done'; healthyAt: string; patch: Partial<ApplicationRecord> } | { status: 'error'; reason: string; event: ServiceEvent };

export interface DeploymentNeighbours {
  applications: Applications;
  queue: Queue;
  logs: DeploymentLogs;
}

const reasonLimit = 4000;

export function createDeployments(store: DeploymentStore, { applications, queue, logs }: DeploymentNeighbours, clock: Clock): Deployments {
  const nextSequence = createSequence(clock);

  async function setStatus(applicationId: string, event: ServiceEvent, patch: Partial<ApplicationRecord> = {}): Promise<void> {
    const application = await applications.find(applicationId);
    if (!application) return;
    const stillWorking = (await store.countUnfinished(applicationId)) > 0;
    await applications.patch(applicationId, { ...patch, applicationStatus: stillWorking ? 'running' : statusAfter(event, application.applicationStatus) });
  }

  return {
    ...createReads(store),
    async accept(application, accepting) {
      if (accepting.kind !== 'rollback') checkDeployable(application);
      const deployment = queued(application, accepting, { sequence: nextSequence(), createdAt: isoTime(clock) });
      await store.insert(deployment);
      await queue.enqueue({ kind: 'deployment', payload: { deploymentId: deployment.deploymentId }, serviceKey: `application:${application.applicationId}`, serverKey: application.serverId ?? 'local' });
      await applications.patch(application.applicationId, { applicationStatus: statusAfter('deployAccepted', application.applicationStatus) });
      return deployment;
    },
    async begin(deploymentId) {
      if (await store.transition(deploymentId, 'running', { startedAt: isoTime(clock) })) return true;
      return (await store.find({ deploymentId }))?.status === 'running';
    },
    record: async (deploymentId, patch) => {
      await store.update({ deploymentId }, patch);
    },
    finish: (deployment, outcome) =>
      store.transaction(async () => {
        const { deploymentId, applicationId } = deployment;
        const finishedAt = isoTime(clock);
        const isOurs = outcome.status === 'done'
          ? await store.transition(deploymentId, 'done', { finishedAt, healthyAt: outcome.healthyAt, child: null })
          : await store.transition(deploymentId, 'error', { finishedAt, errorMessage: outcome.reason.slice(0, reasonLimit), child: null });
        if (!isOurs) return;
        if (outcome.status === 'done') await setStatus(applicationId, 'deploySucceeded', { ...outcome.patch, liveDeploymentId: deploymentId, isStopped: false });
        else await setStatus(applicationId, outcome.event);
      }),
    async cancelQueued(application, hasTasks) {
      const isRunning = await hasTasks();
      return store.transaction(async () => {
        const cancelled = await queue.cancelQueued(`application:${application.applicationId}`);
        for (const { deploymentId } of cancelled) {
          if (deploymentId !== undefined) await store.transition(deploymentId, 'cancelled', { finishedAt: isoTime(clock), errorMessage: 'Cancelled while it was queued.' });
        }
        if (cancelled.length > 0) await setStatus(application.applicationId, isRunning ? 'queueCleanedWithTasks' : 'queueCleanedWithoutTasks');
        return cancelled.length;
      });
    },
    async clear(application) {
      const removed = [];
      for (const deployment of await store.all(application.applicationId)) {
        const isNeeded = deployment.deploymentId === application.liveDeploymentId || deployment.status === 'queued' || deployment.status === 'running';
        if (isNeeded) continue;
        await store.remove({ deploymentId: deployment.deploymentId });
        removed.push(deployment);
      }
      for (const { deploymentId } of removed) await logs.remove(deploymentId);
      return removed;
    },
  };
}

function createReads(store: DeploymentStore): DeploymentReads {
  return {
    live: async ({ liveDeploymentId }) => (liveDeploymentId === null ? undefined : store.find({ deploymentId: liveDeploymentId })),
    recent: (applicationId) => store.recent(applicationId),
    all: (applicationId) => store.all(applicationId),
    async one(deploymentId, organizationId) {
      const record = await store.find({ deploymentId, organizationId });
      if (!record) throw new AppError('NOT_FOUND', 'There is no such deployment. It may have been cleared.');
      return record;
    },
    find: (deploymentId) => store.find({ deploymentId }),
    unfinished: () => store.unfinished(),
    isWorking: async (applicationId) => (await store.countUnfinished(applicationId)) > 0,
  };
}

function queued({ organizationId, applicationId }: ApplicationRecord, { kind, title, description, sourceDeploymentId }: Accepting, at: { sequence: number; createdAt: string }): DeploymentRecord {
  return {
    deploymentId: randomId(), organizationId, applicationId, kind, title, description, status: 'queued', stage: 'queue', commit: null, image: null, errorMessage: null, settings: null,
    sourceDeploymentId: sourceDeploymentId ?? null, child: null, previousVersion: null, startedAt: null, healthyAt: null, finishedAt: null, ...at,
  };
}
