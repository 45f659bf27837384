/**
 * Puts the built product into a folder of its own, so that a running Berth does not depend on the checkout.
 */
import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../server/src/domain/errors.ts';
import { filesBelow, releasedPaths } from './build-id.ts';

/**
 * Makes the release unless it is there already; gives whether it was made. It appears whole or not at all.
 */
export function makeRelease(product: string, releases: string, id: string): boolean {
  const target = join(releases, id);
  if (existsSync(target)) return false;
  mkdirSync(releases, { recursive: true, mode: 0o755 });
  const half = join(releases, `.half-${id}`);
  rmSync(half, { recursive: true, force: true });
  for (const path of releasedPaths) {
    for (const file of filesBelow(join(product, path))) copy(file, join(half, file.slice(product.length)));
  }
  symlinkSync(layNode(product, half), join(half, 'node'));
  renameSync(half, target);
  return true;
}

/** Of the package of Node 24: the program, and what it is. Packages that Berth uses are in its bundle. */
const nodeFiles = ['bin/node', 'package.json', 'LICENSE'] as const;

/** Puts Node 24 into the release; gives the path of its program there. */
function layNode(product: string, half: string): string {
  const folder = `node_modules/node-linux-${process.arch}`;
  const program = `${folder}/bin/node`;
  if (!existsSync(join(product, program)))
    throw new AppError(
      'PRECONDITION_FAILED',
      `Node 24 for this machine (${process.arch}) is not a dependency here. Berth runs on x64 and arm64.`,
    );
  for (const file of nodeFiles) linkOrCopy(join(product, folder, file), join(half, folder, file));
  return program;
}

/**
 * A second name costs no space. Only for files that npm wrote (it replaces files, it does not rewrite them)
 * and that root alone can change; a compiler rewrites its output in place, which would change the release
 * with it.
 */
function linkOrCopy(from: string, to: string): void {
  const { uid, mode } = statSync(from);
  if (uid !== 0 || (mode & 0o022) !== 0) return copy(from, to);
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch (error) {
    if (
      !(
        error instanceof Error &&
        'code' in error &&
        ['EXDEV', 'EPERM', 'EMLINK'].includes(String(error.code))
      )
    )
      throw error;
    copy(from, to);
  }
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
}
