/** Links followed on a machine, whichever it is. */
import { posix } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { isProcessPath } from '../../domain/names/server-path.ts';

/** Where a link leads; undefined for what is no link. */
export type LinkTarget = { path: string } | 'nothing' | undefined;

/** As the kernel: more links than these are a circle (path_resolution(7)). */
const mostLinks = 40;

/** Part by part, since what leads through a process is another place for every process that follows it. */
export async function followLinks(
  path: string,
  linkAt: (path: string) => Promise<LinkTarget>,
): Promise<string> {
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
        `${path} is a loop of links on the server. Choose another path.`,
      );
    parts = [...target.path.split('/'), ...parts];
    reached = target.path.startsWith('/') ? '/' : posix.dirname(reached);
  }
  return reached;
}
