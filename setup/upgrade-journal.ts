/**
 * What an upgrade needs to go back, written down before it begins: an interrupted one is then finished by the
 * next run.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Layout } from './layout.ts';
import { readRecord, removeRecord, writeRecord } from './record.ts';
import { firstNewBackup, migrationBackups } from './restore/restore-database.ts';

const journalSchema = z.object({
  /** Backups that were there when the upgrade began. */
  backupsBefore: z.array(z.string()),
});

/** Notes the state before the first start of a new version; an unfinished upgrade's note stays as it is. */
export function beginUpgrade(layout: Layout): void {
  if (readRecord(layout.upgrade, journalSchema) !== undefined) return;
  writeRecord(layout.upgrade, { backupsBefore: migrationBackups(layout.backups) });
}

/** The backup that the new version made before it migrated, undefined when it did not get that far. */
export function backupOfUpgrade(layout: Layout): string | undefined {
  const journal = readRecord(layout.upgrade, journalSchema);
  if (journal === undefined) return undefined;
  const now = migrationBackups(layout.backups).map((name) => ({
    name,
    madeAt: statSync(join(layout.backups, name)).mtimeMs,
  }));
  const name = firstNewBackup(journal.backupsBefore, now);
  return name === undefined ? undefined : join(layout.backups, name);
}

export function endUpgrade(layout: Layout): void {
  removeRecord(layout.upgrade);
}
