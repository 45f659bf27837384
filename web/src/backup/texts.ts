export const texts = {
  makeKey:
    'Later backups are encrypted for it before they leave this machine. The private key is shown once, as ' +
    'a sheet to print; Berth keeps it as well, encrypted, to restore and to try backups by itself.',
  keepKey:
    'Print this and keep it away from the server. Whoever has it reads the backups; when the server is ' +
    'lost, nobody reads them without it. It is not shown again.',
  openByHand: 'Without Berth: put the private key into a file key.txt, install age, and',
  askKey: 'Private key (AGE-SECRET-KEY-1…), if the backup is encrypted and its destination has no key',
  noDestination: 'Backups go to a destination: a bucket, or a folder of another server or this machine.',
  nothingToCover: 'There is no database and no volume yet.',
  empty: 'A schedule dumps the database, stores it and reads it again to compare.',
  schedule: 'Minute, hour, day, month, weekday: 0 3 * * * is every night at three. Or @daily.',
  trial: 'When the newest backup is restored into a separate database, as a test. Empty: never',
  emptyVolume: 'A schedule packs the files of a volume, stores them and reads them again to compare.',
  during:
    'A file that is written meanwhile may be half old and half new: pause or stop services that cannot ' +
    'tolerate that.',
  restoreVolume:
    'The backup is restored into a new volume; only when that is complete is the running version ' +
    'released again with it.',
  restoreVolumeStays: 'The current volume is kept, named in the run, until you remove it.',
  formerVolume: 'The state before the restore is gone for good.',
  restore: 'The backup fills a new volume and is checked; only then does the database run on it.',
  putBack:
    'The service is used with it again, and the present state is kept in its place, so that this can be ' +
    'undone as well. The run shows when it is done.',
  keptVolumes: 'A service that was deleted without its volumes has left them on the server.',
  noKeptVolumes: 'No deleted service has left a volume on this server.',
  removeKeptVolume: 'Its data is gone for good.',
  useKeptVolume: (volumeName: string) =>
    `It becomes the volume ${volumeName} of the service, which is released again. The present volume is ` +
    'kept among the former ones, so that this can be undone.',
  leaveOut: 'Go on without what cannot be restored, and list it in the run',
  restoreGoesOn: 'It goes on when you close this.',
  restoreEnds: (isGood: boolean, name: string) =>
    isGood
      ? `${name} runs on what was restored. The state before is kept where the run names it.`
      : `Not restored: ${name} runs on as it did. The lines above say why.`,
  recovery:
    'All files are backed up by schedule and every change is stored within a minute, so that any moment ' +
    'can be restored. The database is restarted once when this is switched on.',
  restoreToMoment:
    'All databases of this server go back to that moment, in a new volume; only when it is complete ' +
    'does the database run on it. The current volume is kept, named in the run, until you remove it.',
  momentForm: 'ISO 8601 with its time zone, Z for UTC, such as 2026-11-20T14:03:07Z.',
  timeLine: (hasMoments: boolean): string =>
    hasMoments
      ? 'Choose a moment on the bar, or a backup (a dot), to restore it.'
      : 'Choose a backup to restore it.',
  nothingInRange: (range: string): string => `Nothing can be restored of the last ${range}.`,
  branches:
    'A branch is a new database with the data of a backup or a moment of this one, with passwords of its ' +
    'own. A masking command changes the data before anybody reaches it.',
  restoreStays: 'The current volume is kept, named in the run, until you remove it.',
};
