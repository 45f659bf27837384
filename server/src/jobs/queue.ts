/** Puts jobs into the queue and takes queued ones out again. */
import { isoTime, randomId, type Clock } from '../ports/clock.ts';
import type { Queue } from '../ports/queue.ts';
import { createSequence } from '../ports/sequence.ts';
import type { JobStore } from './store.ts';

export function createQueue(store: JobStore, clock: Clock, wake: () => void): Queue {
  const nextSequence = createSequence(clock);
  return {
    wake,
    async enqueue(job) {
      const jobId = randomId();
      await store.insert({
        jobId,
        ...job,
        state: 'queued',
        attempts: 0,
        worker: null,
        leaseUntil: 0,
        slot: 'none',
        buildServerKey: null,
        organizationId: null,
        sequence: nextSequence(),
        createdAt: isoTime(clock),
      });
      return jobId;
    },
    async cancelRunning(serviceKey) {
      await store.update({ serviceKey, state: 'running' }, { state: 'cancelled', slot: 'none' });
    },
    async cancelQueued(serviceKey) {
      const cancelled = [];
      for (const job of await store.list({ serviceKey, state: 'queued' })) {
        if ((await store.update({ jobId: job.jobId, state: 'queued' }, { state: 'cancelled' })) === 1)
          cancelled.push(job.payload);
      }
      return cancelled;
    },
  };
}
