export const texts = {
  noDestination: 'Add a destination first, in Settings, Destinations: an S3 bucket or a folder.',
  empty: 'A schedule dumps the database, stores the dump and reads it back to verify it.',
  schedule: 'Minute, hour, day, month, weekday: 0 3 * * * is every night at three. Or @daily.',
  restore: 'The backup is loaded into a new volume and checked; only then does the database switch to it.',
  restoreStays: 'The current volume is kept, named in the run, until you remove it.',
};
