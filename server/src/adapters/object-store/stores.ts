import type { ObjectStore, OpenStore, StorePlace, StoreUse } from '../../ports/object-store.ts';
import type { Outgoing } from '../../ports/outgoing.ts';
import { folderStore } from './folder.ts';
import { rcloneStore } from './rclone.ts';
import type { StoreLimits } from './store-limits.ts';

export interface StoreOptions {
  /** Path of rclone. */
  rclonePath: string;
  /** Folder of Berth's own that the program runs in; it writes nothing there. */
  scratch: string;
  outgoing: Pick<Outgoing, 'judge' | 'gate' | 'request'>;
  /** Limits of single calls, where they differ from the defaults. */
  limits?: Partial<StoreLimits>;
}

/** A store for each provider of destinations. */
export function createObjectStores(options: StoreOptions): OpenStore {
  return (place: StorePlace, organizationId: string, use: StoreUse = 'backups'): ObjectStore =>
    place.provider === 'local'
      ? folderStore(place.path, options.scratch)
      : rcloneStore(place, { ...options, use, by: { organizationId } });
}
