/** What stands below a field for a schedule: common times to press, and what the expression means. */
import type { ReactElement } from 'react';
import { cronWords } from '../schedule/cron-words.ts';

const common = [
  ['Every hour', '0 * * * *'],
  ['Every night', '0 3 * * *'],
  ['Every Sunday', '0 4 * * 0'],
  ['Every month', '0 4 1 * *'],
] as const;

export function CommonTimes({
  value,
  zone,
  onEdit,
}: {
  value: string;
  zone: string | undefined;
  onEdit: (value: string) => void;
}): ReactElement {
  const words = cronWords(value);
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-1.5">
      {common.map(([label, expression]) => (
        <button
          key={expression}
          type="button"
          className="chip"
          aria-pressed={value.trim() === expression}
          onClick={() => onEdit(expression)}
        >
          {label}
        </button>
      ))}
      {value !== '' && words !== value && (
        <span className="text-12 text-muted" role="status">
          {words} {zone === undefined || zone === '' ? '' : `(${zone})`}
        </span>
      )}
    </div>
  );
}

/** The zone of the browser, as a start for new schedules. */
export const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

export const zonesId = 'time-zones';

/** For fields that name a time zone; stands outside of them. */
export const Zones = (): ReactElement => (
  <datalist id={zonesId}>
    {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
      <option key={zone} value={zone} />
    ))}
  </datalist>
);
