/** Commands by schedule, beside the services whose release they use. */
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { ScheduleDesk } from '../../modules/schedule/handlers.ts';
import { liveReleaseOf } from '../../modules/schedule/live-release.ts';
import { sumOf, quotasOf } from '../../deploy/quotas.ts';
import { createScheduleRunner } from '../../modules/schedule/runner.ts';
import { createSchedules } from '../../modules/schedule/schedule.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';
import type { Product } from '../product.ts';
import type { Releasing } from '../services/releasing.ts';

export interface Scheduling {
  desk: ScheduleDesk;
  tick(): Promise<void>;
  /** Handler of the queue's `schedule` jobs. */
  run: ReturnType<typeof createScheduleRunner>;
}

export function createScheduling(
  { stores, adapters, clock, log }: Ground,
  { applications, composes, queue, notifying }: Product,
  { hosts }: Pick<Machines, 'hosts'>,
  { live, runningComposes, ports }: Pick<Releasing, 'live' | 'runningComposes' | 'ports'>,
): Scheduling {
  const release = liveReleaseOf({
    application: (applicationId) => applications.find(applicationId),
    compose: (composeId) => composes.find(composeId),
    liveSpec: live.liveSpec,
    liveServices: runningComposes.liveServices,
  });
  const quotas = quotasOf(stores);
  const shared = { store: stores.schedules, logs: adapters.logs, clock, tell: notifying.tell };
  const schedules = createSchedules({
    ...shared,
    queue,
    onFault: (error, scheduleId) => void log.fault(error, `schedule ${scheduleId}`),
    serverKeyOf: async (owner) => serverKeyOf(await release.service(owner)),
  });
  return {
    desk: { schedules, logs: adapters.logs, wake: queue.wake },
    tick: schedules.tick,
    run: createScheduleRunner({
      ...shared,
      taskLabels: ports.taskLabels,
      beginRun: (schedule, run, spec, begin) => {
        const taken = sumOf([{ replicas: 1, limits: spec.limits }]);
        const { nanoCpus = null, memoryBytes = null } = taken;
        return quotas.beginRun(
          schedule.organizationId,
          { serviceId: run.scheduleRunId, name: schedule.name, ...taken },
          () => begin({ nanoCpus, memoryBytes }),
        );
      },
      onFault: (error, scheduleRunId) => log.fault(error, `scheduled run ${scheduleRunId}`),
      async released(schedule) {
        const { engine } = await hosts.of(serverKeyOf(await release.service(schedule)));
        return { engine, spec: await release.spec(schedule) };
      },
    }),
  };
}
