/** Alarms, over what the observers see and the records say. */
import { createAlarms, type Alarms } from '../../modules/alarm/alarm.ts';
import { alarmSources } from '../../modules/alarm/sources.ts';
import { machineDisks } from '../../modules/alarm/disks.ts';
import { leftNetworksOf, shadowingNetworksOf } from '../../modules/alarm/troubled-networks.ts';
import { unknownServicesOf } from '../../modules/alarm/unknown-services.ts';
import { unreachableHosts } from '../../modules/alarm/unreachable.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';
import type { Observing } from '../hosts/observing.ts';
import type { Product } from '../product.ts';

export function createAlarming(
  { config, stores, adapters, clock, log }: Ground,
  { settings, notifying, unfinished }: Pick<Product, 'settings' | 'notifying' | 'unfinished'>,
  { hosts }: Pick<Machines, 'hosts'>,
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
      disks: machineDisks({
        hosts,
        servers: stores.servers,
        installation: first,
        freeBytes: () => adapters.files.freeBytes(config.data),
        clock,
        onFault: (error, where) => void log.fault(error, where),
      }),
      leftNetworks: leftNetworksOf({ hosts, servers: stores.servers, installation: first }),
      shadowingNetworks: shadowingNetworksOf({ hosts, servers: stores.servers, installation: first }),
      unknownServices: unknownServicesOf({
        things: stores.knownThings,
        servers: stores.servers,
        installation: first,
      }),
      unfinishedDeletions: () => unfinished.all(),
      stoppedWriters: stores.diskWriters.stopped,
      minFreeDisk: async () => (await settings.get()).minFreeDisk,
      unreachable: unreachableHosts({ seen: unreachable, servers: stores.servers, installation: first }),
    }),
  });
}
