/** Runs of a schedule do not pile up: the newest hundred that are over are kept, with their logs. */
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { ScheduleStore } from './store.ts';

const keptRuns = 100;

export async function prune(
  { store, logs }: { store: ScheduleStore; logs: Pick<DeploymentLogs, 'remove'> },
  scheduleId: string,
): Promise<void> {
  for (const scheduleRunId of await store.old(scheduleId, keptRuns)) {
    await store.runs.remove({ scheduleRunId });
    await logs.remove(scheduleRunId);
  }
}
