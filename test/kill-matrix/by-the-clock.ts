/** What Berth does by the clock, and what it sees of the engines, in a world in memory. */
import type { Ground } from '../../server/src/composition/ground.ts';
import type { Observing } from '../../server/src/composition/hosts/observing.ts';
import type { Product } from '../../server/src/composition/product.ts';
import type { Working } from '../../server/src/composition/services/working.ts';
import { endBranches } from '../../server/src/jobs/end-branches.ts';
import { finishDeletions } from '../../server/src/jobs/finish-deletions.ts';
import type { Registry } from '../../server/src/procedure/registry.ts';
import { startTimers } from '../../server/src/jobs/timers.ts';
import type { Watching } from '../../server/src/composition/upkeep/watching.ts';

interface Parts {
  ground: Ground;
  product: Product;
  working: Working;
  observing: Observing;
  besides: Pick<Watching, 'alarms' | 'monitoring' | 'disk'>;
  registry(): Registry;
}

/** Ends with the function that it gives. */
export async function goByTheClock({
  ground,
  product,
  working,
  observing,
  besides,
  registry,
}: Parts): Promise<() => Promise<void>> {
  observing.start();
  await product.notifying.tellUpgrade();
  const timers = startTimers({
    ...ground,
    ...working,
    ...besides,
    notifying: product.notifying,
    // Disks of tests are as full as the machine's.
    diskWriters: { look: async () => undefined },
    finishDeletions: () =>
      finishDeletions({
        ...product,
        registry: registry(),
        stores: ground.stores,
        guard: product.accounts.guard,
      }),
    endBranches: () =>
      endBranches({ ...ground, ...product, registry: registry(), guard: product.accounts.guard }),
    schedules: working.backingUp.schedules,
    recovery: working.backingUp.recovery,
    previews: { watch: working.previewing.watch, everyMs: ground.config.previewWatchMs },
  });
  return async () => {
    await timers.stop();
    await observing.stop();
  };
}

/** Nothing observes the machine. */
export const unobserved = {
  liveOf: () => null,
  conditions: { of: () => ({ condition: 'unreachable', reason: null }) as const },
  forgetObserved: async () => undefined,
  shown: () => [],
  unreachable: () => [],
};
