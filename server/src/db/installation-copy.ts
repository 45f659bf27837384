/**
 * What a backup of Berth holds, written into a folder: the database as it is at this moment, and the sealed
 * key.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from './database.ts';
import { migrations } from './migrations.ts';
import { requireFreeDisk, type DiskRoom } from '../domain/resources/free-disk.ts';
import { sealKey } from '../domain/secrets/sealed-key.ts';
import { copyDatabase, sqlitePath, type StoragePlace } from './storage.ts';

export interface SnapshotPlace {
  /** Folder of the copies, each in a folder of its own until it is packed. */
  root: string;
  /** Of this Berth. */
  version: string;
  /** ISO 8601. */
  now(): string;
  disk(): Promise<DiskRoom>;
}

type Place = Pick<StoragePlace, 'data' | 'databaseUrl'>;

export interface InstallationCopies {
  /** Makes an empty private folder for the run, gives its path. */
  makeFolder(backupRunId: string): Promise<string>;
  removeFolder(backupRunId: string): Promise<void>;
  /** Writes the database, the manifest and the sealed key into the folder; gives their names. */
  snapshot(folder: string, sealedKey: string): Promise<string[]>;
}

export function installationCopies(
  config: Place,
  database: Database,
  { root, version, now, disk }: SnapshotPlace,
): InstallationCopies {
  const folderOf = (backupRunId: string): string => join(root, backupRunId.replaceAll(/\W/g, '_'));
  const removeFolder = (backupRunId: string): Promise<void> =>
    rm(folderOf(backupRunId), { recursive: true, force: true });
  return {
    removeFolder,
    async makeFolder(backupRunId) {
      await removeFolder(backupRunId);
      requireFreeDisk(await disk(), {
        what: "a copy of Berth's database",
        needed: await sizeOf(config),
        cure: 'Free some space and make the backup again.',
      });
      await mkdir(folderOf(backupRunId), { recursive: true, mode: 0o700 });
      return folderOf(backupRunId);
    },
    async snapshot(folder, sealedKey) {
      const name = database.dialect === 'sqlite' ? 'berth.sqlite' : 'berth.dump';
      await copyDatabase(config, database, join(folder, name));
      const manifest = {
        form: 'berth-backup-1',
        version,
        schema: migrations.at(-1)?.version ?? 0,
        database: name,
        createdAt: now(),
      };
      await writeFile(join(folder, 'berth-backup.json'), `${JSON.stringify(manifest, undefined, 2)}\n`, {
        mode: 0o600,
      });
      await writeFile(join(folder, 'berth.key.sealed'), `${sealedKey}\n`, { mode: 0o600 });
      return ['berth-backup.json', 'berth.key.sealed', name];
    },
  };
}

/** Bytes of the database, where it is a file here; of another server's nobody can tell beforehand. */
async function sizeOf(config: Place): Promise<number> {
  const path = sqlitePath(config);
  return config.databaseUrl === undefined && existsSync(path) ? (await stat(path)).size : 0;
}

/** The key file under a passphrase. */
export async function sealKeyFile(config: Pick<Place, 'data'>, passphrase: string): Promise<string> {
  return sealKey(await readFile(join(config.data, 'berth.key')), passphrase, randomBytes);
}
