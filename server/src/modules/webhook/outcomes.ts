/** What comes of a genuine delivery, once. */
import { AppError } from '../../domain/errors.ts';
import type { DeploymentStarter } from '../../domain/states/lifecycle.ts';
import type { HookEvent, PullRequestEvent, PushEvent } from '../../domain/git/git-event.ts';
import { gitSourceOf, type GitProvider } from '../../domain/git/git-host.ts';
import { isOf } from '../../domain/git/git-repository.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { AuditEntry } from '../../procedure/guard.ts';
import type { Deployments } from '../deployment/deployment.ts';
import type { HookAnswer } from './answer.ts';
import { requireAutoDeploy, type Hooked } from './hooked.ts';
import { describePush, skipReason } from './push-verdict.ts';
import type { Receipt, Receipts } from './receipts.ts';
import type { ReceiptRecord, WebhookStore } from './store.ts';

export interface OutcomeNeighbours {
  deployments: Pick<Deployments, 'accept'>;
  /** Wakes the queue, after the transaction. */
  wake(): void;
  recordAudit(entry: AuditEntry): Promise<void>;
  /** What a pull request does to the previews of a service; part of a transaction. */
  pullRequest(
    service: Hooked['previewed'],
    provider: GitProvider,
    event: PullRequestEvent,
    from: { source: 'signed' | 'unsigned'; webhookDeliveryId: string | undefined },
  ): Promise<{ queued: true } | { skipped: string }>;
}

export interface Deploying {
  provider: GitProvider | undefined;
  ip: string;
  title: string;
  description: string;
  commit?: string | undefined;
  /** Commit of a push, whose branch is deployed. */
  pushedCommit?: string | undefined;
  startedBy?: DeploymentStarter | undefined;
}

export interface Once {
  /** The delivery's and whom it is for; the second one of a key is a duplicate. */
  key: string | undefined;
  receipt: Receipt;
  noted?(record: ReceiptRecord): void;
}

interface From {
  ip: string;
  source: 'signed' | 'unsigned';
  /** The record of the delivery, which gets the reason of what does not happen later. */
  webhookDeliveryId?: string | undefined;
  /** Who did what a git host did before; undefined: the git host. */
  startedBy?: DeploymentStarter;
}

export interface Outcomes {
  /** Runs the work in one transaction with the note of what came of this delivery, and wakes the queue. */
  once(delivery: Once, work: () => Promise<HookAnswer>): Promise<HookAnswer>;
  carryOut(
    hooked: Hooked,
    provider: GitProvider | undefined,
    event: HookEvent,
    from: From,
  ): Promise<HookAnswer>;
  deploy(hooked: Hooked, deploying: Deploying): Promise<HookAnswer>;
}

export function createOutcomes(
  store: WebhookStore,
  neighbours: OutcomeNeighbours,
  receipts: Receipts,
  clock: Clock,
): Outcomes {
  return {
    deploy: (hooked, deploying) => deploy(neighbours, hooked, deploying),
    async once(delivery, work) {
      const answer = await seenOnce({ store, clock, receipts }, delivery, work);
      neighbours.wake();
      return answer;
    },
    async carryOut(hooked, provider, event, { ip, source, startedBy, webhookDeliveryId }) {
      switch (event.kind) {
        case 'ping':
          return { ping: true };
        case 'other':
          return { skipped: `the event ${event.name} changes nothing here` };
        case 'push':
          return push(neighbours, hooked, event, { provider, ip, startedBy });
        case 'pullRequest':
          if (provider === undefined) return { skipped: 'the git host of the pull request is not known' };
          return neighbours.pullRequest(hooked.previewed, provider, event, { source, webhookDeliveryId });
      }
    },
  };
}

async function seenOnce(
  { store, clock, receipts }: { store: WebhookStore; clock: Clock; receipts: Receipts },
  { key, receipt, noted }: Once,
  work: () => Promise<HookAnswer>,
): Promise<HookAnswer> {
  const note = async (answer: HookAnswer): Promise<HookAnswer> => {
    const record = await receipts.note(receipt, answer);
    if (record) noted?.(record);
    return answer;
  };
  try {
    return await store.transaction(async (): Promise<HookAnswer> => {
      if (key !== undefined) {
        if (await store.hasDelivery(key)) return note({ duplicate: true });
        await store.addDelivery(key, isoTime(clock));
      }
      return note(await work());
    });
  } catch (error) {
    // The same delivery twice at once: the database lets one through.
    const isTaken = error instanceof AppError && error.code === 'CONFLICT';
    if (key !== undefined && isTaken && (await store.hasDelivery(key))) return note({ duplicate: true });
    throw error;
  }
}

/** All of them, one after another; one that was queued speaks for all, else the last. */
export async function firstQueued<T>(
  items: readonly T[],
  work: (item: T) => Promise<HookAnswer>,
): Promise<HookAnswer> {
  let answer: HookAnswer = { skipped: 'no service here deploys this repository' };
  for (const item of items) {
    const next = await work(item);
    if (!('queued' in answer)) answer = next;
  }
  return answer;
}

async function push(
  neighbours: OutcomeNeighbours,
  hooked: Hooked,
  event: PushEvent,
  by: Pick<Deploying, 'provider' | 'ip' | 'startedBy'>,
): Promise<HookAnswer> {
  requireAutoDeploy(hooked);
  const skipped = skipReason(event, {
    isRepository: (fullName) => isOf(hooked.source, fullName),
    branch: gitSourceOf(hooked.source)?.branch,
    triggerType: hooked.triggerType,
    watchPaths: hooked.watchPaths,
  });
  if (skipped !== undefined) return { skipped };
  return deploy(neighbours, hooked, {
    ...by,
    ...describePush(event),
    // A branch is deployed as it is when its turn comes.
    ...(event.refKind === 'tag'
      ? { commit: event.commit ?? undefined }
      : { pushedCommit: event.commit ?? undefined }),
  });
}

async function deploy(
  { deployments, recordAudit }: OutcomeNeighbours,
  { ref, organizationId }: Hooked,
  { provider, ip, startedBy, ...what }: Deploying,
): Promise<HookAnswer> {
  const { deploymentId } = await deployments.accept(ref, {
    kind: 'deploy',
    ...what,
    startedBy: startedBy ?? { kind: 'webhook', userId: null, apiKeyId: null },
  });
  await recordAudit({
    actor: { organizationId, userId: undefined },
    procedure: `webhook.${provider ?? 'deploy'}`,
    resourceId: ref.serviceId,
    outcome: 'done',
    ip,
  });
  return { queued: true, deploymentId };
}
