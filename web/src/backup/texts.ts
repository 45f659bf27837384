export const texts = {
  noDestination: 'Name a destination first, in Settings, Destinations: an S3 bucket or a folder.',
  empty: 'A schedule dumps the database, stores it and reads it again to compare.',
  schedule: 'Minute, hour, day, month, weekday: 0 3 * * * is each night at three. Or @daily.',
  restore: 'A new volume is filled with the backup and looked into; only then the database runs on it.',
  restoreStays: 'The volume of now stays, named in the run, until you remove it.',
};
