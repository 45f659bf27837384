/** Schedules as people write them: five fields (minute, hour, day, month, weekday), six with seconds before them, or a nickname (crontab(5)). */
import { badField } from './errors.ts';

interface Field {
  name: string;
  min: number;
  max: number;
  /** Names that stand for numbers, the first for `firstName`. */
  names?: readonly string[];
  firstName?: number;
}

const fields: readonly Field[] = [
  { name: 'second', min: 0, max: 59 },
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'], firstName: 1 },
  // Both 0 and 7 are Sunday.
  { name: 'day of the week', min: 0, max: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'], firstName: 0 },
];

const nicknames: readonly string[] = ['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually'];

/** The expression itself; throws BAD_REQUEST naming `field` and the part that is wrong. */
export function parseCron(text: string, field: string): string {
  const bare = text.trim();
  if (nicknames.includes(bare.toLowerCase())) return bare;
  const parts = bare.split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6) throw badField(field, 'must be a cron expression of five fields such as "0 3 * * *", or a nickname such as @daily');
  for (const [index, rule] of fields.slice(fields.length - parts.length).entries()) {
    const part = parts[index] ?? '';
    if (!part.split(',').every((item) => isItem(item, rule))) {
      throw badField(field, `is no cron expression: its ${rule.name} ${JSON.stringify(part.slice(0, 40))} must be *, numbers from ${rule.min} to ${rule.max}, ranges such as 1-5, or steps such as */10`);
    }
  }
  return bare;
}

/** `*`, `5`, `1-5`, each perhaps with `/step`. */
function isItem(item: string, rule: Field): boolean {
  const [range = '', step, ...rest] = item.split('/');
  if (rest.length > 0) return false;
  if (step !== undefined && !(/^[0-9]{1,4}$/.test(step) && Number(step) >= 1)) return false;
  if (range === '*') return true;
  const [from, to, ...others] = range.split('-').map((value) => numberOf(value, rule));
  if (others.length > 0 || from === undefined) return false;
  return !range.includes('-') || (to !== undefined && from <= to);
}

function numberOf(text: string, { min, max, names, firstName = 0 }: Field): number | undefined {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return firstName + named;
  const number = /^[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}
