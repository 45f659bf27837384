/** Absolute paths of the server, and those of them that control it. */
import { posix } from 'node:path';
import { AppError, badField } from '../errors.ts';

/**
 * An absolute path without `.` and `..`, with single slashes and none at its end. Throws BAD_REQUEST naming
 * `field`.
 */
export function parseServerPath(path: string, field: string): string {
  if (/\p{Cc}/u.test(path)) throw badField(field, 'must not contain line breaks or control characters');
  if (!path.startsWith('/')) throw badField(field, 'must be an absolute path, beginning with "/"');
  if (path.split('/').some((part) => part === '.' || part === '..'))
    throw badField(field, 'must not contain "." or ".." as a part');
  const clean = posix.normalize(path);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

/**
 * Throws FORBIDDEN when a clean path is one of these, stands in one or contains one: the engine's socket and
 * data, Berth's own data. `effect` is what giving it would do, such as "would give the service".
 */
export function refuseProtected(
  path: string,
  field: string,
  { protectedPaths, effect }: { protectedPaths: readonly string[]; effect: string },
): void {
  const plain = withoutRunAlias(path);
  const found = protectedPaths
    .map(withoutRunAlias)
    .find((one) => pathContains(one, plain) || pathContains(plain, one));
  if (found !== undefined)
    throw new AppError(
      'FORBIDDEN',
      `${field}: ${path} ${effect} ${found}, which controls this server. Choose a folder of its own instead.`,
    );
}

/**
 * Whether a clean path leads into what the kernel shows of one process (`/proc/1/root`, `/proc/self/cwd`):
 * from there every folder of the machine is within reach.
 */
export function isProcessPath(path: string): boolean {
  return /^\/proc\/([0-9]+|self|thread-self)(\/|$)/.test(path);
}

/** Whether `path` is `folder` or stands in it; both clean. */
export function pathContains(folder: string, path: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

/** /var/run is a link to /run on every system of today. */
function withoutRunAlias(path: string): string {
  return pathContains('/var/run', path) ? path.slice('/var'.length) : path;
}

/** The kernel's own trees, which the engine refuses, and the folder of Berth's health probe. */
const reservedInside = ['/proc', '/sys', '/.berth'];

/** Where something stands in a container; BAD_REQUEST names the field. */
export function parseMountPath(given: string, field: string): string {
  const path = parseServerPath(given, field);
  if (path === '/') throw badField(field, 'cannot be the root of the container');
  if (reservedInside.some((reserved) => pathContains(reserved, path)))
    throw badField(field, `cannot be in ${reservedInside.join(', ')}; these belong to the system`);
  return path;
}
