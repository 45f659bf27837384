/**
 * Pull requests whose commits nobody vouches for: each waits until a person approves exactly one commit, and
 * the next push waits anew.
 */
import type { PullRequestEvent } from '../../../domain/git/git-event.ts';
import type { GitProvider } from '../../../domain/git/git-host.ts';
import type { ServiceRef } from '../../../domain/names/service-ref.ts';
import { previewedRef, type Previewed } from '../previewed.ts';
import type { HeldPullRequest, HeldPullRequestStore } from '../store.ts';

/** Anybody can open pull requests, so that no more of a service are remembered. */
const heldLimit = 100;

export interface HeldPullRequests {
  /** Whether a person approved this commit of the pull request; undefined when nobody did. */
  approvalOf(
    service: ServiceRef,
    number: number,
    commit: string,
  ): Promise<Pick<HeldPullRequest, 'hasVariables'> | undefined>;
  /** Lets the newest commit of a pull request wait; one that waits already stays as it is. */
  hold(service: Previewed, held: Holding): Promise<void>;
  /** Forgets a pull request that has ended, with what was approved of it. */
  forget(service: ServiceRef, number: number): Promise<void>;
  /** Newest first; without those whose newest commit is approved. */
  waiting(service: ServiceRef): Promise<HeldPullRequest[]>;
  find(service: ServiceRef, number: number): Promise<HeldPullRequest | undefined>;
  /** Part of the caller's transaction. */
  approve(service: ServiceRef, number: number, approval: Approval): Promise<void>;
}

export interface Holding {
  provider: GitProvider;
  event: PullRequestEvent;
  /** Whole. */
  commit: string;
  reason: string;
}

export interface Approval {
  commit: string;
  hasVariables: boolean;
  userId: string;
}

export function createHeldPullRequests(store: HeldPullRequestStore, now: () => string): HeldPullRequests {
  return {
    async approvalOf(service, number, commit) {
      const held = await store.find(service, number);
      return held?.approvedCommit === commit ? held : undefined;
    },
    hold: (service, holding) => store.transaction(() => hold(store, service, { ...holding, heldAt: now() })),
    forget: (service, number) =>
      store.transaction(async () => {
        if ((await store.remove(service, number)) > 0) await store.publish(service);
      }),
    waiting: async (service) =>
      (await store.list(service)).filter(({ commit, approvedCommit }) => approvedCommit !== commit),
    find: store.find,
    async approve(service, number, { commit, hasVariables, userId }) {
      await store.update(service, number, {
        approvedCommit: commit,
        approvedBy: userId,
        approvedAt: now(),
        hasVariables,
      });
      await store.publish(service);
    },
  };
}

async function hold(
  store: HeldPullRequestStore,
  service: Previewed,
  { provider, event, commit, reason, heldAt }: Holding & { heldAt: string },
): Promise<void> {
  const ref = previewedRef(service);
  const newest = { provider, event, commit, reason, heldAt };
  const present = await store.find(ref, event.number);
  if (present?.commit === commit) return;
  if (present) await store.update(ref, event.number, newest);
  else
    await store.insert({
      applicationId: 'applicationId' in service ? service.applicationId : null,
      composeId: 'composeId' in service ? service.composeId : null,
      organizationId: service.organizationId,
      number: event.number,
      ...newest,
      approvedCommit: null,
      approvedBy: null,
      approvedAt: null,
      hasVariables: false,
    });
  await store.keepNewest(ref, heldLimit);
  await store.publish(ref);
}
