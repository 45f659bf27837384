/**
 * Schedules as people write them: five fields (minute, hour, day, month, weekday), six with seconds before
 * them, or a nickname (crontab(5)); read and counted on by croner.
 */
import { Cron } from 'croner';
import { badField } from '../errors.ts';

/** The expression itself; throws BAD_REQUEST naming `field` and the part that is wrong. */
export function parseCron(text: string, field: string): string {
  const bare = text.trim();
  const parts = bare.split(/\s+/).length;
  if (!bare.startsWith('@') && parts !== 5 && parts !== 6)
    throw badField(
      field,
      'must be a cron expression of five fields such as "0 3 * * *", or a nickname such as @daily',
    );
  if (nextOf(bare, 'UTC', new Date(0), field) === undefined)
    throw badField(field, 'never occurs: no such day exists');
  return bare;
}

/** The name of a time zone as the IANA list has it (Europe/Berlin); throws BAD_REQUEST naming `field`. */
export function parseTimeZone(text: string, field: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw badField(field, 'must be a time zone of the IANA list, such as UTC or Europe/Berlin');
  }
}

/**
 * When the schedule comes next after this time (both epoch milliseconds): a time of day that the clock leaves
 * out in spring comes when it would have been; one that comes twice in autumn counts once.
 */
export function nextTime(schedule: string, timeZone: string, after: number): number | undefined {
  return nextOf(schedule, timeZone, new Date(after), 'schedule');
}

function nextOf(schedule: string, timezone: string, after: Date, field: string): number | undefined {
  try {
    // By its offset UTC needs no tables of time zones, which take 15 ms to be loaded, and more at a start.
    const zone = timezone === 'UTC' ? { utcOffset: 0 } : { timezone };
    return new Cron(schedule, { ...zone, paused: true }).nextRun(after)?.getTime();
  } catch (error) {
    throw badField(
      field,
      'is not a cron expression: ' +
        `${(error instanceof Error ? error.message : String(error)).replace(/^\w+: /, '').slice(0, 200)}`,
    );
  }
}
