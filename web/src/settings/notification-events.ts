/** Events as people choose them; bad news is what a new channel begins with. */
export const events = [
  ['deploymentFailed', 'A deployment failed', true],
  ['deploymentDone', 'A deployment finished', false],
  ['serviceDown', 'A service is down', true],
  ['serviceUp', 'A service is up again', true],
  ['backupFailed', 'A backup failed', true],
  ['backupDone', 'A backup finished', false],
  ['branchEnding', 'A database branch is about to be removed', false],
  ['branchEnded', 'A database branch was removed', false],
  ['backupSilent', 'No good backup for too long', true],
  ['backupLocked', 'Berth has no key of its encrypted backups', true],
  ['certificateFailed', 'A certificate was refused', true],
  ['certificateExpiring', 'A certificate is about to expire', true],
  ['onDemandLimit', "The limit of customers' host names was reached", true],
  ['serverUnreachable', 'A server cannot be reached', true],
  ['serverBack', 'A server is back', true],
  ['thresholdPassed', 'A server passed a threshold', true],
  ['diskNearlyFull', 'A disk is nearly full', true],
  ['diskWriterStopped', 'A service was stopped for filling a disk', true],
  ['serviceUnknown', 'A service without a record was found', false],
  ['queueStuck', 'Jobs wait too long', true],
  ['scheduleMissed', 'A scheduled command was missed', true],
  ['scheduleFailed', 'A scheduled command failed', true],
  ['installationUpgraded', 'Berth was upgraded', false],
] as const satisfies readonly (readonly [name: string, words: string, isBad: boolean])[];

export const eventsAtFirst = events.flatMap(([name, , isBad]) => (isBad ? [name] : []));
