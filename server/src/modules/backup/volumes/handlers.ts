import { reachOf } from '../../../domain/access/permissions.ts';
import type { CallContext } from '../../../procedure/context.ts';
import { paginate } from '../../../procedure/input/page.ts';
import type { Handlers } from '../../../procedure/procedure.ts';
import type { Restores } from '../runs/restores.ts';
import type { BackupRuns } from '../runs/runs.ts';
import type { BackupSources } from '../source.ts';
import type { BackupRunRecord } from '../store.ts';
import type { volumeBackupContract } from '../contract-volumes.ts';
import type { ServiceRef } from '../../../domain/names/service-ref.ts';
import { refOf } from './volume-service.ts';
import { ownerColumns, type VolumeBackup, type VolumeBackups, type VolumeOwner } from './volume-backup.ts';

export interface VolumeBackupDesk {
  volumeBackups: VolumeBackups;
  runs: BackupRuns;
  restores: Restores;
  sources: BackupSources;
  /** NOT_FOUND for a volume that no deleted service of the organization left on the server of the service. */
  requireKept(organizationId: string, service: ServiceRef, volumeName: string): Promise<void>;
}

const idOf = ({ volumeBackupId }: VolumeBackup): string => volumeBackupId;
const runIdOf = ({ backupRunId }: BackupRunRecord): string => backupRunId;

export function volumeBackupHandlers({
  volumeBackups,
  runs,
  restores,
  sources,
  requireKept,
}: VolumeBackupDesk): Handlers<typeof volumeBackupContract, CallContext> {
  return {
    create: ({ actor, write }, input) =>
      write(() => volumeBackups.create(actor.organizationId, input, input)),
    one: ({ actor }, { volumeBackupId }) => volumeBackups.one(volumeBackupId, actor.organizationId),
    async all({ actor }, page) {
      const reaches = reachOf(actor);
      const found = await volumeBackups.everywhere(actor.organizationId);
      const reached = found.flatMap(({ backup, scope }) => (reaches(scope) ? [backup] : []));
      return paginate(reached, page, idOf);
    },
    byService: async ({ actor }, input) =>
      paginate(await volumeBackups.byService(input, actor.organizationId), input, idOf),
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
    runsByService: async ({ actor }, input) =>
      paginate(await runs.ofService(ownerColumns(input), actor.organizationId), input, runIdOf),
    volumes: async (_context, input) =>
      paginate(await volumeBackups.volumes(input), input, ({ volumeName }) => volumeName),
    async restore({ actor, write }, input) {
      const { volumeName, destinationId, identity, backupFile: path } = input;
      await volumeBackups.requireVolume(input, volumeName);
      const target = { ...ownerColumns(input), volumeName, database: '' };
      const run = await write(() =>
        restores.accept({ organizationId: actor.organizationId, ...target, path, destinationId, identity }),
      );
      runs.wake();
      return run;
    },
    useKeptVolume: (context, input) =>
      useKeptVolume({ volumeBackups, runs, restores, requireKept }, context, input),
    async removeFormerVolume({ actor }, { applicationId, composeId, volumeName }) {
      await volumeBackups.removeFormer({ applicationId, composeId }, actor.organizationId, volumeName);
      return true;
    },
  };
}

async function useKeptVolume(
  desk: Pick<VolumeBackupDesk, 'volumeBackups' | 'runs' | 'restores' | 'requireKept'>,
  { actor: { organizationId }, write }: CallContext,
  input: VolumeOwner & { volumeName: string; keptVolume: string },
): Promise<BackupRunRecord> {
  const { volumeName, keptVolume: path } = input;
  await desk.volumeBackups.requireVolume(input, volumeName);
  await desk.requireKept(organizationId, refOf(input), path);
  const target = { ...ownerColumns(input), volumeName, database: '', destinationId: '', path };
  const run = await write(() => desk.restores.accept({ organizationId, ...target, operation: 'return' }));
  desk.runs.wake();
  return run;
}
