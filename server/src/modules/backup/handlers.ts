import { notYet } from '../../domain/errors.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import { databaseKinds, type BackupKindName } from '../database/kinds.ts';
import type { Backups } from './backup.ts';
import { databaseOf, type backupContract } from './contract.ts';

export function backupHandlers(backups: Backups): Handlers<typeof backupContract, CallContext> {
  const manual = (kind: BackupKindName) => async ({ actor }: CallContext, { backupId }: { backupId: string }): Promise<never> => {
    await backups.requireKind(backupId, actor.organizationId, kind);
    throw notYet('Making backups');
  };
  return {
    create: ({ actor, write }, input) => write(() => backups.create(actor.organizationId, databaseOf(input), input)),
    one: ({ actor }, { backupId }) => backups.one(backupId, actor.organizationId),
    update: ({ actor, write }, { backupId, ...patch }) => write(() => backups.update(backupId, actor.organizationId, patch)),
    remove: ({ actor, write }, { backupId }) => write(() => backups.remove(backupId, actor.organizationId)),
    async byDatabase({ actor }, input) {
      const named = databaseOf(input);
      await backups.checkDatabase(named, actor.organizationId);
      return paginate(await backups.byDatabase(named.databaseId, actor.organizationId), input, ({ backupId }) => backupId);
    },
    [databaseKinds.mariadb.manualBackup]: manual('mariadb'),
    [databaseKinds.mysql.manualBackup]: manual('mysql'),
    [databaseKinds.postgres.manualBackup]: manual('postgres'),
    [databaseKinds.mongo.manualBackup]: manual('mongo'),
    async listFiles() {
      throw notYet('Listing the objects of backups');
    },
    restoreBackupWithLogs: ({ actor }, { databaseId, databaseType }) => refusing(async () => {
      await backups.checkDatabase({ databaseId, databaseType }, actor.organizationId);
      throw notYet('Restoring backups');
    }),
  };
}

/** A stream that ends with this refusal before its first line. */
function refusing(refuse: () => Promise<never>): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: refuse }) };
}
