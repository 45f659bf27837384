import type { TableRecord } from '../../server/src/db/tables.ts';

/** A destination with only what each has; a test gives its ids. */
export const plainDestination: Omit<
  TableRecord<'destination'>,
  'destinationId' | 'organizationId' | 'name'
> = {
  provider: 'local',
  accessKey: '',
  secretAccessKey: '',
  bucket: '',
  region: '',
  endpoint: '',
  hostKey: '',
  path: '/srv',
  recipients: [],
  identities: null,
  createdAt: '',
};

/** A backup of a database each night, which has not run. */
export const plainBackup = {
  sourceType: 'database',
  database: 'shop',
  schedule: '@daily',
  timeZone: 'UTC',
  prefix: '',
  enabled: true,
  keepLatestCount: null,
  nextRunAt: null,
  verifySchedule: null,
  nextVerifyAt: null,
  alarmAfterHours: null,
  alarmSince: null,
  lastGoodAt: null,
  sealedKey: null,
  applicationId: null,
  composeId: null,
  volumeName: null,
  serviceDuring: null,
  keepDays: null,
  createdAt: '',
} as const;
