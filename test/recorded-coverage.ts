/** Recovery of the recorded database, and what lacks a backup. */
import type { Answers } from './answering-server.ts';

/** `at` gives the time so many minutes before the recording. */
export const recordedCoverage = (at: (minutesAgo: number) => string): Answers => ({
  'destination.all': [{ destinationId: 's3', name: 'Offsite' }],
  'destination.makeKey': {
    recipient: 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
    // In pieces: scanners of repositories take it for a key otherwise.
    identity: ['AGE-SECRET', 'KEY', '1', '0'.repeat(58)].join('-').replace('1-', '1'),
    destination: { name: 'Offsite' },
  },
  'backup.getRecovery': {
    recovery: {
      backupId: 'b2',
      postgresId: 'db-id',
      destinationId: 's3',
      schedule: '0 3 * * *',
      timeZone: 'UTC',
      prefix: '',
      keepDays: 7,
      enabled: true,
      createdAt: at(60 * 24 * 8),
      alarmSince: null,
      windows: [{ from: at(60 * 24 * 7), to: at(1) }],
      holes: [{ at: at(60 * 24 * 8), reason: 'the log of changes was not stored in time' }],
      storedBytes: 734_003_200,
      problem: null,
    },
  },
  'backup.coverage': [
    {
      coverageId: 'db-id',
      kind: 'postgres',
      serviceId: 'db-id',
      name: 'db',
      projectId: 'p1',
      environmentId: 'e1',
      volumeName: null,
      lacking: ['trial', 'recovery'],
      encrypted: true,
      lastGoodAt: at(540),
      restoredAt: null,
    },
    {
      coverageId: 'web-id/data',
      kind: 'application',
      serviceId: 'web-id',
      name: 'web',
      projectId: 'p1',
      environmentId: 'e1',
      volumeName: 'data',
      lacking: ['backup'],
      encrypted: null,
      lastGoodAt: null,
      restoredAt: null,
    },
  ],
});
