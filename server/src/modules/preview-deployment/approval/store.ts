/** Pull requests that wait for an approval, as rows; one for each pull request of a service. */
import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { tableStore } from '../../../db/table-store.ts';
import type { NewEvent, TableRecord } from '../../../db/tables.ts';
import { idFields, type ServiceRef } from '../../../domain/names/service-ref.ts';
import { systemClock } from '../../../ports/clock.ts';

export type HeldPullRequest = TableRecord<'held_pull_request'>;

export interface HeldPullRequestStore {
  find(service: ServiceRef, number: number): Promise<HeldPullRequest | undefined>;
  /** Newest first. */
  list(service: ServiceRef): Promise<HeldPullRequest[]>;
  insert(row: HeldPullRequest): Promise<void>;
  update(service: ServiceRef, number: number, patch: Partial<HeldPullRequest>): Promise<void>;
  /** How many were removed. */
  remove(service: ServiceRef, number: number): Promise<number>;
  /** Forgets those of a service beyond the newest. */
  keepNewest(service: ServiceRef, count: number): Promise<void>;
  /** Publishes that what waits at a service has changed; part of the caller's transaction. */
  publish(service: ServiceRef): Promise<void>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createHeldPullRequestStore(database: Database): HeldPullRequestStore {
  const rows = tableStore(database, 'held_pull_request');
  const keyOf = ({ kind, serviceId }: ServiceRef, number?: number): Partial<HeldPullRequest> => ({
    [idFields[kind]]: serviceId,
    ...(number === undefined ? {} : { number }),
  });
  return {
    find: (service, number) => rows.find(keyOf(service, number)),
    list: (service) => rows.list(keyOf(service), { by: ['heldAt', 'number'], direction: 'desc' }),
    insert: rows.insert,
    update: async (service, number, patch) => void (await rows.update(keyOf(service, number), patch)),
    remove: (service, number) => rows.remove(keyOf(service, number)),
    async keepNewest({ kind, serviceId }, count) {
      const column = sql.ref(idFields[kind]);
      await database.change(
        sql`delete from "held_pull_request" where ${column} = ${serviceId} and "heldAt" < (
          select "heldAt" from "held_pull_request" where ${column} = ${serviceId}
          order by "heldAt" desc limit 1 offset ${count})`.compile(database.builder),
      );
    },
    publish: createPublish(database),
    transaction: (work) => database.transaction(work),
  };
}

function createPublish(database: Database): HeldPullRequestStore['publish'] {
  const place = sql<Pick<NewEvent, 'organizationId' | 'projectId' | 'environmentId'>>`
    select p."organizationId", e."projectId", e."environmentId" from "environment" as e
    join "project" as p on p."projectId" = e."projectId"
    where e."environmentId" = coalesce(
      (select "environmentId" from "application" where "applicationId" = ${''}),
      (select "environmentId" from "compose" where "composeId" = ${''}))`.compile(database.builder);
  return async ({ serviceId }) => {
    const [row] = await database.run(place, [serviceId, serviceId]);
    if (row)
      await database.tell({
        ...row,
        at: systemClock.now(),
        serviceId,
        formerProjectId: null,
        formerEnvironmentId: null,
        userId: null,
        kind: 'previewDeployment',
        what: 'updated',
        resourceId: serviceId,
        status: null,
        stage: null,
      });
  };
}
