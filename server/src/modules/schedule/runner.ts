/** Runs a scheduled command once: a task of its own beside the service, with its log and one end. */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import type { TellFact } from '../../domain/states/fact.ts';
import { createRedactor } from '../../domain/secrets/redactor.ts';
import type { TableRecord } from '../../db/tables.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { DeploymentLogs, LogWriter } from '../../ports/deployment-log.ts';
import type { Engine, ServiceSpec } from '../../ports/engine/engine.ts';
import { noHealthCheck } from '../../ports/engine/health-check.ts';
import { prune } from './prune.ts';
import type { ScheduleRecord, ScheduleRunRecord, ScheduleStore } from './store.ts';

export interface ScheduleRunnerPorts {
  store: ScheduleStore;
  logs: DeploymentLogs;
  clock: Clock;
  tell: TellFact;
  /**
   * The live release of the service and the engine it is on; throws an AppError when there is none, or its
   * server cannot be reached.
   */
  released(
    schedule: ScheduleRecord,
  ): Promise<{ engine: Pick<Engine, 'runTask' | 'removeService'>; spec: ServiceSpec }>;
  /** Begins a run where the organization has room for it; CONFLICT with the numbers where it has none. */
  beginRun(
    schedule: ScheduleRecord,
    run: ScheduleRunRecord,
    spec: ServiceSpec,
    begin: (taken: Pick<ScheduleRunRecord, 'nanoCpus' | 'memoryBytes'>) => Promise<void>,
  ): Promise<void>;
  /** Labels of one-off tasks, which tell the run of Berth that waits for them. */
  taskLabels: Record<string, string>;
  /** Writes an unexpected failure to Berth's own log and gives the id it stands under. */
  onFault(error: unknown, scheduleRunId: string): string;
}

type Job = Pick<TableRecord<'job'>, 'payload' | 'attempts'>;

/**
 * Handler of the queue's `schedule` jobs. A run that a restart of Berth broke off is ended and not begun
 * again: nobody knows how far its command came.
 */
export function createScheduleRunner(
  ports: ScheduleRunnerPorts,
): (job: Job, signal: AbortSignal) => Promise<void> {
  const { store, logs, clock } = ports;
  return async (job, signal) => {
    const scheduleRunId = job.payload['scheduleRunId'] ?? '';
    const run = await store.runs.find({ scheduleRunId });
    const schedule = run && (await store.find({ scheduleId: run.scheduleId }));
    if (!run || !schedule || run.finishedAt !== null) return;
    const log = logs.writer(scheduleRunId, createRedactor());
    try {
      const end =
        run.status === 'running'
          ? await brokenOff(ports, schedule, run)
          : await work(ports, { schedule, run, log, signal });
      log.line(end.errorMessage ?? 'Done.');
      await log.close();
      await finish(ports, schedule, run, { ...end, finishedAt: isoTime(clock) });
    } finally {
      await log.close();
      // Its schedule or service was removed meanwhile, and with it what had been written by then.
      if (!(await store.runs.find({ scheduleRunId }))) await logs.remove(scheduleRunId);
    }
  };
}

type End = Pick<ScheduleRunRecord, 'status' | 'exitCode' | 'errorMessage'>;

interface Work {
  schedule: ScheduleRecord;
  run: ScheduleRunRecord;
  log: LogWriter;
  signal: AbortSignal;
}

async function work(ports: ScheduleRunnerPorts, { schedule, run, log, signal }: Work): Promise<End> {
  const { store, clock, taskLabels } = ports;
  const { scheduleRunId } = run;
  try {
    const { engine, spec } = await ports.released(schedule);
    await ports.beginRun(schedule, run, spec, async (taken) => {
      const begun = { ...taken, status: 'running' as const, startedAt: isoTime(clock) };
      await store.runs.update({ scheduleRunId, finishedAt: null }, begun);
    });
    const { exitCode, error } = await engine.runTask(
      {
        ...spec,
        name: taskName(spec.name, run),
        labels: { ...spec.labels, ...taskLabels },
        command: schedule.command,
        args: undefined,
        ports: [],
        replicas: 1,
        healthCheck: noHealthCheck,
        release: undefined,
      },
      { signal, limitMs: schedule.limitMinutes * 60_000, onLine: ({ text }) => log.line(text) },
    );
    if (exitCode === 0) return { status: 'done', exitCode, errorMessage: null };
    const why = `The command ended with exit code ${exitCode ?? 'unknown'}${error ? ` (${error})` : ''}.`;
    return { status: 'error', exitCode: exitCode ?? null, errorMessage: why };
  } catch (error) {
    // Given up while Berth stops or the schedule is removed: the next start, or nobody, goes on.
    signal.throwIfAborted();
    const sentence =
      error instanceof AppError
        ? sentenceOf(error)
        : `Something went wrong inside Berth (${ports.onFault(error, scheduleRunId)}).`;
    return { status: 'error', exitCode: null, errorMessage: sentence };
  }
}

async function brokenOff(
  { released }: ScheduleRunnerPorts,
  schedule: ScheduleRecord,
  run: ScheduleRunRecord,
): Promise<End> {
  const words = 'Berth was restarted while the command ran';
  try {
    const { engine, spec } = await released(schedule);
    await engine.removeService(taskName(spec.name, run));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const errorMessage = `${words}. It could not be ended, and may still be running: ${sentenceOf(error)}`;
    return { status: 'error', exitCode: null, errorMessage };
  }
  const errorMessage = `${words}. It was ended and is not run again automatically.`;
  return { status: 'error', exitCode: null, errorMessage };
}

const taskName = (service: string, { scheduleRunId }: ScheduleRunRecord): string =>
  `${service.slice(0, 40)}-cron-${scheduleRunId.slice(0, 12).toLowerCase()}`;

async function finish(
  { store, logs, tell }: ScheduleRunnerPorts,
  { scheduleId, organizationId, name }: ScheduleRecord,
  { scheduleRunId }: ScheduleRunRecord,
  end: End & Pick<ScheduleRunRecord, 'finishedAt'>,
): Promise<void> {
  await store.transaction(async () => {
    // A run that its service's removal ended is no failure of the command.
    const ended = await store.runs.update({ scheduleRunId, finishedAt: null }, end);
    if (ended === 0 || end.status !== 'error') return;
    await tell({
      event: 'scheduleFailed',
      organizationId,
      subject: { type: 'schedule', id: scheduleId, name },
      sentence: `${name} failed: ${end.errorMessage ?? ''}`,
    });
  });
  await prune({ store, logs }, scheduleId);
}
