/** SQL of the disk that organizations take. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore } from '../../db/table-store.ts';
import { isStillStopped } from '../../db/still-stopped.ts';
import type { DiskStore } from './disk-quota.ts';
import type { DiskWriter, DiskWriterStore } from './disk-writers.ts';

export function createDiskStore(database: Database): Omit<DiskStore, 'liveImages'> & LiveReleases {
  const [measured, pulls] = [tableStore(database, 'quota_disk'), tableStore(database, 'image_pull')];
  const [organizations, deployments] = [
    tableStore(database, 'organization'),
    tableStore(database, 'deployment'),
  ];
  return {
    organizations: async () => (await organizations.list({})).map(({ organizationId }) => organizationId),
    pulls: (serverKey) => pulls.list({ serverKey }),
    keep: (serverKey, bytes, measuredAt) =>
      database.transaction(async () => {
        await measured.remove({ serverKey });
        for (const [organizationId, amount] of bytes)
          await measured.insert({ organizationId, serverKey, bytes: amount, measuredAt });
      }),
    composes: () =>
      database.run(
        sql<{ composeId: string; organizationId: string }>`
          select "composeId", "organizationId" from "compose" where "serverId" is null`.compile(
          database.builder,
        ),
      ),
    async isOfUse(deploymentId) {
      const found = await deployments.find({ deploymentId });
      return found !== undefined && ['queued', 'running', 'done'].includes(found.status);
    },
    liveReleases: (id) =>
      database.run(
        sql<LiveRelease>`
          select 'application' as "kind", "liveDeploymentId" as "deploymentId" from "application"
            where "organizationId" = ${id} and "liveDeploymentId" is not null
          union all select 'database', "liveDeploymentId" from "database"
            where "organizationId" = ${id} and "liveDeploymentId" is not null
          union all select 'compose', "liveDeploymentId" from "compose"
            where "organizationId" = ${id} and "liveDeploymentId" is not null
          union all select 'previewDeployment', "liveDeploymentId" from "preview_deployment"
            where "organizationId" = ${id} and "liveDeploymentId" is not null`.compile(database.builder),
      ),
  };
}

export interface StoppedWriters extends Pick<DiskWriterStore, 'keepWriter'> {
  /** Those that nobody has started or deployed since. */
  stopped(): Promise<DiskWriter[]>;
}

export function createStoppedWriters(database: Database): StoppedWriters {
  const writers = tableStore(database, 'disk_writer');
  return {
    keepWriter: (writer) =>
      database.transaction(async () => {
        await writers.remove({ serviceId: writer.serviceId });
        await writers.insert(writer);
      }),
    async stopped() {
      const held: DiskWriter[] = [];
      for (const writer of await writers.list({}))
        if (await isStillStopped(database, writer, writer.stoppedAt)) held.push(writer);
        else await writers.remove({ serviceId: writer.serviceId });
      return held;
    },
  };
}

export interface LiveReleases {
  liveReleases(organizationId: string): Promise<LiveRelease[]>;
}

interface LiveRelease {
  kind: 'application' | 'database' | 'compose' | 'previewDeployment';
  deploymentId: string;
}
