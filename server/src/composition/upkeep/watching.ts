/** What is made of everything that is seen: alarms, and metrics; and what is measured. */
import type { Alarms } from '../../modules/alarm/alarm.ts';
import { createDiskMeasuring, type DiskMeasuring } from '../../deploy/disk-quotas.ts';
import { composeFoldersOf } from '../adapters.ts';
import { createAlarming } from './alarming.ts';
import type { Ground } from '../ground.ts';
import { metricsOf } from '../hosts/measuring.ts';
import type { Machines } from '../hosts/machines.ts';
import { createMonitoring, type Monitoring } from '../hosts/monitoring.ts';
import type { Observing } from '../hosts/observing.ts';
import type { Product } from '../product.ts';

export interface Watching extends Monitoring {
  alarms: Alarms;
  /** The text for monitoring systems. */
  metrics(): Promise<string>;
  disk: DiskMeasuring;
}

export function createWatching(
  ground: Ground,
  product: Pick<Product, 'settings' | 'notifying' | 'unfinished' | 'counters' | 'renewals'>,
  machines: Pick<Machines, 'hosts' | 'servers'>,
  observing: Pick<Observing, 'shown' | 'unreachable'>,
): Watching {
  return {
    alarms: createAlarming(ground, product, machines, observing),
    metrics: metricsOf(ground, product, observing),
    disk: createDiskMeasuring({
      ...ground,
      ...machines,
      composeFolders: composeFoldersOf(ground.adapters),
    }),
    ...createMonitoring(ground, machines, product),
  };
}
