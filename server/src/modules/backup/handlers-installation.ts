import { AppError } from '../../domain/errors.ts';
import type { Actor, CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { BackupRuns } from './runs.ts';
import type { BackupSources } from './source.ts';
import type { installationBackupContract } from './contract-installation.ts';
import type { InstallationBackups } from './installation.ts';

export interface InstallationBackupDesk {
  installation: InstallationBackups;
  runs: BackupRuns;
  sources: BackupSources;
  isFirstOrganization(organizationId: string): Promise<boolean>;
  /** The key file, sealed. */
  seal(passphrase: string): Promise<string>;
}

export function installationBackupHandlers({ installation, runs, sources, isFirstOrganization, seal }: InstallationBackupDesk): Handlers<typeof installationBackupContract, CallContext> {
  async function requireFirst({ organizationId }: Actor): Promise<void> {
    if (await isFirstOrganization(organizationId)) return;
    throw new AppError('FORBIDDEN', 'Backups of the installation belong to its first organization. Ask an Owner or Admin of that one.');
  }
  return {
    async get({ actor }) {
      await requireFirst(actor);
      return { backup: (await installation.get(actor.organizationId)) ?? null };
    },
    async set({ actor, write }, { passphrase, ...input }) {
      await requireFirst(actor);
      const sealedKey = passphrase === undefined ? undefined : await seal(passphrase);
      return write(() => installation.set(actor.organizationId, { ...input, sealedKey }));
    },
    async run({ actor, write, signal }) {
      await requireFirst(actor);
      const backup = await installation.require(actor.organizationId);
      const run = await write(() => runs.acceptBackup(backup, { startedBy: 'person', ending: sources.installation.ending(backup) }));
      runs.wake();
      await runs.settled(run.backupRunId, signal);
      return true;
    },
    async runs({ actor }, page) {
      await requireFirst(actor);
      const backup = await installation.get(actor.organizationId);
      return paginate(backup ? await runs.ofBackup(backup.backupId, actor.organizationId) : [], page, ({ backupRunId }) => backupRunId);
    },
  };
}
