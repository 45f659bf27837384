import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { runCommand } from '../../images/command.ts';
import { bedNames, loadBed } from './host/host-record.ts';
import { bedFolder, disksFolder, realDiskFolder } from './layout.ts';

/**
 * A bed's folder without a record is one that is just being made, for this long at most: one minute in
 * milliseconds.
 */
const makingMs = 60_000;

/** Removes a bed's folders, in memory and on disk; its processes must have ended. */
export async function removeState(bed: string): Promise<void> {
  await runCommand(['umount', '--lazy', bedFolder(bed)], { limitMs: 10_000 });
  // An engine's data on disk are thousands of files, for which rm(1) needs a third of Node's time; what it
  // could not remove yet is tried again.
  await runCommand(['rm', '-rf', realDiskFolder(bed)], { limitMs: 120_000 });
  await rm(realDiskFolder(bed), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  await rmdir(bedFolder(bed)).catch(ignoreMissing);
}

/**
 * Names of beds of which only folders are left: the machine went down, or their run died while opening them.
 */
export async function abandonedFolders(): Promise<string[]> {
  const onDisk = await readdir(disksFolder()).catch(() => []);
  const names = [...new Set([...(await bedNames()), ...onDisk])];
  const abandoned = await Promise.all(names.map(isAbandoned));
  return names.filter((_, index) => abandoned[index] === true);
}

async function isAbandoned(name: string): Promise<boolean> {
  if ((await loadBed(name)) !== null) return false;
  const times = await Promise.all(
    [bedFolder(name), realDiskFolder(name)].map((path) =>
      stat(path).then(
        (found) => found.ctimeMs,
        () => 0,
      ),
    ),
  );
  return Date.now() - Math.max(...times) > makingMs;
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
