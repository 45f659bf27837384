/** Runs the jobs of backups: one attempt after another over crashes, each with its log, and one end. */
import type { TableRecord } from '../../../db/tables.ts';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import { createRedactor } from '../../../domain/secrets/redactor.ts';
import { isoTime, type Clock } from '../../../ports/clock.ts';
import type { DeploymentLogs, LogWriter } from '../../../ports/deployment-log.ts';
import type { RunContext, RunStepHandle, StepResult } from './run-context.ts';
import { changeOverStep, endedByHand, type BackupRuns } from './runs.ts';
import type { BackupRunRecord } from '../store.ts';

/** What is done in a run of each kind. */
export interface RunOperation {
  run(context: RunContext): Promise<void>;
  /** Ends and removes what a killed attempt left. */
  tidy(run: BackupRunRecord): Promise<void>;
}

export interface BackupRunnerPorts {
  runs: BackupRuns;
  logs: DeploymentLogs;
  clock: Clock;
  operations: Record<BackupRunRecord['operation'], RunOperation>;
  /** Writes an unexpected failure to Berth's own log and gives the id it stands under. */
  onFault(error: unknown, backupRunId: string): string;
}

type Job = Pick<TableRecord<'job'>, 'payload' | 'attempts'>;

const attemptsLimit = 3;
/** What hangs must not hold those that wait behind it for ever. */
const limitMs = 12 * 3_600_000;
const lookMs = 1000;
/** How long work that was ended may take to end. */
const graceMs = 120_000;

/**
 * Handler of the queue's `backup` jobs; returns when the run has ended, or when the signal took it away. It
 * never throws for what went wrong inside.
 */
export function createBackupRunner(
  ports: BackupRunnerPorts,
): (job: Job, signal: AbortSignal) => Promise<void> {
  const { runs, logs, clock, operations } = ports;
  return async (job, signal) => {
    const run = await runs.find(job.payload['backupRunId'] ?? '');
    if (!run || run.status === 'done') return;
    if (run.status === 'error') return await tidyEnded(operations[run.operation], run, job);
    let redact = createRedactor();
    const log = logs.writer(run.backupRunId, (text) => redact(text));
    const operation = operations[run.operation];
    const hidden = new Set<string>();
    const hide = (secrets: readonly string[]): void => {
      for (const secret of secrets) hidden.add(secret);
      redact = createRedactor(hidden);
    };
    const limit = new AbortController();
    const timer = setTimeout(
      () =>
        limit.abort(
          new AppError(
            'PRECONDITION_FAILED',
            `The run did not end within ${limitMs / 3_600_000} hours and was ended.`,
          ),
        ),
      limitMs,
    );
    const byHand = new AbortController();
    const looking = setInterval(() => void endWhenCancelled(runs, run, byHand), lookMs);
    try {
      await runs.record(run.backupRunId, { status: 'running', startedAt: run.startedAt ?? isoTime(clock) });
      if (job.attempts > 1) await resume(run, job, operation, log);
      const ended = AbortSignal.any([signal, limit.signal, byHand.signal]);
      const context = contextOf(ports, {
        run,
        attempt: job.attempts,
        signal: ended,
        log,
        hide,
        redact: (text) => redact(text),
      });
      await withGrace(operation.run(context), ended);
      log.line('Done.');
      await log.close();
      await runs.finish(run.backupRunId, { status: 'done' });
    } catch (error) {
      await fail(ports, run, { error, signal, log, redact: (text) => redact(text), operation });
    } finally {
      clearTimeout(timer);
      clearInterval(looking);
      await log.close();
    }
  };
}

/** The work's end; when it does not end within the grace after the signal, the signal's reason is thrown. */
async function withGrace(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => over.reject(signal.reason), graceMs);
  };
  signal.addEventListener('abort', begin, { once: true });
  try {
    await Promise.race([work, over.promise]);
  } finally {
    signal.removeEventListener('abort', begin);
    clearTimeout(timer);
  }
}

/** A run that was ended while no worker had it, after a crash, may have left things of its first attempt. */
async function tidyEnded(operation: RunOperation, run: BackupRunRecord, job: Job): Promise<void> {
  if (job.attempts > 1) await operation.tidy(run).catch(() => undefined);
}

const isCancelled = (run: BackupRunRecord | undefined): boolean =>
  run === undefined || run.status === 'error';

/** A change over is never broken off in its middle. */
async function endWhenCancelled(
  runs: BackupRuns,
  { backupRunId }: BackupRunRecord,
  byHand: AbortController,
): Promise<void> {
  const run = await runs.find(backupRunId).catch(() => null);
  if (run === null || !isCancelled(run)) return;
  if (run?.steps.at(-1)?.name !== changeOverStep) byHand.abort(endedByHand);
}

async function resume(
  run: BackupRunRecord,
  job: Job,
  operation: RunOperation,
  log: LogWriter,
): Promise<void> {
  const during = run.steps.findLast(({ status }) => status === 'running')?.name ?? 'begin';
  await operation.tidy(run);
  if (job.attempts > attemptsLimit)
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      `Berth was restarted ${attemptsLimit} times during this run, last in the step ${during}. Start it ` +
        'again when Berth is stable.',
    );
  log.line(
    `Berth was restarted during the step ${during}; starting over (attempt ${job.attempts} of ` +
      `${attemptsLimit}).`,
  );
}

interface Failing {
  error: unknown;
  signal: AbortSignal;
  log: LogWriter;
  redact(text: string): string;
  operation: RunOperation;
}

async function fail(
  { runs, onFault }: BackupRunnerPorts,
  run: BackupRunRecord,
  { error, signal, log, redact, operation }: Failing,
): Promise<void> {
  if (signal.aborted) {
    log.line(`Interrupted: ${sentenceOf(signal.reason)}`);
    return;
  }
  if (isCancelled(await runs.find(run.backupRunId))) {
    log.line('Ended by hand.');
    await clean(operation, run, log);
    return;
  }
  const isForPeople = error instanceof AppError;
  const fault = isForPeople ? undefined : onFault(error, run.backupRunId);
  const shown = isForPeople
    ? new AppError(error.code, redact(error.message))
    : new AppError(
        'INTERNAL_SERVER_ERROR',
        `Something went wrong inside Berth (${fault ?? ''}); the log of Berth has it under this id.`,
      );
  log.line(`Failed: ${shown.message}`);
  await clean(operation, run, log);
  await log.close();
  await runs.finish(run.backupRunId, { status: 'error', error: shown });
}

async function clean(operation: RunOperation, run: BackupRunRecord, log: LogWriter): Promise<void> {
  await operation
    .tidy(run)
    .catch((left: unknown) => log.line(`Not everything could be cleaned up: ${sentenceOf(left)}`));
}

interface Attempt {
  run: BackupRunRecord;
  attempt: number;
  signal: AbortSignal;
  log: LogWriter;
  hide(secrets: readonly string[]): void;
  redact(text: string): string;
}

function contextOf(
  { runs, clock }: BackupRunnerPorts,
  { run, attempt, signal, log, hide, redact }: Attempt,
): RunContext {
  const { backupRunId } = run;
  // Of a former attempt only what it did stays worth knowing; its steps are taken again.
  const steps: BackupRunRecord['steps'] = [];
  const store = (): Promise<void> => runs.record(backupRunId, { steps });
  async function begin(name: string): Promise<RunStepHandle> {
    if (isCancelled(await runs.find(backupRunId))) throw endedByHand;
    const step: BackupRunRecord['steps'][number] = {
      name,
      status: 'running',
      startedAt: isoTime(clock),
      finishedAt: null,
      detail: null,
    };
    steps.push(step);
    await store();
    const end = async (status: 'done' | 'error' | 'stopped', detail: string | undefined): Promise<void> => {
      Object.assign(step, {
        status,
        finishedAt: isoTime(clock),
        detail: detail === undefined ? null : redact(detail).slice(0, 2000),
      });
      log.line(`${name}: ${status}${detail === undefined ? '' : ` (${detail})`}`);
      await store();
    };
    return {
      done: (detail) => end('done', detail),
      failed: (error) => end('error', sentenceOf(error)),
      stopped: () => end('stopped', undefined),
    };
  }
  return {
    run,
    attempt,
    signal,
    begin,
    hide,
    say: (line) => log.line(line),
    async record(patch) {
      Object.assign(run, patch);
      await runs.record(backupRunId, patch);
    },
    async step<T>(name: string, work: () => Promise<StepResult<T>>): Promise<T> {
      const step = await begin(name);
      try {
        const { value, detail } = await work();
        await step.done(detail);
        return value;
      } catch (error) {
        await step.failed(error);
        throw error;
      }
    },
  };
}
