import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FollowOptions {
  onBytes(bytes: Uint8Array): void;
  /** Resolves when nobody writes any more; what is there by then is still read. */
  ended: Promise<unknown>;
}

const pollMs = 100;

/**
 * Reads a growing file until its writer has ended. A file and not a pipe, since its writer then neither waits
 * for us nor fails when we are gone.
 */
export async function follow(path: string, options: FollowOptions): Promise<void> {
  const file = await open(path, 'r');
  try {
    const buffer = new Uint8Array(64 * 1024);
    const wake = new AbortController();
    const stop = () => wake.abort();
    void options.ended.then(stop, stop);
    for (let last = false; ; ) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead > 0) options.onBytes(buffer.subarray(0, bytesRead));
      else if (last) return;
      else if (wake.signal.aborted) last = true;
      else await sleep(pollMs, undefined, { signal: wake.signal }).catch(() => undefined);
    }
  } finally {
    await file.close();
  }
}
