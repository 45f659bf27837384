/** Build slots that tell how long each was held. */
import type { BuildSlots } from '../ports/engine/build-slots.ts';
import type { Clock } from '../ports/clock.ts';

/** `held` is told the seconds when a slot is given back. */
export function measuredSlots(slots: BuildSlots, clock: Clock, held: (seconds: number) => void): BuildSlots {
  const since = new Map<string, number>();
  return {
    async take(job, options) {
      await slots.take(job, options);
      since.set(job.jobId, clock.now());
    },
    async give(job) {
      await slots.give(job);
      const start = since.get(job.jobId);
      if (start === undefined) return;
      since.delete(job.jobId);
      held((clock.now() - start) / 1000);
    },
  };
}
