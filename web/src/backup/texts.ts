export const texts = {
  noDestination: 'Add a destination first, under Settings, Destinations: an S3 bucket or a folder.',
  empty: 'A schedule dumps the database, stores it and reads it again to compare.',
  schedule: 'Minute, hour, day, month, weekday: 0 3 * * * is every night at three. Or @daily.',
  restore: 'The backup fills a new volume and is checked; only then does the database run on it.',
  restoreStays: 'The current volume is kept, named in the run, until you remove it.',
};
