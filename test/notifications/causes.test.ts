/**
 * Which test causes each event of notifications, by what really happens: to a program on an engine, in a
 * database, on a machine. Nobody there puts a fact into Berth.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FactEvent } from '../../server/src/domain/states/fact.ts';

interface Cause {
  /** From the root of the repository. */
  file: string;
  /** As the test is called. */
  test: string;
  /** What happens there. */
  by: string;
}

const day = (by: string): Cause => ({
  file: 'test/day/day.test.ts',
  test: 'a busy day grows nothing beyond its limits, and tells what happens once and in order',
  by,
});
const runs = (test: string, by: string): Cause => ({
  file: 'server/src/modules/backup/runs/runs.store.test.ts',
  test,
  by,
});
const issuance: Cause = {
  file: 'server/src/modules/issuance/issuance.store.test.ts',
  test: 'keeps what serves while its renewal is refused, and warns when the end nears',
  by: 'an authority refuses a host, and the end of its certificate comes near',
};

const causes: Readonly<Record<FactEvent, Cause>> = {
  deploymentFailed: day('an image is deployed that no registry has'),
  deploymentDone: day('an application is deployed again each seven minutes'),
  serviceDown: day('its program is ended as soon as it runs, time and again'),
  serviceUp: day('the program is left alone'),
  backupFailed: runs(
    'that fail in the middle of the dump leave nothing, say why, and keep the last good one',
    'the dump of a database ends in the middle',
  ),
  backupDone: runs(
    'store what the dump gives, whole and verified, and tell each step',
    'a database is dumped and stored',
  ),
  backupSilent: {
    file: 'server/src/modules/backup/volumes/volume-backup.store.test.ts',
    test: 'that are missing too long are an alarm with the name of the volume',
    by: 'a backup has no good run for longer than it may',
  },
  backupLocked: {
    file: 'server/src/modules/alarm/records.store.test.ts',
    test: 'begin when backups are encrypted for keys that Berth has not, and end with one of them',
    by: 'backups are encrypted for keys of which Berth has none',
  },
  certificateFailed: issuance,
  certificateExpiring: issuance,
  onDemandLimit: {
    file: 'server/src/modules/on-demand/admission.store.test.ts',
    test: 'are as many within an hour as an organization may have, and it is told',
    by: 'a service has allowed a hundred host names of customers within an hour',
  },
  branchEnding: {
    file: 'server/src/modules/backup/branch/branches.store.test.ts',
    test: 'is announced, removed with its data, and told when its time is over',
    by: 'the time of a branch is over within the hour',
  },
  branchEnded: {
    file: 'server/src/modules/backup/branch/branches.store.test.ts',
    test: 'is announced, removed with its data, and told when its time is over',
    by: 'the time of a branch is over',
  },
  serverUnreachable: day('the engine of a server does not answer for ten minutes'),
  serverBack: day('it answers again'),
  thresholdPassed: {
    file: 'server/src/modules/server/monitoring/thresholds.test.ts',
    test: 'is told to the callback and as an event, once',
    by: 'the agent measures a machine that uses more memory than its threshold',
  },
  diskNearlyFull: day('little is left of the disk for five minutes'),
  diskWriterStopped: {
    file: 'server/src/modules/alarm/records.store.test.ts',
    test: 'of a service that filled the disk lasts until somebody starts it',
    by: 'a service was stopped since it filled the disk of its machine',
  },
  serviceUnknown: {
    file: 'server/src/modules/alarm/alarm.store.test.ts',
    test: 'of a service that no record names lasts until it is removed',
    by: 'the reconciler keeps a service that no record names',
  },
  queueStuck: {
    file: 'server/src/modules/alarm/alarm.store.test.ts',
    test: 'of a server, the disk and jobs that wait belong to Owner and Admin',
    by: 'a job has waited for 31 minutes',
  },
  scheduleMissed: day('Berth does not run for half an hour'),
  scheduleFailed: day('a command ends with an exit code that is not 0'),
  installationUpgraded: day('Berth is started as another version'),
};

it.each(Object.entries(causes))('%s is caused by a test that says so', (event, { file, test }) => {
  const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8').replaceAll(/\s+/g, ' ');
  expect(text).toContain(`'${test}'`);
  expect(text).toContain(event);
});
