/** What of a log is shown: search, level, task or service, time; and what is done with all of it. */
import type { ReactElement, ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { isoTime, isRange, localTime, ranges, type FilterState } from './filter.ts';

interface BarProps extends FilterState {
  label: string;
  tasks: ReadonlyMap<string, string>;
  services: readonly string[];
  /** Whether lines have times, so that a range of it can be wanted. */
  hasTimes: boolean;
  /** What is wrong with the expression that is searched for. */
  fault: string | undefined;
  /** Whether a program wrote to its error output. */
  hasErrorOutput: boolean;
  /** Of how many how many are shown; undefined while all are. */
  count: { found: number; all: number } | undefined;
  /** Beside the filters: which log it is. */
  choice: ReactNode;
  /** At the end: what is done with all of it. */
  children: ReactNode;
}

export function LogBar({
  label,
  filter,
  change,
  tasks,
  services,
  hasTimes,
  count,
  choice,
  fault,
  hasErrorOutput,
  children,
}: BarProps): ReactElement {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
      <input
        className="input !h-[28px] min-w-32 flex-1 sm:max-w-[280px]"
        type="search"
        placeholder="Search, or /expression/"
        aria-label={`Search in ${label}`}
        aria-invalid={fault !== undefined || undefined}
        value={filter.q}
        onChange={(event) => change({ q: event.target.value })}
      />
      {fault !== undefined && (
        <p className="text-12 text-down" role="alert">
          {fault} Every line is shown.
        </p>
      )}
      {/* On a phone they are one line, which is drawn to the side. */}
      <div className="flex gap-2 max-sm:order-last max-sm:basis-full max-sm:overflow-x-auto sm:flex-wrap">
        {choice}
        <Choice
          label="Level"
          value={filter.level}
          options={[
            ['', 'All lines'],
            ['warn', 'Warnings and errors'],
            ['error', 'Errors'],
            ...(hasErrorOutput || filter.level === 'stderr'
              ? [['stderr', 'Error output (stderr)'] as const]
              : []),
          ]}
          onChange={(level) => change({ level })}
        />
        {(services.length > 1 || filter.service !== '') && (
          <Choice
            label="Service"
            value={filter.service}
            options={[['', 'All services'], ...services.map((name): [string, string] => [name, name])]}
            onChange={(service) => change({ service })}
          />
        )}
        {(tasks.size > 1 || filter.task !== '') && (
          <Choice
            label="Task"
            value={filter.task}
            options={[['', 'All tasks'], ...tasks]}
            onChange={(task) => change({ task })}
          />
        )}
        {(hasTimes || filter.range !== '') && (
          <Choice
            label="Time"
            value={filter.range}
            options={Object.entries(ranges)}
            onChange={(range) => change({ range: isRange(range) ? range : '' })}
          />
        )}
      </div>
      {filter.range === 'between' && (
        <span className="flex flex-wrap items-center gap-1 text-12 text-faint">
          {(['from', 'to'] as const).map((end) => (
            <input
              key={end}
              type="datetime-local"
              step="1"
              className="input !h-[28px] !w-auto"
              aria-label={end === 'from' ? 'From' : 'To'}
              value={localTime(filter[end])}
              onChange={(event) => change({ [end]: isoTime(event.target.value) })}
            />
          ))}
        </span>
      )}
      {count && (
        <span className="text-12 text-faint tabular-nums" role="status">
          {count.found.toLocaleString('en')} of {count.all.toLocaleString('en')}
        </span>
      )}
      <span className="ml-auto flex items-center gap-1">{children}</span>
    </div>
  );
}

export function LogButtons({
  stages,
  onFold,
  isFolded,
  hasTimes,
  showsTimes,
  onTimes,
  isWrapped,
  onWrap,
  onDownload,
  label,
}: {
  stages: ReadonlySet<string>;
  isFolded: boolean;
  onFold: () => void;
  hasTimes: boolean;
  showsTimes: boolean;
  onTimes: () => void;
  isWrapped: boolean;
  onWrap: () => void;
  onDownload: () => void;
  label: string;
}): ReactElement {
  return (
    <>
      {stages.size > 1 && (
        <Button small look="quiet" aria-pressed={isFolded} onClick={onFold}>
          {isFolded ? 'Unfold stages' : 'Fold stages'}
        </Button>
      )}
      {hasTimes && (
        <Button small look="quiet" aria-pressed={showsTimes} onClick={onTimes}>
          Times
        </Button>
      )}
      <Button small look="quiet" aria-pressed={isWrapped} onClick={onWrap}>
        Wrap
      </Button>
      <Button small look="quiet" icon="download" onClick={onDownload} aria-label={`Download ${label}`} />
    </>
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, word: string])[];
  onChange: (value: string) => void;
}): ReactElement {
  return (
    <select
      className="input !h-[28px] !w-auto max-w-full shrink-0"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {/* One of a link that no line has shown yet. */}
      {options.every(([one]) => one !== value) && <option value={value}>{value}</option>}
      {options.map(([one, word]) => (
        <option key={one} value={one}>
          {word}
        </option>
      ))}
    </select>
  );
}
