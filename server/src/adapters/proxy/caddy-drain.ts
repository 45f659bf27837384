/**
 * A configuration closes the connections of the former one that lie idle, and a client that uses one just
 * then loses its request unless it sends it again. So, where requests come, answers end their connections for
 * a moment before.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FolderFiles } from '../../ports/host/folder-files.ts';
import { localFolderFiles } from '../files/folder-files.ts';

/** A file beside the admin socket: connections are not to be used again while it is there. */
const drainFile = 'draining';

/** Requests within this time (ms) make a proxy that is in use. */
const busyMs = 10_000;

/** A connection that is used ten times a second, or more often, is ended by then. */
const drainMs = 100;

export interface Drain {
  /** Takes away what a Berth that was killed may have left. */
  begin(): Promise<void>;
  /** Drains the proxy, when it is in use, until the work is done. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

/** `folder` is that of the admin socket; `lastRequestAt` by performance.now. */
export function createDrain(
  folder: string,
  lastRequestAt: () => number | undefined,
  disk: FolderFiles = localFolderFiles,
): Drain {
  const path = join(folder, drainFile);
  const begin = (): Promise<void> => disk.remove(path);
  return {
    begin,
    async during(work) {
      try {
        if (performance.now() - (lastRequestAt() ?? -Infinity) < busyMs) {
          await disk.write(path, '', 0o644);
          await wait(drainMs);
        }
        return await work();
      } finally {
        await begin();
      }
    },
  };
}

/**
 * The route, before all others, that follows the file: the client is told with its answer (RFC 9112, 9.6; RFC
 * 9113, 6.8). What becomes another protocol is left alone. `folder` as the proxy sees it.
 */
export function drainedRequest(folder: string): object {
  const match = [
    { file: { root: folder, try_files: [`/${drainFile}`] }, not: [{ header: { Upgrade: ['*'] } }] },
  ];
  return {
    match,
    handle: [{ handler: 'headers', response: { deferred: true, set: { Connection: ['close'] } } }],
  };
}
