/** What can be restored, on one line of time: the moments of a recovery, backups, and their branches. */
import { useState, type MouseEvent, type ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { useAsk } from '../live/api.ts';
import { pathOf, type DatabaseKind } from '../live/services.ts';
import { RangeChoice } from '../parts/graphs.tsx';
import { Panel } from '../parts/page.tsx';
import { ranges, timeWithin, type Range } from '../parts/ranges.ts';
import { useNow } from '../parts/time.tsx';
import type { StoredObject } from './choose-object.tsx';
import { texts } from './texts.ts';

interface TimeLineProps {
  databaseId: string;
  kind: DatabaseKind;
  onMoment: (at: string) => void;
  onBackup: (object: StoredObject) => void;
}

const whole = 100;

export function TimeLine({ databaseId, kind, onMoment, onBackup }: TimeLineProps): ReactElement | null {
  const every = 10_000;
  const { data: runs = [] } = useAsk('backup.runsByDatabase', { databaseId }, { every });
  const { data: branches = [] } = useAsk('backup.branches', { databaseId }, { every });
  const { data: stored } = useAsk(
    'backup.getRecovery',
    { postgresId: databaseId },
    { every, enabled: kind === 'postgres' },
  );
  const recovery = stored?.recovery;
  const [range, setRange] = useState<Range>('7d');
  const [pointed, setPointed] = useState<string>();
  const end = useNow();
  const start = end - ranges[range].ms;
  const place = (at: number): number => Math.min(whole, Math.max(0, ((at - start) / (end - start)) * whole));
  const isWithin = (at: string): boolean => Date.parse(at) >= start;
  const backups = runs.filter(({ operation, isStored }) => operation === 'backup' && isStored);
  const windows = recovery?.windows ?? [];
  if (backups.length === 0 && windows.length === 0) return null;
  const shown = {
    windows: windows.filter(({ to }) => isWithin(to)),
    holes: (recovery?.holes ?? []).filter(({ at }) => isWithin(at)),
    backups: backups.filter(({ createdAt }) => isWithin(createdAt)),
    branches: branches.filter(({ asOf }) => isWithin(asOf)),
  };
  const isEmpty = Object.values(shown).every((those) => those.length === 0);
  const mark = (at: string, name: string) => ({
    style: { left: `${place(Date.parse(at))}%` },
    'aria-label': name,
    onPointerEnter: () => setPointed(name),
    onPointerLeave: () => setPointed(undefined),
    onFocus: () => setPointed(name),
    onBlur: () => setPointed(undefined),
  });
  return (
    <Panel
      title="What can be restored"
      actions={<RangeChoice range={range} onChoose={setRange} names={['24h', '7d', '30d']} />}
      isPadded
    >
      <div className="time-line">
        {shown.windows.map(({ from, to }) => (
          <Moments
            key={from}
            from={Math.max(start, Date.parse(from))}
            to={Date.parse(to)}
            place={place}
            onPoint={setPointed}
            onMoment={onMoment}
          />
        ))}
        {shown.holes.map(({ at, reason }) => (
          <span key={at} role="img" className="hole" {...mark(at, `Hole at ${local(at)}: ${reason}`)} />
        ))}
        {shown.backups.map(({ backupRunId, createdAt, restoredAt, destinationId, path }) => (
          <button
            key={backupRunId}
            type="button"
            className={`backup ${restoredAt === null ? '' : 'tried'}`}
            {...mark(
              createdAt,
              `Backup of ${local(createdAt)}${restoredAt === null ? '' : ', restored on trial'}`,
            )}
            onClick={() => onBackup({ destinationId, backupFile: path })}
          />
        ))}
        {shown.branches.map(({ databaseId, name, asOf }) => (
          <Go
            key={databaseId}
            to={pathOf({ kind, id: databaseId })}
            className="branch"
            {...mark(asOf, `Branch ${name}, of ${local(asOf)}`)}
          >
            {null}
          </Go>
        ))}
      </div>
      <div className="mt-1 flex justify-between text-12 text-faint tabular-nums">
        <span>{timeWithin(range, new Date(start))}</span>
        <span>now</span>
      </div>
      <p className="mt-2 min-h-5 text-13 text-muted" aria-live="polite">
        {pointed ?? (isEmpty ? texts.nothingInRange(ranges[range].word) : texts.timeLine(windows.length > 0))}
      </p>
    </Panel>
  );
}

const local = (at: string | number): string => new Date(at).toLocaleString('en-GB');

/** Where every moment can be restored. By the keyboard it offers its newest one. */
function Moments({
  from,
  to,
  place,
  onPoint,
  onMoment,
}: {
  /** Milliseconds since 1970, as is `to`. */
  from: number;
  to: number;
  place: (at: number) => number;
  onPoint: (sentence: string | undefined) => void;
  onMoment: (at: string) => void;
}): ReactElement {
  const pointedAt = ({ currentTarget, clientX }: MouseEvent<HTMLElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const share = width === 0 ? 1 : Math.min(1, Math.max(0, (clientX - left) / width));
    return from + share * (to - from);
  };
  const bounds = `Every moment from ${local(from)} to ${local(to)}`;
  return (
    <button
      type="button"
      className="window"
      style={{ left: `${place(from)}%`, width: `${place(to) - place(from)}%` }}
      aria-label={bounds}
      onPointerMove={(event) => onPoint(`${local(pointedAt(event))}. ${bounds}`)}
      onPointerLeave={() => onPoint(undefined)}
      onFocus={() => onPoint(bounds)}
      onBlur={() => onPoint(undefined)}
      // A key press has no place.
      onClick={(event) => onMoment(new Date(event.detail === 0 ? to : pointedAt(event)).toISOString())}
    />
  );
}
