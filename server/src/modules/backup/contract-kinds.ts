/**
 * Which kinds of database have backups: those whose row in the table of kinds tells how one is made by hand.
 */
import { databaseKindNames, type DatabaseKindName } from '../../domain/database-kind.ts';
import { databaseKind, type BackupKindName } from '../database/kinds.ts';

export const backupKindNames: readonly BackupKindName[] = databaseKindNames.filter(hasBackups);

export function hasBackups(kind: DatabaseKindName): kind is BackupKindName {
  return databaseKind(kind).manualBackup !== undefined;
}

/** Why there is none. */
export function noBackups(kind: string): string {
  return (
    `There are no backups of ${kind}: no backup operation exists for it in any form. Kinds with ` +
    `backups: ${backupKindNames.join(', ')}.`
  );
}
