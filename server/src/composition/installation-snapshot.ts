/** What a backup of Berth holds, written into a folder: the database as it is at this moment, and the sealed key. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { migrations } from '../db/migrations.ts';
import { sealKey } from '../domain/sealed-key.ts';
import { isoTime, type Clock } from '../ports/clock.ts';
import type { InstallationPorts, Manifest } from '../modules/backup/installation-source.ts';
import { copyDatabase } from './storage.ts';
import { version } from './version.ts';

export function installationPorts(
  config: Config,
  database: Database,
  root: string,
  clock: Clock,
): InstallationPorts {
  const folderOf = (backupRunId: string): string => join(root, backupRunId.replaceAll(/\W/g, '_'));
  const removeFolder = (backupRunId: string): Promise<void> =>
    rm(folderOf(backupRunId), { recursive: true, force: true });
  return {
    removeFolder,
    async makeFolder(backupRunId) {
      await removeFolder(backupRunId);
      await mkdir(folderOf(backupRunId), { recursive: true, mode: 0o700 });
      return folderOf(backupRunId);
    },
    async snapshot(folder, sealedKey) {
      const name: Manifest['database'] = database.dialect === 'sqlite' ? 'berth.sqlite' : 'berth.dump';
      await copyDatabase(config, database, join(folder, name));
      const manifest: Manifest = {
        form: 'berth-backup-1',
        version,
        schema: migrations.at(-1)?.version ?? 0,
        database: name,
        createdAt: isoTime(clock),
      };
      await writeFile(join(folder, 'berth-backup.json'), `${JSON.stringify(manifest, undefined, 2)}\n`, {
        mode: 0o600,
      });
      await writeFile(join(folder, 'berth.key.sealed'), `${sealedKey}\n`, { mode: 0o600 });
      return ['berth-backup.json', 'berth.key.sealed', name];
    },
  };
}

/** The key file under a passphrase. */
export async function sealKeyFile(config: Pick<Config, 'data'>, passphrase: string): Promise<string> {
  return sealKey(await readFile(join(config.data, 'berth.key')), passphrase, randomBytes);
}
