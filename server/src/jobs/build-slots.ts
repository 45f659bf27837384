/** Hands out the build slots of each server, in the order in which their deployments were accepted. */
import type { BuildSlots } from '../ports/engine/build-slots.ts';
import type { Clock } from '../ports/clock.ts';
import { createAlarm, type Alarm } from './alarm.ts';
import type { SlotStore } from './slot-store.ts';

export interface BuildSlotsOptions {
  store: SlotStore;
  clock: Clock;
  /** Builds at once on this server. */
  limitOf(serverKey: string): Promise<number>;
  /**
   * Milliseconds between looks (default 1,000), for slots that another process gave back or whose lease ran
   * out; those of this process wake whoever waits.
   */
  pollMs?: number;
}

export function createBuildSlots({ store, clock, limitOf, pollMs = 1000 }: BuildSlotsOptions): BuildSlots {
  const waiting = new Set<Alarm>();
  const give: BuildSlots['give'] = async (job) => {
    if (!(await store.give(job))) return;
    for (const alarm of waiting) alarm.wake();
  };
  return {
    give,
    async take(job, { signal, onWait }) {
      const alarm = createAlarm();
      waiting.add(alarm);
      signal.addEventListener('abort', alarm.wake);
      try {
        await store.ask(job);
        for (let looks = 0; ; looks += 1) {
          alarm.arm();
          signal.throwIfAborted();
          if (await store.take(job, await limitOf(job.serverKey), clock.now())) return;
          if (looks === 0) await onWait(await store.ahead(job, clock.now()));
          await alarm.pause(pollMs);
        }
      } catch (error) {
        await give(job);
        throw error;
      } finally {
        signal.removeEventListener('abort', alarm.wake);
        waiting.delete(alarm);
      }
    },
  };
}
