import type { CallContext } from '../../procedure/context.ts';
import type { LogEvent } from '../../procedure/log-event.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers, StreamEvent } from '../../procedure/procedure.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { scheduleContract } from './contract.ts';
import type { Schedules } from './schedule.ts';
import type { ScheduleRunRecord } from './store.ts';

export interface ScheduleDesk {
  schedules: Schedules;
  logs: DeploymentLogs;
  wake(): void;
}

export function scheduleHandlers({
  schedules,
  logs,
  wake,
}: ScheduleDesk): Handlers<typeof scheduleContract, CallContext> {
  return {
    create: ({ actor, write }, input) => write(() => schedules.create(actor.organizationId, input)),
    one: ({ actor }, { scheduleId }) => schedules.one(scheduleId, actor.organizationId),
    async all({ actor }, { applicationId, composeId, ...page }) {
      const found = await schedules.all({ applicationId, composeId }, actor.organizationId);
      return paginate(found, page, ({ scheduleId }) => scheduleId);
    },
    update: ({ actor, write }, { scheduleId, ...input }) =>
      write(() => schedules.update(scheduleId, actor.organizationId, input)),
    remove: ({ actor, write }, { scheduleId }) =>
      write(() => schedules.remove(scheduleId, actor.organizationId)),
    async run({ actor, write }, { scheduleId }) {
      const run = await write(() => schedules.run(scheduleId, actor.organizationId));
      wake();
      return run;
    },
    async runs({ actor }, { scheduleId, ...page }) {
      const found = await schedules.runs(scheduleId, actor.organizationId);
      return paginate(found, page, ({ scheduleRunId }) => scheduleRunId);
    },
    async *runLogs({ actor, lastEventId, signal, follow }, { scheduleRunId }) {
      const find = (): Promise<ScheduleRunRecord> => schedules.runOf(scheduleRunId, actor.organizationId);
      await find();
      yield* followRun({ logs, find }, { scheduleRunId, lastEventId, signal, follow });
    },
  };
}

interface Following {
  scheduleRunId: string;
  lastEventId: string | undefined;
  signal: AbortSignal;
  follow: boolean;
}

async function* followRun(
  { logs, find }: { logs: DeploymentLogs; find(): Promise<ScheduleRunRecord> },
  { scheduleRunId, lastEventId, signal, follow }: Following,
): AsyncGenerator<StreamEvent<LogEvent>> {
  const from = Math.max(0, Number.parseInt(lastEventId ?? '0', 10) || 0);
  let position = from;
  const isFinished = async (): Promise<boolean> => !follow || (await find()).finishedAt !== null;
  for await (const line of logs.follow(scheduleRunId, { from, signal, isFinished })) {
    position = line.position;
    yield { id: String(position), data: { type: 'line', text: line.text } };
  }
  const { status, finishedAt } = await find();
  if (finishedAt !== null) yield { id: String(position), data: { type: 'end', outcome: status } };
}
