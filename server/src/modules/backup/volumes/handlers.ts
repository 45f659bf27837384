import { reachOf } from '../../../domain/access/permissions.ts';
import type { CallContext } from '../../../procedure/context.ts';
import { paginate } from '../../../procedure/input/page.ts';
import type { Handlers } from '../../../procedure/procedure.ts';
import type { Restores } from '../runs/restores.ts';
import type { BackupRuns } from '../runs/runs.ts';
import type { BackupSources } from '../source.ts';
import type { BackupRunRecord } from '../store.ts';
import type { volumeBackupContract } from '../contract-volumes.ts';
import type { VolumeBackup, VolumeBackups } from './volume-backup.ts';

export interface VolumeBackupDesk {
  volumeBackups: VolumeBackups;
  runs: BackupRuns;
  restores: Restores;
  sources: BackupSources;
}

const idOf = ({ volumeBackupId }: VolumeBackup): string => volumeBackupId;
const runIdOf = ({ backupRunId }: BackupRunRecord): string => backupRunId;

export function volumeBackupHandlers({
  volumeBackups,
  runs,
  restores,
  sources,
}: VolumeBackupDesk): Handlers<typeof volumeBackupContract, CallContext> {
  return {
    create: ({ actor, write }, { applicationId, composeId, ...input }) =>
      write(() => volumeBackups.create(actor.organizationId, { applicationId, composeId }, input)),
    one: ({ actor }, { volumeBackupId }) => volumeBackups.one(volumeBackupId, actor.organizationId),
    async all({ actor }, page) {
      const reaches = reachOf(actor);
      const found = await volumeBackups.everywhere(actor.organizationId);
      const reached = found.flatMap(({ backup, scope }) => (reaches(scope) ? [backup] : []));
      return paginate(reached, page, idOf);
    },
    byService: async ({ actor }, { applicationId, composeId, ...page }) =>
      paginate(await volumeBackups.byService({ applicationId, composeId }, actor.organizationId), page, idOf),
    update: ({ actor, write }, { volumeBackupId, ...patch }) =>
      write(() => volumeBackups.update(volumeBackupId, actor.organizationId, patch)),
    remove: ({ actor, write }, { volumeBackupId }) =>
      write(() => volumeBackups.remove(volumeBackupId, actor.organizationId)),
    async run({ actor, write }, { volumeBackupId }) {
      const backup = await volumeBackups.one(volumeBackupId, actor.organizationId);
      const run = await write(() =>
        runs.acceptBackup(backup, { startedBy: 'person', ending: sources.volume.ending(backup) }),
      );
      runs.wake();
      return run;
    },
    runs: async ({ actor }, { volumeBackupId, ...page }) =>
      paginate(await runs.ofBackup(volumeBackupId, actor.organizationId), page, runIdOf),
    runsByService: async ({ actor }, { applicationId = null, composeId = null, ...page }) =>
      paginate(await runs.ofService({ applicationId, composeId }, actor.organizationId), page, runIdOf),
    volumes: async (_context, { applicationId, composeId, ...page }) =>
      paginate(
        await volumeBackups.volumes({ applicationId, composeId }),
        page,
        ({ volumeName }) => volumeName,
      ),
    async restore({ actor, write }, { applicationId = null, composeId = null, volumeName, ...object }) {
      const { organizationId } = actor;
      await volumeBackups.requireVolume({ applicationId, composeId }, volumeName);
      const { backupFile: path, destinationId } = object;
      const target = { databaseId: null, applicationId, composeId, volumeName };
      const run = await write(() =>
        restores.accept({ organizationId, ...target, database: '', path, destinationId }),
      );
      runs.wake();
      return run;
    },
    async removeFormerVolume({ actor }, { applicationId, composeId, volumeName }) {
      await volumeBackups.removeFormer({ applicationId, composeId }, actor.organizationId, volumeName);
      return true;
    },
  };
}
