/** Schedules as records: made, changed, due; and their runs: accepted, missed, ended. */
import { AppError, badField } from '../../domain/errors.ts';
import { nextTime } from '../../domain/time/cron.ts';
import type { TellFact } from '../../domain/states/fact.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { Queue } from '../../ports/queue.ts';
import { createSequence } from '../../ports/sequence.ts';
import { prune } from './prune.ts';
import type { ScheduleRecord, ScheduleRunRecord, ScheduleStore } from './store.ts';

export type PublicSchedule = Omit<ScheduleRecord, 'organizationId' | 'nextRunAt'> & {
  nextRunAt: string | null;
};

export interface ScheduleInput {
  name?: string | undefined;
  cron?: string | undefined;
  timeZone?: string | undefined;
  command?: string[] | undefined;
  limitMinutes?: number | undefined;
  serviceName?: string | null | undefined;
  enabled?: boolean | undefined;
}

interface Owner {
  applicationId?: string | null | undefined;
  composeId?: string | null | undefined;
}

export interface Schedules {
  create(
    organizationId: string,
    input: Owner & Required<Omit<ScheduleInput, 'serviceName'>> & Pick<ScheduleInput, 'serviceName'>,
  ): Promise<PublicSchedule>;
  one(scheduleId: string, organizationId: string): Promise<PublicSchedule>;
  /** Newest first. */
  all(owner: Owner, organizationId: string): Promise<PublicSchedule[]>;
  update(scheduleId: string, organizationId: string, input: ScheduleInput): Promise<PublicSchedule>;
  /** With its runs and their logs. */
  remove(scheduleId: string, organizationId: string): Promise<PublicSchedule>;
  /**
   * Of a service that is about to be removed: ends the runs that go on, which is no failure of theirs. Call
   * what it gives once its records are gone: it ends what was accepted meanwhile and takes the logs away.
   */
  leaving(owner: Owner): Promise<() => Promise<void>>;
  /** Accepts a run by hand; CONFLICT while one waits already. Wake the queue after it. */
  run(scheduleId: string, organizationId: string): Promise<ScheduleRunRecord>;
  /** Newest first. */
  runs(scheduleId: string, organizationId: string): Promise<ScheduleRunRecord[]>;
  runOf(scheduleRunId: string, organizationId: string): Promise<ScheduleRunRecord>;
  /** Accepts what is due, and notes what was missed. */
  tick(): Promise<void>;
}

export interface SchedulePorts {
  store: ScheduleStore;
  queue: Queue;
  logs: Pick<DeploymentLogs, 'remove'>;
  clock: Clock;
  tell: TellFact;
  /** The server that a service stands on. */
  serverKeyOf(schedule: Owner): Promise<string>;
  /** What nobody expected of one schedule's turn. */
  onFault(error: unknown, scheduleId: string): void;
}

/** Of one service. */
export const mostSchedules = 50;

/** A time that is seen so much later came while Berth did not run. */
const lateMs = 60_000;
export const scheduleJob = 'schedule';
const jobKey = (scheduleId: string): string => `schedule:${scheduleId}`;
const newestFirst = { by: ['sequence' as const], direction: 'desc' as const };

export function createSchedules(ports: SchedulePorts): Schedules {
  const { store, clock } = ports;
  const nextSequence = createSequence(clock);
  const found: Find = async (scheduleId, organizationId) => {
    const record = await store.find({ scheduleId, organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such schedule. It may have been removed.');
    return record;
  };
  return {
    async create(organizationId, { applicationId, composeId, serviceName, ...input }) {
      const record: ScheduleRecord = checked({
        scheduleId: randomId(),
        organizationId,
        applicationId: applicationId ?? null,
        composeId: composeId ?? null,
        serviceName: serviceName ?? null,
        ...input,
        nextRunAt: null,
        createdAt: isoTime(clock),
      });
      await requireRoom(store, record);
      const planned = { ...record, nextRunAt: nextOf(record, clock) };
      await store.insert(planned);
      return shown(planned);
    },
    one: async (scheduleId, organizationId) => shown(await found(scheduleId, organizationId)),
    async all({ applicationId, composeId }, organizationId) {
      const owner = applicationId ? { applicationId } : { composeId: composeId ?? '' };
      const order = { by: ['createdAt' as const, 'scheduleId' as const], direction: 'desc' as const };
      return (await store.list({ ...owner, organizationId }, order)).map(shown);
    },
    async update(scheduleId, organizationId, input) {
      const present = await found(scheduleId, organizationId);
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
      const next = checked({ ...present, ...given });
      const planned = { ...next, nextRunAt: nextOf(next, clock) };
      await store.update({ scheduleId, organizationId }, planned);
      return shown(planned);
    },
    ...createRunsOf(ports, found, nextSequence),
    async remove(scheduleId, organizationId) {
      const record = await found(scheduleId, organizationId);
      await removeRuns(ports, scheduleId);
      await store.remove({ scheduleId, organizationId });
      return shown(record);
    },
    leaving: (owner) => leaving(ports, owner),
    async tick() {
      for (const schedule of await store.due(clock.now()))
        try {
          await store.transaction(() => takeTurn(ports, schedule, nextSequence()));
        } catch (error) {
          // The next turn tries it again; the others have theirs now.
          ports.onFault(error, schedule.scheduleId);
        }
      ports.queue.wake();
    },
  };
}

async function requireRoom(
  store: ScheduleStore,
  { applicationId, composeId }: ScheduleRecord,
): Promise<void> {
  const present = await store.list(applicationId === null ? { composeId } : { applicationId });
  if (present.length < mostSchedules) return;
  throw new AppError(
    'CONFLICT',
    `This service has ${present.length} schedules, and ${mostSchedules} is the maximum. Remove one, or let ` +
      'one command do the work of several.',
  );
}

type Find = (scheduleId: string, organizationId: string) => Promise<ScheduleRecord>;

function createRunsOf(
  ports: SchedulePorts,
  found: Find,
  nextSequence: () => number,
): Pick<Schedules, 'run' | 'runs' | 'runOf'> {
  const { store, clock } = ports;
  return {
    async run(scheduleId, organizationId) {
      const schedule = await found(scheduleId, organizationId);
      if ((await store.unfinished(scheduleId)).some(({ status }) => status === 'queued'))
        throw new AppError(
          'CONFLICT',
          `A run of ${schedule.name} is already waiting; wait until it has begun.`,
        );
      return accept(ports, schedule, { startedBy: 'person', dueAt: clock.now(), sequence: nextSequence() });
    },
    async runs(scheduleId, organizationId) {
      await found(scheduleId, organizationId);
      return store.runs.list({ scheduleId, organizationId }, newestFirst);
    },
    async runOf(scheduleRunId, organizationId) {
      const run = await store.runs.find({ scheduleRunId, organizationId });
      if (!run) throw new AppError('NOT_FOUND', 'There is no such run. The last hundred are kept.');
      return run;
    },
  };
}

/** What goes on is ended by the lost lease of its job. */
async function endJobs({ queue }: SchedulePorts, scheduleId: string): Promise<void> {
  await queue.cancelQueued(jobKey(scheduleId));
  await queue.cancelRunning(jobKey(scheduleId));
}

async function leaving(
  ports: SchedulePorts,
  { applicationId, composeId }: Owner,
): Promise<() => Promise<void>> {
  const { store, logs } = ports;
  const all = await store.list(applicationId ? { applicationId } : { composeId: composeId ?? '' });
  for (const { scheduleId } of all) await endRuns(ports, scheduleId);
  const runs = await Promise.all(all.map(({ scheduleId }) => store.runs.list({ scheduleId })));
  return async () => {
    for (const { scheduleId } of all) await endJobs(ports, scheduleId);
    for (const { scheduleRunId } of runs.flat()) await logs.remove(scheduleRunId);
  };
}

async function endRuns(ports: SchedulePorts, scheduleId: string): Promise<void> {
  const { store, clock } = ports;
  await endJobs(ports, scheduleId);
  const end = {
    status: 'error' as const,
    errorMessage: 'It was ended, since its service was removed.',
    finishedAt: isoTime(clock),
  };
  for (const { scheduleRunId } of await store.unfinished(scheduleId))
    await store.runs.update({ scheduleRunId, finishedAt: null }, end);
}

async function removeRuns(ports: SchedulePorts, scheduleId: string): Promise<void> {
  const { store, logs } = ports;
  await endJobs(ports, scheduleId);
  for (const { scheduleRunId } of await store.runs.list({ scheduleId })) await logs.remove(scheduleRunId);
  await store.runs.remove({ scheduleId });
}

/** Of several control planes at once only one gets the turn: the time must still be the one that was seen. */
async function takeTurn(ports: SchedulePorts, schedule: ScheduleRecord, sequence: number): Promise<void> {
  const { store, clock } = ports;
  const { scheduleId, nextRunAt } = schedule;
  if (nextRunAt === null) return;
  const changed = await store.update(
    { scheduleId, nextRunAt, enabled: true },
    { nextRunAt: nextOf(schedule, clock) },
  );
  if (changed !== 1) return;
  const at = { dueAt: nextRunAt, sequence };
  if (clock.now() - nextRunAt > lateMs)
    return miss(ports, schedule, at, 'Berth was not running at that time, so the command was not started.');
  if ((await store.unfinished(scheduleId)).length > 0)
    return miss(
      ports,
      schedule,
      at,
      'The previous run is still in progress, so the command was not started again.',
    );
  await accept(ports, schedule, { ...at, startedBy: 'schedule' });
}

interface RunStart {
  startedBy: 'schedule' | 'person';
  /** Epoch milliseconds. */
  dueAt: number;
  sequence: number;
}

async function accept(
  ports: SchedulePorts,
  schedule: ScheduleRecord,
  start: RunStart,
): Promise<ScheduleRunRecord> {
  const run = newRun(schedule, start, ports.clock);
  await ports.store.runs.insert(run);
  await ports.queue.enqueue({
    kind: scheduleJob,
    payload: { scheduleRunId: run.scheduleRunId },
    serviceKey: jobKey(schedule.scheduleId),
    // A share of its own on each server: runs of a day hold up nobody else's.
    serverKey: `schedules:${await ports.serverKeyOf(schedule)}:${schedule.organizationId}`,
  });
  return run;
}

async function miss(
  { store, logs, clock, tell }: SchedulePorts,
  schedule: ScheduleRecord,
  at: Omit<RunStart, 'startedBy'>,
  why: string,
): Promise<void> {
  const { scheduleId, organizationId, name } = schedule;
  await store.runs.insert({
    ...newRun(schedule, { ...at, startedBy: 'schedule' }, clock),
    status: 'missed',
    errorMessage: why,
    finishedAt: isoTime(clock),
  });
  await prune({ store, logs }, scheduleId);
  await tell({
    event: 'scheduleMissed',
    organizationId,
    subject: { type: 'schedule', id: scheduleId, name },
    sentence: `${name} was due at ${new Date(at.dueAt).toISOString()} and was missed. ${why}`,
  });
}

function newRun(
  { scheduleId, organizationId }: ScheduleRecord,
  { startedBy, dueAt, sequence }: RunStart,
  clock: Clock,
): ScheduleRunRecord {
  return {
    scheduleRunId: randomId(),
    scheduleId,
    organizationId,
    startedBy,
    status: 'queued',
    exitCode: null,
    errorMessage: null,
    dueAt: new Date(dueAt).toISOString(),
    createdAt: isoTime(clock),
    startedAt: null,
    finishedAt: null,
    sequence,
    nanoCpus: null,
    memoryBytes: null,
  };
}

function nextOf({ enabled, cron, timeZone }: ScheduleRecord, clock: Clock): number | null {
  return enabled ? (nextTime(cron, timeZone, clock.now()) ?? null) : null;
}

function checked(schedule: ScheduleRecord): ScheduleRecord {
  if (schedule.composeId !== null && !schedule.serviceName)
    throw badField('serviceName', 'is required with a compose service: a service of its file');
  if (schedule.composeId === null && schedule.serviceName)
    throw badField('serviceName', 'must be absent: an application is one service');
  return schedule;
}

function shown({ organizationId: _own, nextRunAt, ...schedule }: ScheduleRecord): PublicSchedule {
  return { ...schedule, nextRunAt: nextRunAt === null ? null : new Date(nextRunAt).toISOString() };
}
