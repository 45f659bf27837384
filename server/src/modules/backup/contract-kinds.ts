/** The kinds of database that have backups: the table of kinds says for each how to make one by hand. */
import { databaseKindNames, type DatabaseKindName } from '../../domain/database-kind.ts';
import { databaseKind, type BackupKindName } from '../database/kinds.ts';

export const backupKindNames: readonly BackupKindName[] = databaseKindNames.filter(hasBackups);

export function hasBackups(kind: DatabaseKindName): kind is BackupKindName {
  return databaseKind(kind).manualBackup !== undefined;
}

/** Why this kind has no backups. */
export function noBackups(kind: string): string {
  return (
    `There are no backups of ${kind}: no backup operation exists for it in any form. Kinds with ` +
    `backups: ${backupKindNames.join(', ')}.`
  );
}
