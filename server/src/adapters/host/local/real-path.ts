/** Links followed on this machine. */
import { readlink } from 'node:fs/promises';
import { posix } from 'node:path';
import { AppError } from '../../../domain/errors.ts';
import { isProcessPath } from '../../../domain/server-path.ts';

/** As the kernel: more links than these are a circle (path_resolution(7)). */
const mostLinks = 40;

/** Part by part, since what leads through a process is another place for every process that follows it. */
export async function realPath(path: string): Promise<string> {
  let parts = path.split('/');
  let reached = '/';
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === '' || part === '.') continue;
    reached = posix.join(reached, part);
    if (isProcessPath(reached)) return posix.join(reached, ...parts);
    const target = await linkAt(reached);
    if (target === 'nothing') return posix.join(reached, ...parts);
    if (target === undefined) continue;
    links += 1;
    if (links > mostLinks)
      throw new AppError(
        'PRECONDITION_FAILED',
        `${path} leads in a circle of links on the server. Choose another path.`,
      );
    parts = [...target.path.split('/'), ...parts];
    reached = target.path.startsWith('/') ? '/' : posix.dirname(reached);
  }
  return reached;
}

/** Where a link leads; undefined for what is no link. */
async function linkAt(path: string): Promise<{ path: string } | 'nothing' | undefined> {
  try {
    return { path: await readlink(path) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EINVAL') return undefined;
    // A path that goes on below a file leads nowhere either; what the engine makes of it is its refusal.
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'nothing';
    throw new AppError(
      'PRECONDITION_FAILED',
      `${path} cannot be looked at on the server (${String(code)}). Choose another path.`,
      { cause: error },
    );
  }
}
