/** The watch of disks that services write to, over machines and the ways in which services are stopped. */
import { join } from 'node:path';
import { createStopService } from '../../deploy/release/stop-service.ts';
import { createDiskWriters, type DiskWriters } from '../../modules/disk-quota/disk-writers.ts';
import { createPreviewRuntime } from '../../modules/preview-deployment/runtime.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';
import type { Product } from '../product.ts';
import type { Releasing } from '../services/releasing.ts';

export function createDiskWatch(
  { stores, adapters, clock, config, log }: Ground,
  { settings, turns }: Pick<Product, 'settings' | 'turns'>,
  { hosts, deployedPreviews }: Pick<Machines, 'hosts' | 'deployedPreviews'>,
  { runtime, running, runningComposes, live }: Releasing,
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
      previews: createPreviewRuntime({
        hosts,
        turns,
        services: deployedPreviews,
        liveSpec: live.previewSpec,
      }),
    }),
    clock,
    log,
  });
  return { diskWriters };
}
