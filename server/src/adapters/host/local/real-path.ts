/** Links followed on this machine. */
import { readlink } from 'node:fs/promises';
import { AppError } from '../../../domain/errors.ts';
import { followLinks, type LinkTarget } from '../follow-links.ts';

export const realPath = (path: string): Promise<string> => followLinks(path, linkAt);

/** Where a link leads; undefined for what is no link. */
async function linkAt(path: string): Promise<LinkTarget> {
  try {
    return { path: await readlink(path) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EINVAL') return undefined;
    // A path that goes on below a file leads nowhere either; what the engine makes of it is its refusal.
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'nothing';
    throw new AppError(
      'PRECONDITION_FAILED',
      `${path} cannot be inspected on the server (${String(code)}). Choose another path.`,
      { cause: error },
    );
  }
}
