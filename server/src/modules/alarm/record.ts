/** Alarms: what is wrong now, and what was. */
import { z } from 'zod';
import type { FactEvent } from '../../domain/states/fact.ts';

/** What notifications are told at the begin and at the end; null: whoever found it tells it itself. */
export const alarmKinds = {
  serviceDown: { begin: 'serviceDown', end: 'serviceUp' },
  serverUnreachable: { begin: 'serverUnreachable', end: 'serverBack' },
  serviceUnknown: { begin: 'serviceUnknown', end: null },
  networkLeft: { begin: null, end: null },
  networkShadowing: { begin: null, end: null },
  deletionUnfinished: { begin: null, end: null },
  diskNearlyFull: { begin: 'diskNearlyFull', end: null },
  diskWriterStopped: { begin: 'diskWriterStopped', end: null },
  certificateFailed: { begin: null, end: null },
  certificateExpiring: { begin: null, end: null },
  uploadedCertificateExpiring: { begin: 'certificateExpiring', end: null },
  backupSilent: { begin: null, end: null },
  backupLocked: { begin: 'backupLocked', end: null },
  queueStuck: { begin: 'queueStuck', end: null },
} as const satisfies Record<string, { begin: FactEvent | null; end: FactEvent | null }>;

export type AlarmKind = keyof typeof alarmKinds;
export const alarmKindNames = Object.keys(alarmKinds).filter((name): name is AlarmKind => name in alarmKinds);

export const alarmRecord = z
  .object({
    alarmId: z.string(),
    kind: z.enum(alarmKindNames),
    subject: z.object({ type: z.string(), id: z.string(), name: z.string() }),
    sentence: z.string(),
    serviceId: z.string().nullable(),
    environmentId: z.string().nullable(),
    projectId: z.string().nullable(),
    begunAt: z.string(),
    endedAt: z.string().nullable().describe('null while it is active'),
    acknowledgedAt: z.string().nullable(),
    acknowledgedBy: z.string().nullable().describe('userId'),
    times: z
      .number()
      .int()
      .describe('How often it began: one that begins again within ten minutes of its end is the same alarm'),
  })
  .meta({ id: 'Alarm' });
