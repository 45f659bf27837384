/** Labels and defaults of the fields of scheduled backups. */
import { zoneHere } from '../form/cron-field.tsx';
import type { FieldChange } from '../form/form-field.tsx';
import { texts } from './texts.ts';

export const nightly = '0 3 * * *';

export const scheduleWords: Readonly<Record<string, FieldChange>> = {
  schedule: { label: 'When', as: 'cron', help: texts.schedule, start: () => nightly },
  timeZone: { label: 'Time zone', as: 'zone', start: zoneHere, help: 'Of the times above' },
  keepLatestCount: {
    label: 'Keep the newest',
    unit: 'backups',
    start: () => '14',
    help: 'Older ones are removed once a newer one has been verified. Empty: keeps all',
  },
  prefix: { label: 'Folder at the destination', help: 'Absent: the name of the service', isFolded: true },
  alarmAfterHours: {
    label: 'Alert when there is no good backup for',
    unit: 'hours',
    start: () => '48',
    help: 'Empty: never',
    isFolded: true,
  },
  enabled: { label: 'Enabled', start: () => true, isFolded: true },
};
