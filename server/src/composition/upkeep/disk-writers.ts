/** The watch of disks that services write to, over machines and the ways in which services are stopped. */
import { join } from 'node:path';
import { createStopService } from '../../deploy/release/stop-service.ts';
import { createDiskWriters, type DiskWriters } from '../../modules/disk-quota/disk-writers.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';
import type { Product } from '../product.ts';
import type { Releasing } from '../services/releasing.ts';

export function createDiskWatch(
  { stores, adapters, clock, config, log }: Ground,
  { settings }: Pick<Product, 'settings'>,
  { hosts }: Pick<Machines, 'hosts'>,
  { runtime, previewRuntime, running, runningComposes }: Releasing,
): { diskWriters: DiskWriters } {
  const diskWriters = createDiskWriters({
    store: { keepWriter: stores.diskWriters.keepWriter, composes: stores.disk.composes },
    hosts,
    freeBytes: adapters.files.freeBytes,
    dataFolder: config.data,
    folderBytes: (composeId) => adapters.files.bytesIn(join(adapters.folders.composes, composeId)),
    minFreeDisk: async () => (await settings.get()).minFreeDisk,
    stop: createStopService({
      stores,
      applications: runtime,
      databases: running.runtime,
      composes: runningComposes.runtime,
      previews: previewRuntime,
    }),
    clock,
    log,
  });
  return { diskWriters };
}
