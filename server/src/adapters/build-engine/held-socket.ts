/**
 * The sockets of a builder, held where it cannot reach them. Root in a builder writes the folder in which its
 * engine listens, and could put a link to the host's own socket in the place of the builder's.
 */
import { link, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { randomId } from '../../ports/clock.ts';

/**
 * From now on `held` is the socket that `offered` is at this moment (link(2), which follows no link). False,
 * and `held` is gone, when there is none: nothing, a link, or anything else.
 */
export async function holdSocket(offered: string, held: string): Promise<boolean> {
  await mkdir(dirname(held), { recursive: true, mode: 0o700 });
  const taken = `${held}.${randomId(8)}`;
  try {
    await link(offered, taken);
    const isSocket = (await lstat(taken)).isSocket();
    if (isSocket) await rename(taken, held);
    else await rm(held, { force: true });
    return isSocket;
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await rm(held, { force: true });
    return false;
  } finally {
    // Two names of one file are not renamed into each other (rename(2)).
    await rm(taken, { force: true });
  }
}

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
