/** Commands that a service runs by schedule. */
import { z } from 'zod';
import { programGrant } from '../../domain/access/permissions.ts';
import { parseCron, parseTimeZone } from '../../domain/time/cron.ts';
import { logEvent } from '../../procedure/log-event.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query, subscription } from '../../procedure/procedure.ts';
import { ruled } from '../../procedure/input/ruled.ts';
import { argv, id as serviceId, line, name, requireOneService } from '../service/contract-fields.ts';
import { scheduleRecord, scheduleRunRecord } from './record.ts';

const id = z.object({ scheduleId: z.string().min(1).max(100) });
const own = { class: 'protected', resources: [{ kind: 'schedule', field: 'scheduleId' }] } as const;
const runId = z.object({ scheduleRunId: z.string().min(1).max(100) });
const ownRun = { class: 'protected', resources: [{ kind: 'scheduleRun', field: 'scheduleRunId' }] } as const;

const service = { applicationId: serviceId.nullish(), composeId: serviceId.nullish() };
const ofService = {
  class: 'protected',
  resources: [
    { kind: 'application', field: 'applicationId' },
    { kind: 'compose', field: 'composeId' },
  ],
} as const;

const settings = {
  name,
  cron: ruled(z.string().max(200), parseCron).describe(
    'Cron expression of five fields, or a nickname such as @daily; in timeZone',
  ),
  timeZone: ruled(z.string().min(1).max(100), parseTimeZone).describe(
    'By its IANA name, such as Europe/Berlin',
  ),
  command: argv(200),
  limitMinutes: z
    .number()
    .int()
    .min(1)
    .max(1440)
    .describe('Time after which a run is ended and counts as failed'),
  serviceName: line(100)
    .nullish()
    .describe('Required for a compose service: the service of its file whose image runs the command'),
};

export const scheduleContract = {
  create: mutation({
    summary: 'Runs a command of an application or compose service by schedule',
    description:
      'Each run is a task of its own with the image, variables, volumes and limits of the live release. ' +
      'Two runs of a schedule never overlap: a run that is due while the previous one is still running is ' +
      'missed, and so is one that was due while Berth was not running; both are in the list of runs and ' +
      'reported as scheduleMissed. Missed runs are not made up for. While it runs it counts against the ' +
      'quota of the organization; without room it fails with the numbers. A service has at most 50 ' +
      'schedules.',
    access: { ...ofService, action: 'run', grant: programGrant },
    input: z
      .object({
        ...service,
        ...settings,
        timeZone: settings.timeZone.default('UTC'),
        limitMinutes: settings.limitMinutes.default(60),
        enabled: z.boolean().default(true),
      })
      .superRefine(requireOneService),
    example: {
      applicationId: 'V1StGXR8Z5jdHi6BmyT3k',
      name: 'nightly clean-up',
      cron: '0 4 * * *',
      timeZone: 'Europe/Berlin',
      command: ['node', 'clean-up.js'],
    },
    output: scheduleRecord,
    refusals: ['CONFLICT'],
  }),
  one: query({ summary: 'One schedule', access: own, input: id, output: scheduleRecord }),
  all: query({
    summary: 'The schedules of a service, newest first',
    access: ofService,
    input: z.object({ ...service, ...pageInput }).superRefine(requireOneService),
    example: { applicationId: 'V1StGXR8Z5jdHi6BmyT3k' },
    output: listOf(scheduleRecord),
  }),
  update: mutation({
    summary: 'Changes a schedule; absent fields stay. A run in progress is not changed',
    access: { ...own, action: 'run', grant: programGrant },
    input: id.extend(z.object(settings).partial().shape).extend({ enabled: z.boolean().optional() }),
    output: scheduleRecord,
  }),
  remove: mutation({
    summary: 'Removes a schedule with its runs; one in progress is ended',
    access: own,
    input: id,
    output: scheduleRecord,
  }),
  run: mutation({
    summary: 'Runs the command now, after a run in progress; returns the run at once',
    access: { ...own, action: 'run', grant: programGrant },
    input: id,
    output: scheduleRunRecord,
    refusals: ['CONFLICT'],
  }),
  runs: query({
    summary: 'The runs of a schedule, newest first: the last hundred',
    access: own,
    input: id.extend(pageInput),
    output: listOf(scheduleRunRecord),
  }),
  runLogs: subscription({
    summary: 'The output of a run as a live stream that can be resumed',
    access: ownRun,
    input: runId,
    output: logEvent,
  }),
};
