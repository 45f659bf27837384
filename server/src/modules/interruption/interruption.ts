/**
 * What a person does to a service while a deployment of it is queued or under way. Which operation ends it,
 * which waits and which is refused is the table `domain/operation-pairs.ts`.
 */
import { AppError } from '../../domain/errors.ts';
import { operationPairs, type EndingOperation } from '../../domain/states/operation-pairs.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import type { Turns } from '../service/turns.ts';
import type { Deployments } from '../deployment/deployment.ts';

export interface Interruption {
  /**
   * Ends every deployment of the service (`cancelled`, with who did it), then acts; both in the service's
   * turn, so that a deployment accepted meanwhile begins after it. A removal ends backups and restores of it
   * too, and is refused before anything ends when its server does not answer. SERVICE_UNAVAILABLE when the
   * deployment does not end in time, CONFLICT while a restore changes over.
   */
  endThen<T>(service: ServiceRef, by: EndedBy, act: () => Promise<T>): Promise<T>;
  /**
   * SERVICE_UNAVAILABLE when the server of a deployed service does not answer, so that a removal which would
   * be refused in its middle ends nothing before it.
   */
  requireReach(service: ServiceRef): Promise<void>;
  /** Acts in the service's turn; CONFLICT while a deployment of it is queued or under way. */
  unlessDeploying<T>(service: ServiceRef, act: () => Promise<T>): Promise<T>;
  /** Cancels what is queued or waits for a build slot; gives how many. */
  cancelWaiting(service: ServiceRef, hasTasks: () => Promise<boolean>): Promise<number>;
  /** Ends the running build of the service; nothing to do when nothing is building. */
  killBuild(service: ServiceRef): Promise<boolean>;
}

export interface EndedBy {
  operation: EndingOperation;
  /** Whoever asked for it; undefined: Berth itself. */
  userId: string | undefined;
}

/** The deployments that run in this process. */
export interface RunningBuilds {
  killBuild(service: ServiceRef): Promise<boolean>;
  end(service: ServiceRef, reason: string): Promise<void>;
  endWaiting(service: ServiceRef, reason: string): Promise<number>;
}

export interface InterruptionNeighbours {
  deployments: Pick<Deployments, 'cancel' | 'cancelQueued' | 'isWorking' | 'showWorking'>;
  builds: RunningBuilds;
  /** Backups, restores and trials of one service that are queued or under way. */
  backupRuns: { cancelOf(service: ServiceRef): Promise<void> };
  /** Throws when the server that a deployed service stands on does not answer. */
  requireReach(service: ServiceRef): Promise<void>;
  turns: Turns;
  /** How a user is called in a deployment's reason. */
  userName(userId: string): Promise<string | undefined>;
}

/** After these nothing is left to back up, to restore or to try. */
const removing: ReadonlySet<EndingOperation> = new Set(['delete', 'remove', 'forget']);
/** These remove the service from its server first. */
const reaching: ReadonlySet<EndingOperation> = new Set(['delete', 'remove']);

export function createInterruption({
  deployments,
  builds,
  backupRuns,
  requireReach,
  turns,
  userName,
}: InterruptionNeighbours): Interruption {
  async function reasonOf({ operation, userId }: EndedBy): Promise<string> {
    const name = userId === undefined ? undefined : await userName(userId);
    return `Ended by ${operation}${name === undefined ? '' : ` of ${name}`}.`;
  }
  return {
    killBuild: builds.killBuild,
    requireReach,
    endThen: (service, by, act) =>
      turns.take(service.serviceId, async () => {
        if (reaching.has(by.operation)) await requireReach(service);
        const reason = await reasonOf(by);
        // First what waits: it would begin as soon as what runs has ended.
        await deployments.cancel(service, 'queued', reason);
        await builds.end(service, reason);
        // What is left runs in another process, which loses its job by this.
        await deployments.cancel(service, 'running', reason);
        if (removing.has(by.operation)) await backupRuns.cancelOf(service);
        try {
          return await act();
        } finally {
          await deployments.showWorking(service);
        }
      }),
    unlessDeploying: (service, act) =>
      turns.take(service.serviceId, async () => {
        if (operationPairs.reload.releasing.comes === 'refused' && (await deployments.isWorking(service)))
          throw new AppError(
            'CONFLICT',
            'A deployment of this service is queued or under way, and takes the current settings itself. ' +
              'Wait for its end, or end it with stop.',
          );
        return act();
      }),
    async cancelWaiting(service, hasTasks) {
      const ended = await builds.endWaiting(service, 'Cancelled while it waited for a build slot.');
      return ended + (await deployments.cancelQueued(service, hasTasks));
    },
  };
}
