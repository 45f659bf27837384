/**
 * Ends work that fills the disk of Berth's machine. Git and build steps write without a limit, so the disk is
 * looked at while they do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { requireFreeDisk } from '../../domain/resources/free-disk.ts';
import type { WorkFiles } from '../../ports/host/work-files.ts';
import type { DeploySettings } from '../context.ts';

export interface WatchedDisk {
  fileSystem: Pick<WorkFiles, 'freeBytes' | 'bytesIn'>;
  /** A folder of the disk. */
  workRoot: string;
  signal: AbortSignal;
  settings(): Promise<Pick<DeploySettings, 'minFreeDisk'>>;
}

export interface Writer {
  /** "the build". */
  what: string;
  /** A folder that it fills, and the bytes that it may have. */
  folder?: { path: string; mostBytes: number } | undefined;
}

const cure = 'Free some space, for example with "berth cleanup", and deploy again.';

/**
 * Runs `work` with a signal that fires when less of the disk is free than has to stay free, or when the
 * folder has more than it may; throws PRECONDITION_FAILED or CONFLICT then, with the numbers.
 */
export async function whileDiskLasts<T>(
  disk: WatchedDisk,
  writer: Writer,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { minFreeDisk: kept } = await disk.settings();
  const [full, done] = [new AbortController(), new AbortController()];
  const look = (): Promise<void> => requireRoom(disk, writer, kept);
  const watching = watch(look, done.signal, (reason) => full.abort(reason));
  try {
    const value = await work(AbortSignal.any([disk.signal, full.signal]));
    if (writer.folder) await look();
    return value;
  } catch (error) {
    // A program that was ended says so in its own words.
    if (full.signal.aborted) throw full.signal.reason;
    throw error;
  } finally {
    done.abort();
    await watching;
  }
}

const leastPauseMs = 1000;
/** Looking takes at most a fifth of the time. */
const pauses = 4;

async function watch(
  look: () => Promise<void>,
  done: AbortSignal,
  onFull: (reason: unknown) => void,
): Promise<void> {
  let tookMs = 0;
  while (!done.aborted) {
    await sleep(Math.max(leastPauseMs, pauses * tookMs), undefined, { signal: done }).catch(() => undefined);
    if (done.aborted) return;
    const began = performance.now();
    try {
      await look();
    } catch (error) {
      // Files come and go while they are counted.
      if (error instanceof AppError) return onFull(error);
    }
    tookMs = performance.now() - began;
  }
}

async function requireRoom(
  { fileSystem, workRoot }: WatchedDisk,
  { what, folder }: Writer,
  kept: number,
): Promise<void> {
  requireFreeDisk({ free: await fileSystem.freeBytes(workRoot), kept }, { what, needed: 0, cure });
  if (folder === undefined || folder.mostBytes === Infinity) return;
  const bytes = await fileSystem.bytesIn(folder.path, folder.mostBytes);
  if (bytes <= folder.mostBytes) return;
  throw new AppError(
    'CONFLICT',
    `${what} takes more than ${Math.floor(folder.mostBytes / 1024 ** 2)} MiB of disk, which is what this ` +
      'organization has left of its quota (diskBytes). Make the repository smaller, remove volumes or ' +
      "services, or ask the installation's Owner for more (organization.setQuota).",
  );
}
