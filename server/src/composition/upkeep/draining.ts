/** What services write, sent to where organizations want it. */
import { createFollowing } from '../../modules/log-drain/following.ts';
import type { LogDrainDesk } from '../../modules/log-drain/handlers.ts';
import { createLogDrains } from '../../modules/log-drain/log-drain.ts';
import { createSendLines } from '../../modules/log-drain/sending.ts';
import { createShipping, type Shipping } from '../../modules/log-drain/shipping.ts';
import { logTrouble } from '../../modules/log-drain/trouble.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';

export interface Draining {
  drainDesk: LogDrainDesk;
  shipping: Pick<Shipping, 'tick' | 'stop'>;
}

export function createDraining(
  { stores, adapters, clock, log }: Ground,
  { hosts }: Pick<Machines, 'hosts'>,
): Draining {
  const onFault = (error: unknown): void => void log.fault(error, 'log drain');
  const drains = createLogDrains(stores.logDrains, clock);
  const shipping = createShipping({
    store: stores.logDrains,
    send: createSendLines(adapters.outgoing),
    clock,
    onFault,
    follow: createFollowing({
      hosts: () => hosts.all(),
      placed: () => stores.serviceReads.everywhere(),
      organizationName: (organizationId) =>
        stores.organizations
          .find({ organizationId })
          .then((organization) => organization?.name ?? organizationId),
      clock,
      onTrouble: logTrouble(log),
      onOver: (what) => log.info('Output can be read for log drains again', { what }),
    }),
  });
  return {
    shipping,
    drainDesk: {
      drains,
      async test(logDrainId, organizationId) {
        await shipping.test(await drains.found(logDrainId, organizationId));
      },
    },
  };
}
