/** Alarms, over what the observers see and the records say. */
import { createAlarms, type Alarms } from '../../modules/alarm/alarm.ts';
import { alarmSources } from '../../modules/alarm/sources.ts';
import { unreachableHosts } from '../../modules/alarm/unreachable.ts';
import type { Ground } from '../ground.ts';
import type { Observing } from '../hosts/observing.ts';
import type { Product } from '../product.ts';

export function createAlarming(
  { config, stores, adapters, clock, log }: Ground,
  { settings, notifying }: Pick<Product, 'settings' | 'notifying'>,
  { shown, unreachable }: Pick<Observing, 'shown' | 'unreachable'>,
): Alarms {
  const store = stores.alarms;
  const { first } = stores.organizations;
  return createAlarms({
    store,
    clock,
    tell: notifying.tell,
    onFault: (error) => void log.fault(error, 'alarms'),
    sources: alarmSources({
      store,
      clock,
      shown,
      installation: first,
      disk: async () => ({
        free: await adapters.files.freeBytes(config.data),
        kept: (await settings.get()).minFreeDisk,
      }),
      unreachable: unreachableHosts({ seen: unreachable, servers: stores.servers, installation: first }),
    }),
  });
}
