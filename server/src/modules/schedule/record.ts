/** Schedules of a service, and each run of one. */
import { z } from 'zod';

export const scheduleRecord = z
  .object({
    scheduleId: z.string(),
    applicationId: z.string().nullable(),
    composeId: z.string().nullable(),
    serviceName: z.string().nullable(),
    name: z.string(),
    cron: z.string(),
    timeZone: z.string(),
    command: z.array(z.string()),
    limitMinutes: z.number().int(),
    enabled: z.boolean(),
    nextRunAt: z.string().nullable().describe('null: switched off'),
    createdAt: z.string(),
  })
  .meta({ id: 'Schedule' });

export const runStates = ['queued', 'running', 'done', 'error', 'missed'] as const;

export const scheduleRunRecord = z
  .object({
    scheduleRunId: z.string(),
    scheduleId: z.string(),
    startedBy: z.enum(['schedule', 'person']),
    status: z.enum(runStates).describe('missed: it was due and did not run; errorMessage says why'),
    exitCode: z.number().int().nullable(),
    errorMessage: z.string().nullable(),
    dueAt: z.string(),
    startedAt: z.string().nullable(),
    finishedAt: z.string().nullable(),
  })
  .meta({ id: 'ScheduleRun' });
