/** The newest states that pull requests were told to have: events come late, twice and out of order. */
import type { PullRequestEvent } from '../../../domain/git/git-event.ts';
import type { ServiceRef } from '../../../domain/names/service-ref.ts';
import type { PullRequestStateStore } from '../store.ts';
import { isOlder } from './verdict.ts';

export interface PullRequestStates {
  /**
   * True for an event older than one that was handled, or than the end of its pull request; any other is
   * remembered as the newest. Part of the caller's transaction.
   */
  isOutdated(service: ServiceRef, event: PullRequestEvent): Promise<boolean>;
  /** True once a newer event of its pull request was handled; remembers nothing. */
  isSuperseded(service: ServiceRef, event: PullRequestEvent): Promise<boolean>;
}

/** Pull requests of a service whose states are remembered. */
const statesKept = 1000;

export function createPullRequestStates(store: PullRequestStateStore): PullRequestStates {
  const isSuperseded = async (service: ServiceRef, event: PullRequestEvent): Promise<boolean> => {
    const { action, updatedAt } = event;
    if (updatedAt === undefined) return false;
    const known = await store.find(service, event);
    return known !== undefined && isOlder({ action, updatedAt }, known);
  };
  return {
    isSuperseded,
    async isOutdated(service, event) {
      const { action, updatedAt } = event;
      if (updatedAt === undefined) return false;
      if (await isSuperseded(service, event)) return true;
      await store.remember(service, event, { action, updatedAt });
      await store.keepNewest(service, statesKept);
      return false;
    },
  };
}
