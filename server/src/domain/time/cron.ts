/**
 * Schedules as people write them: five fields (minute, hour, day, month, weekday) or a nickname (crontab(5));
 * read and counted on by croner. Six fields, with seconds first, are counted on where they were stored.
 */
import { Cron } from 'croner';
import { badField } from '../errors.ts';

/** The expression itself; throws BAD_REQUEST naming `field` and the part that is wrong. */
export function parseCron(text: string, field: string): string {
  const bare = text.trim();
  const parts = bare.split(/\s+/).length;
  if (!bare.startsWith('@') && parts !== 5)
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
  const next = nextOf(schedule, timeZone, new Date(after), 'schedule');
  return next === undefined || timeZone === 'UTC' ? next : whenLeftOut(schedule, timeZone, next);
}

/**
 * croner moves a time that the clock leaves out to the moment of the change. It is due as long after that
 * moment as it would have come after the beginning of what is left out.
 */
function whenLeftOut(schedule: string, timeZone: string, next: number): number {
  const [before, after] = [offsetAt(timeZone, next - 1), offsetAt(timeZone, next)];
  if (after <= before) return next;
  // The wall clock's times, as if they were of UTC.
  const [begin, end] = [next + before, next + after];
  const wall = nextOf(schedule, 'UTC', new Date(begin - 1), 'schedule');
  return wall !== undefined && wall < end ? wall - before : next;
}

function offsetAt(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const words = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d{2}):(\d{2})/.exec(words) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
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
