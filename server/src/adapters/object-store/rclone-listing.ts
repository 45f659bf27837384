/** The listing that `rclone lsjson` prints while the store answers: an array with one object a line. */
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { StoredObject } from '../../ports/object-store.ts';
import { createLineSplitter } from '../../shell/lines.ts';

export const listedObject = z.object({
  Path: z.string(),
  Size: z.number(),
  ModTime: z.string(),
  IsDir: z.boolean(),
});

/** Most objects of one listing, and most bytes of it: a store may list without end. */
export interface ListingLimits {
  objects: number;
  bytes: number;
}

const defaultLimits: ListingLimits = { objects: 100_000, bytes: 64 * 1024 * 1024 };

/** Throws PRECONDITION_FAILED, and ends the source, as soon as one of the limits is exceeded. */
export async function readListing(
  source: AsyncIterable<Uint8Array | string>,
  path: string,
  limits: ListingLimits = defaultLimits,
): Promise<StoredObject[]> {
  const before = path === '' ? '' : `${path}/`;
  const objects: StoredObject[] = [];
  const lines = createLineSplitter((line) => {
    const json = line.trim().replace(/,$/, '');
    if (json === '' || json === '[' || json === ']') return;
    const { Path, Size, ModTime } = listedObject.parse(JSON.parse(json));
    objects.push({ path: `${before}${Path}`, bytes: Size, modifiedAt: new Date(ModTime).toISOString() });
  });
  let bytes = 0;
  for await (const piece of source) {
    bytes += piece.length;
    lines.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
    if (objects.length > limits.objects || bytes > limits.bytes) throw tooMany(path, limits);
  }
  lines.end();
  return objects;
}

const tooMany = (path: string, { objects, bytes }: ListingLimits): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    `The store lists more than ${objects} objects, or ${bytes} bytes of their names, below ` +
      `${path === '' ? 'the path of the destination' : path}. Give the destination a path of its own, ` +
      'where only backups are.',
  );
