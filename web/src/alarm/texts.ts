import type { Answer } from '../live/api.ts';

export const texts = {
  about: 'Alarms begin and end by themselves, as what they watch fails and recovers.',
  empty:
    'Services that go down, servers that do not answer, full disks, certificates that expire and backups ' +
    'that fail are listed here.',
};

export const kindWords: Record<Answer<'alarm.all'>[number]['kind'], string> = {
  serviceDown: 'Service down',
  serverUnreachable: 'Server unreachable',
  serviceUnknown: 'Service without a record',
  networkLeft: 'Network left over',
  networkShadowing: 'Network hides addresses',
  deletionUnfinished: 'Deletion goes on',
  diskNearlyFull: 'Disk nearly full',
  diskWriterStopped: 'Stopped: filled the disk',
  certificateFailed: 'Certificate refused',
  certificateExpiring: 'Certificate expiring',
  uploadedCertificateExpiring: 'Certificate expiring',
  backupSilent: 'No good backup',
  backupLocked: 'Backups without a key',
  queueStuck: 'Jobs wait too long',
};
