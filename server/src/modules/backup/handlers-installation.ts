import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { BackupRuns } from './runs/runs.ts';
import type { BackupSources } from './source.ts';
import type { installationBackupContract } from './contract-installation.ts';
import type { InstallationBackups } from './installation.ts';

export interface InstallationBackupDesk {
  installation: InstallationBackups;
  runs: BackupRuns;
  sources: BackupSources;
  /** The key file, encrypted with the passphrase. */
  seal(passphrase: string): Promise<string>;
}

export function installationBackupHandlers({
  installation,
  runs,
  sources,
  seal,
}: InstallationBackupDesk): Handlers<typeof installationBackupContract, CallContext> {
  return {
    async get({ actor }) {
      return { backup: (await installation.get(actor.organizationId)) ?? null };
    },
    async set({ actor, write }, { passphrase, ...input }) {
      const sealedKey = passphrase === undefined ? undefined : await seal(passphrase);
      return write(() => installation.set(actor.organizationId, { ...input, sealedKey }));
    },
    async run({ actor, write, signal }) {
      const backup = await installation.require(actor.organizationId);
      const run = await write(() =>
        runs.acceptBackup(backup, { startedBy: 'person', ending: sources.installation.ending(backup) }),
      );
      runs.wake();
      await runs.settled(run.backupRunId, signal);
      return true;
    },
    async runs({ actor }, page) {
      const backup = await installation.get(actor.organizationId);
      return paginate(
        backup ? await runs.ofBackup(backup.backupId, actor.organizationId) : [],
        page,
        ({ backupRunId }) => backupRunId,
      );
    },
  };
}
