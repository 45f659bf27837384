/** Compose services of an organization with what their live releases stored, whoever has to add them up. */
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { tableStore } from '../table-store.ts';
import type { ComposeRecord, DeploymentRecord } from '../tables.ts';

/** One that was deployed; `settings` are those of the deployment that made its live release. */
export interface ReleasedCompose
  extends Pick<ComposeRecord, 'composeId' | 'name' | 'restoredVolumes'>,
    Pick<DeploymentRecord, 'settings'> {}

export function releasedComposes(database: Database): (organizationId: string) => Promise<ReleasedCompose[]> {
  const [composes, deployments] = [tableStore(database, 'compose'), tableStore(database, 'deployment')];
  const released = sql<{ settings: string | null }>`
    select c."composeId", c."name", c."restoredVolumes", d."settings" from "compose" as c
      left join "deployment" as d on d."deploymentId" = c."liveDeploymentId"
      where c."organizationId" = ${''} and c."liveDeploymentId" is not null`.compile(database.builder);
  return async (organizationId) =>
    (await database.run(released, [organizationId])).map(({ settings, ...compose }) => ({
      ...composes.decode(compose),
      settings: deployments.decode({ settings }).settings,
    }));
}
