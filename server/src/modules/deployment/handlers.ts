import { AppError } from '../../domain/errors.ts';
import { ownerOf, type idFields, type ServiceRef } from '../../domain/service-ref.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { LogEvent } from '../../procedure/log-event.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers, StreamEvent } from '../../procedure/procedure.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { Queue } from '../../ports/queue.ts';
import type { deploymentContract } from './contract.ts';
import type { Deployments } from './deployment.ts';

export interface DeploymentDesk {
  logs: DeploymentLogs;
  queue: Queue;
}

const finished = new Set(['done', 'error', 'cancelled']);

export function deploymentHandlers(
  deployments: Deployments,
  { logs, queue }: DeploymentDesk,
): Handlers<typeof deploymentContract, CallContext> {
  return {
    all: async (_context, input) =>
      paginate(await deployments.all(named(input)), input, ({ deploymentId }) => deploymentId),
    latest: async (_context, input) => (await deployments.recent(named(input)))[0] ?? null,
    one: ({ actor }, { deploymentId }) => deployments.one(deploymentId, actor.organizationId),
    async readLogs({ actor }, { deploymentId, tail }) {
      await deployments.one(deploymentId, actor.organizationId);
      return (await logs.readEnd(deploymentId, { tail })).map(({ text }) => text);
    },
    async *logs(context, { deploymentId }): AsyncIterable<StreamEvent<LogEvent>> {
      const { organizationId } = context.actor;
      await deployments.one(deploymentId, organizationId);
      const isFinished = async (): Promise<boolean> =>
        !context.follow || finished.has((await deployments.one(deploymentId, organizationId)).status);
      const from = Number(context.lastEventId ?? 0) || 0;
      let last = from;
      for await (const { position, text } of logs.follow(deploymentId, {
        from,
        signal: context.signal,
        isFinished,
      })) {
        last = position;
        yield { id: String(position), data: { type: 'line', text } };
      }
      const { status } = await deployments.one(deploymentId, organizationId);
      if (finished.has(status)) yield { id: String(last), data: { type: 'end', outcome: status } };
    },
    async rollback({ actor, write, announce }, { deploymentId }) {
      const target = await deployments.one(deploymentId, actor.organizationId);
      if (target.previewDeploymentId !== null)
        throw new AppError(
          'PRECONDITION_FAILED',
          'A preview shows its pull request as it is now, so there is no going back; push the earlier ' +
            'commit to its branch.',
        );
      if (target.applicationId === null)
        throw new AppError(
          'PRECONDITION_FAILED',
          'Only deployments of applications can be taken back: a database keeps its data in its volume, ' +
            'whatever version runs, and a compose service is its file. Set what it should be and deploy ' +
            'it.',
        );
      if (target.settings === null || target.image === null || target.healthyAt === null) {
        throw new AppError(
          'PRECONDITION_FAILED',
          'This deployment never ran healthy, so there is nothing to return to. Choose one with the ' +
            'status done.',
        );
      }
      const accepted = await write(() =>
        deployments.accept(ownerOf(target), {
          kind: 'rollback',
          title: rollbackTitle(target.title),
          description: `To the deployment of ${target.createdAt}`,
          sourceDeploymentId: deploymentId,
        }),
      );
      queue.wake();
      announce(accepted.deploymentId);
      return accepted;
    },
  };
}

/** A rollback to a rollback is one to what that went back to. */
function rollbackTitle(title: string): string {
  return `Rollback to ${title.replace(/^(Rollback to )+/, '')}`.slice(0, 200);
}

/** The service whose id the input has. */
function named(input: { [F in (typeof idFields)[keyof typeof idFields]]?: string | undefined }): ServiceRef {
  return ownerOf({
    applicationId: input.applicationId ?? null,
    databaseId: input.databaseId ?? null,
    composeId: input.composeId ?? null,
    previewDeploymentId: input.previewDeploymentId ?? null,
  });
}
