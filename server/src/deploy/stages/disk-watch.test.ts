import { expect, test } from 'vitest';
import { whileDiskLasts, type WatchedDisk } from './disk-watch.ts';

const MiB = 1024 ** 2;

/** A disk that is looked at each second; `at` says what it has then. */
function diskOf(at: { free?: () => number; bytes?: () => number }): WatchedDisk {
  return {
    fileSystem: { freeBytes: async () => at.free?.() ?? 100 * MiB, bytesIn: async () => at.bytes?.() ?? 0 },
    workRoot: '/work',
    signal: new AbortController().signal,
    settings: async () => ({ minFreeDisk: 10 * MiB }),
  };
}

/** Writes until it is told to stop, and complains in its own words then. */
const writes = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const end = (): void => reject(new Error('ended by SIGTERM'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  });

test('a writer that takes the disk that has to stay free is ended with the numbers', async () => {
  const disk = diskOf({ free: () => 9 * MiB });
  await expect(whileDiskLasts(disk, { what: 'the build' }, writes)).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringMatching(
      /9\.0 MiB of disk are free; the build needs room, and 10\.0 MiB must stay/,
    ),
  });
});

test('a writer whose folder has more than its organization has left is ended', async () => {
  const folder = { path: '/work/d1', mostBytes: 20 * MiB };
  const disk = diskOf({ bytes: () => 21 * MiB });
  await expect(whileDiskLasts(disk, { what: 'the repository', folder }, writes)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('the repository takes more than 20 MiB'),
  });
});

test('what was faster than the looks is judged at its end', async () => {
  const folder = { path: '/work/d1', mostBytes: 20 * MiB };
  const disk = diskOf({ bytes: () => 21 * MiB });
  const work = whileDiskLasts(disk, { what: 'the repository', folder }, async () => 'fetched');
  await expect(work).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('other work ends as it ends, and whoever stops it is heard', async () => {
  const disk = diskOf({});
  expect(await whileDiskLasts(disk, { what: 'the build' }, async () => 'built')).toBe('built');
  await expect(
    whileDiskLasts(disk, { what: 'the build' }, async () => {
      throw new Error('no such file');
    }),
  ).rejects.toThrow('no such file');
  const stop = new AbortController();
  const stopped = whileDiskLasts({ ...disk, signal: stop.signal }, { what: 'the build' }, writes);
  stop.abort(new Error('cancelled'));
  await expect(stopped).rejects.toThrow('ended by SIGTERM');
});
