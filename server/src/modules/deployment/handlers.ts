import { AppError } from '../../domain/errors.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import { deployedKinds, idFields, ownerOf, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { Actor, CallContext } from '../../procedure/context.ts';
import type { LogEvent } from '../../procedure/log-event.ts';
import { cutPage, paginate, unknownCursor } from '../../procedure/input/page.ts';
import type { Handlers, StreamEvent } from '../../procedure/procedure.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { DeploymentRecord } from '../../db/tables.ts';
import type { Queue } from '../../ports/queue.ts';
import type { deploymentContract } from './contract.ts';
import { startedBy, type Deployments, type ShownDeployment } from './deployment.ts';
import { logLine, mayBeOfNewStage, timeOf } from './log-line.ts';
import { lookedThrough, readPage } from './log-page.ts';

export interface DeploymentDesk {
  logs: DeploymentLogs;
  queue: Queue;
  /** Names of what a release was made of otherwise than an earlier one; null where either was never made. */
  changed(earlier: DeploymentRecord, later: DeploymentRecord): Promise<string[] | null>;
}

const finished = new Set(['done', 'error', 'cancelled']);

export function deploymentHandlers(
  deployments: Deployments,
  { logs, queue, changed }: DeploymentDesk,
): Handlers<typeof deploymentContract, CallContext> {
  return {
    all: async ({ actor }, input) =>
      deployedKinds.some((kind) => input[idFields[kind]] !== undefined)
        ? paginate(await deployments.all(named(input)), input, ({ deploymentId }) => deploymentId)
        : everywhere(deployments, actor, input),
    latest: async (_context, input) => (await deployments.recent(named(input)))[0] ?? null,
    one: ({ actor }, { deploymentId }) => deployments.one(deploymentId, actor.organizationId),
    dockerfile: async ({ actor }, { deploymentId }) =>
      (await deployments.one(deploymentId, actor.organizationId)).ownBuild,
    async changes({ actor }, { deploymentId }) {
      const later = await deployments.one(deploymentId, actor.organizationId);
      const earlier = await releasedBefore(deployments, later);
      return {
        since: earlier && {
          deploymentId: earlier.deploymentId,
          title: earlier.title,
          createdAt: earlier.createdAt,
        },
        commit: later.commit,
        formerCommit: earlier?.commit ?? null,
        changed: earlier && (await changed(earlier, later)),
      };
    },
    async readLogs({ actor }, { deploymentId, tail }) {
      await deployments.one(deploymentId, actor.organizationId);
      return (await logs.readEnd(deploymentId, { tail })).map(({ text }) => text);
    },
    async logLines({ actor }, { deploymentId, from, before, search, limit }) {
      const deployment = await deployments.one(deploymentId, actor.organizationId);
      const place = from === undefined ? { before } : { from };
      const page = await readPage(logs, deploymentId, place, search, { lines: limit, bytes: lookedThrough });
      const lines = page.lines.map(({ position, text }) => ({
        position,
        ...logLine(text, timeOf(text), deployment),
      }));
      return { lines, next: page.next };
    },
    async *logs(context, { deploymentId }): AsyncIterable<StreamEvent<LogEvent>> {
      const { organizationId } = context.actor;
      let deployment = await deployments.one(deploymentId, organizationId);
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
        const at = timeOf(text);
        // Stages are few and come in their order: they are read again once a line is newer than all known.
        if (at !== undefined && mayBeOfNewStage(deployment, text))
          deployment = await deployments.one(deploymentId, organizationId);
        yield { id: String(position), data: { type: 'line', ...logLine(text, at, deployment) } };
      }
      const { status } = await deployments.one(deploymentId, organizationId);
      if (finished.has(status)) yield { id: String(last), data: { type: 'end', outcome: status } };
    },
    async rollback({ actor, write, announce }, { deploymentId }) {
      const target = await deployments.one(deploymentId, actor.organizationId);
      if (target.previewDeploymentId !== null)
        throw new AppError(
          'PRECONDITION_FAILED',
          'A preview shows its pull request as it is now, so it cannot go back; push the earlier commit ' +
            'to its branch.',
        );
      if (target.databaseId !== null)
        throw new AppError(
          'PRECONDITION_FAILED',
          'A database cannot be rolled back to a deployment: its data stays in its volume, whatever ' +
            'version runs. Change its settings and deploy it, or restore a backup.',
        );
      const isWhole = target.composeId !== null || target.image !== null;
      if (target.settings === null || !isWhole || target.healthyAt === null) {
        throw new AppError(
          'PRECONDITION_FAILED',
          'This deployment never ran healthy, so there is nothing to return to. Choose one with the ' +
            'status done.',
        );
      }
      const accepted = await write(() =>
        deployments.accept(ownerOf(target), {
          kind: 'rollback',
          startedBy: startedBy(actor),
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

/** The newest deployment of the same service before this one that ran healthy. */
async function releasedBefore(
  deployments: Deployments,
  later: DeploymentRecord,
): Promise<DeploymentRecord | null> {
  const all = await deployments.all(ownerOf(later));
  const place = all.findIndex(({ deploymentId }) => deploymentId === later.deploymentId);
  const earlier = all.slice(place + 1).find(({ healthyAt }) => place >= 0 && healthyAt !== null);
  return earlier ? deployments.one(earlier.deploymentId, later.organizationId) : null;
}

const usualPage = 100;
const largestPage = 500;

/** Those of every service that the caller reaches; a member's are picked from the organization's. */
async function everywhere(
  deployments: Deployments,
  actor: Actor,
  { limit, cursor }: { limit?: number | undefined; cursor?: string | undefined },
) {
  const { organizationId } = actor;
  const reaches = reachOf(actor);
  const wanted = (limit ?? usualPage) + 1;
  const found: ShownDeployment[] = [];
  let before = cursor === undefined ? undefined : await sequenceOf(deployments, cursor, organizationId);
  for (;;) {
    const rows = await deployments.everywhere(organizationId, { before, limit: largestPage });
    for (const { scope, deployment } of rows) if (reaches(scope)) found.push(deployment);
    before = rows.at(-1)?.deployment.sequence;
    if (found.length >= wanted || rows.length < largestPage) break;
  }
  return limit === undefined
    ? found.slice(0, usualPage)
    : cutPage(found, limit, ({ deploymentId }) => deploymentId);
}

async function sequenceOf(
  deployments: Deployments,
  deploymentId: string,
  organizationId: string,
): Promise<number> {
  const found = await deployments.find(deploymentId);
  if (found?.organizationId !== organizationId) throw unknownCursor();
  return found.sequence;
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
