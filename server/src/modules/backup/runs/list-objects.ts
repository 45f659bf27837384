import type { ObjectStore, StoredObject } from '../../../ports/object-store.ts';
import { unfinishedEnding } from './unfinished.ts';

/**
 * The objects whose path holds `search`, newest first; what is not whole or not verified, and what a test of
 * the connection left, is none.
 */
export async function listObjects(
  store: ObjectStore,
  search: string,
  signal: AbortSignal,
): Promise<StoredObject[]> {
  const objects = (await store.list('', signal)).filter(
    ({ path }) =>
      !path.endsWith(unfinishedEnding) &&
      !path.split('/').some((part) => part.startsWith('.berth-test-')) &&
      path.includes(search),
  );
  return objects.toSorted((a, b) =>
    a.modifiedAt === b.modifiedAt ? (a.path < b.path ? 1 : -1) : a.modifiedAt < b.modifiedAt ? 1 : -1,
  );
}
