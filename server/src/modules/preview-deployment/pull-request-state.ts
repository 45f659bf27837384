/** The newest states that pull requests were told to have: events come late, twice and out of order. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore } from '../../db/table-store.ts';
import type { PullRequestEvent } from '../../domain/git/git-event.ts';
import { idFields, type ServiceRef } from '../../domain/names/service-ref.ts';
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

export function createPullRequestStates(database: Database): PullRequestStates {
  const states = tableStore(database, 'pull_request_state');
  const isSuperseded = async (service: ServiceRef, event: PullRequestEvent): Promise<boolean> => {
    const { action, updatedAt } = event;
    if (updatedAt === undefined) return false;
    const known = await states.find(keyOf(service, event));
    return known !== undefined && isOlder({ action, updatedAt }, known);
  };
  return {
    isSuperseded,
    async isOutdated(service, event) {
      const { action, updatedAt } = event;
      if (updatedAt === undefined) return false;
      if (await isSuperseded(service, event)) return true;
      const key = keyOf(service, event);
      await states.remove(key);
      await states.insert({ applicationId: null, composeId: null, ...key, action, updatedAt });
      const column = sql.ref(idFields[service.kind]);
      await database.change(
        sql`delete from "pull_request_state" where ${column} = ${service.serviceId} and "updatedAt" < (
          select "updatedAt" from "pull_request_state" where ${column} = ${service.serviceId}
          order by "updatedAt" desc limit 1 offset ${statesKept})`.compile(database.builder),
      );
      return false;
    },
  };
}

const keyOf = ({ kind, serviceId }: ServiceRef, { repository, number }: PullRequestEvent) => ({
  [idFields[kind]]: serviceId,
  repository: repository.toLowerCase(),
  number,
});
