import type { Answer } from '../live/api.ts';

export const texts = {
  about: 'They begin and end by themselves, from what runs and what the records say.',
  empty:
    'Services that go down, servers that do not answer, full disks, certificates that end and backups ' +
    'that fail stand here.',
};

export const kindWords: Record<Answer<'alarm.all'>[number]['kind'], string> = {
  serviceDown: 'Service down',
  serverUnreachable: 'Server unreachable',
  diskNearlyFull: 'Disk nearly full',
  certificateFailed: 'Certificate refused',
  certificateExpiring: 'Certificate ends',
  uploadedCertificateExpiring: 'Certificate ends',
  backupSilent: 'No good backup',
  queueStuck: 'Jobs wait too long',
};
