/** What comes of a genuine delivery, once. */
import type { ApplicationRecord } from '../../db/tables.ts';
import { AppError } from '../../domain/errors.ts';
import type { HookEvent, PullRequestEvent, PushEvent } from '../../domain/git-event.ts';
import { gitSourceOf, type GitProvider } from '../../domain/git-host.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { AuditEntry } from '../../procedure/guard.ts';
import type { Deployments } from '../deployment/deployment.ts';
import { requireAutoDeploy, type Hooked } from './hooked.ts';
import { describePush, skipReason } from './push-verdict.ts';
import type { WebhookStore } from './store.ts';

/** What the address answers with 200. */
export type HookAnswer =
  | { queued: true; deploymentId?: string }
  | { skipped: string }
  | { duplicate: true }
  | { ping: true };

export interface OutcomeNeighbours {
  deployments: Pick<Deployments, 'accept'>;
  /** Wakes the queue, after the transaction. */
  wake(): void;
  recordAudit(entry: AuditEntry): Promise<void>;
  /** What a pull request does to the previews of an application; part of a transaction. */
  pullRequest(
    application: ApplicationRecord,
    provider: GitProvider,
    event: PullRequestEvent,
    source: 'signed' | 'unsigned',
  ): Promise<{ queued: true } | { skipped: string }>;
}

export interface Deploying {
  provider: GitProvider | undefined;
  ip: string;
  title: string;
  description: string;
  commit: string | undefined;
}

export interface Outcomes {
  /**
   * Runs the work in one transaction with the note that this delivery was seen, and wakes the queue; `key` is
   * the delivery's and whom it is for.
   */
  once(key: string | undefined, work: () => Promise<HookAnswer>): Promise<HookAnswer>;
  carryOut(
    hooked: Hooked,
    provider: GitProvider | undefined,
    event: HookEvent,
    from: { ip: string; source: 'signed' | 'unsigned' },
  ): Promise<HookAnswer>;
  deploy(hooked: Hooked, deploying: Deploying): Promise<HookAnswer>;
}

export function createOutcomes(store: WebhookStore, neighbours: OutcomeNeighbours, clock: Clock): Outcomes {
  return {
    deploy: (hooked, deploying) => deploy(neighbours, hooked, deploying),
    async once(key, work) {
      const answer = await seenOnce(store, clock, key, work);
      neighbours.wake();
      return answer;
    },
    async carryOut(hooked, provider, event, { ip, source }) {
      switch (event.kind) {
        case 'ping':
          return { ping: true };
        case 'other':
          return { skipped: `the event ${event.name} changes nothing here` };
        case 'push':
          return push(neighbours, hooked, provider, event, ip);
        case 'pullRequest':
          if (hooked.application === undefined || provider === undefined)
            return { skipped: 'pull requests make previews of applications only' };
          return neighbours.pullRequest(hooked.application, provider, event, source);
      }
    },
  };
}

async function seenOnce(
  store: WebhookStore,
  clock: Clock,
  key: string | undefined,
  work: () => Promise<HookAnswer>,
): Promise<HookAnswer> {
  try {
    return await store.transaction(async (): Promise<HookAnswer> => {
      if (key !== undefined) {
        if (await store.hasDelivery(key)) return { duplicate: true };
        await store.addDelivery(key, isoTime(clock));
      }
      return work();
    });
  } catch (error) {
    // The same delivery twice at once: the database lets one through.
    const isTaken = error instanceof AppError && error.code === 'CONFLICT';
    if (key !== undefined && isTaken && (await store.hasDelivery(key))) return { duplicate: true };
    throw error;
  }
}

async function push(
  neighbours: OutcomeNeighbours,
  hooked: Hooked,
  provider: GitProvider | undefined,
  event: PushEvent,
  ip: string,
): Promise<HookAnswer> {
  requireAutoDeploy(hooked);
  const skipped = skipReason(event, {
    branch: gitSourceOf(hooked.source)?.branch,
    triggerType: hooked.triggerType,
    watchPaths: hooked.watchPaths,
  });
  if (skipped !== undefined) return { skipped };
  return deploy(neighbours, hooked, {
    provider,
    ip,
    ...describePush(event),
    commit: event.refKind === 'tag' ? (event.commit ?? undefined) : undefined,
  });
}

async function deploy(
  { deployments, recordAudit }: OutcomeNeighbours,
  { ref, organizationId }: Hooked,
  { provider, ip, title, description, commit }: Deploying,
): Promise<HookAnswer> {
  const { deploymentId } = await deployments.accept(ref, { kind: 'deploy', title, description, commit });
  await recordAudit({
    actor: { organizationId, userId: undefined },
    procedure: `webhook.${provider ?? 'deploy'}`,
    resourceId: ref.serviceId,
    outcome: 'done',
    ip,
  });
  return { queued: true, deploymentId };
}
