import type { ObjectStore, OpenStore, StorePlace } from '../../ports/object-store.ts';
import { folderStore } from './folder.ts';
import { rcloneStore } from './rclone.ts';

export interface StoreOptions {
  /** Path of rclone. */
  rclonePath: string;
  /** Folder that the program runs in; it writes nothing there. */
  scratch: string;
}

/** A store for each provider of destinations. */
export function createObjectStores(options: StoreOptions): OpenStore {
  return (place: StorePlace): ObjectStore =>
    place.provider === 'local' ? folderStore(place.path) : rcloneStore(place, options);
}
