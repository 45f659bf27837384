import type { Answer } from '../live/api.ts';

export const texts = {
  about: 'Alarms start and end on their own, by what runs and what the records say.',
  empty:
    'Services that go down, servers that do not answer, full disks, expiring certificates and failed ' +
    'backups appear here.',
};

export const kindWords: Record<Answer<'alarm.all'>[number]['kind'], string> = {
  serviceDown: 'Service down',
  serverUnreachable: 'Server unreachable',
  diskNearlyFull: 'Disk nearly full',
  certificateFailed: 'Certificate refused',
  certificateExpiring: 'Certificate expires',
  uploadedCertificateExpiring: 'Certificate expires',
  backupSilent: 'No recent backup',
  queueStuck: 'Jobs waiting too long',
};
