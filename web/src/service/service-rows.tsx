/** The list of services: one row each, 36 px; of many only those that are seen are drawn. */
import { memo, useEffect, useMemo, useState, type ReactElement, type ReactNode } from 'react';
import { Go } from '../frame/link.tsx';
import { useAsk } from '../live/api.ts';
import { kindWords, pathOf, type ServiceKind, type ServiceRow } from '../live/services.ts';
import { Line } from '../parts/bars.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { Ago } from '../parts/time.tsx';
import { bytes, percent } from '../parts/units.ts';

/** Shorter lists are simply there. */
const drawnWhole = 60;

export const kindIcon = (kind: ServiceKind): IconName =>
  kind === 'application' ? 'box' : kind === 'compose' ? 'stack' : 'database';

export function ServiceRows({
  rows,
  hasPlace = true,
}: {
  rows: readonly ServiceRow[];
  hasPlace?: boolean;
}): ReactElement {
  const updates = useTemplateUpdates(rows);
  if (rows.length <= drawnWhole)
    return (
      <div className="rows">
        {rows.map((row) => (
          <Row key={`${row.kind}-${row.id}`} row={row} hasPlace={hasPlace} hasUpdate={updates.has(row.id)} />
        ))}
      </div>
    );
  return <ManyRows rows={rows} hasPlace={hasPlace} updates={updates} />;
}

const none: ReadonlySet<string> = new Set();

/** Ids of compose services whose template is newer. */
function useTemplateUpdates(rows: readonly ServiceRow[]): ReadonlySet<string> {
  const { data } = useAsk(
    'template.updates',
    {},
    { enabled: rows.some(({ kind }) => kind === 'compose'), retry: false },
  );
  return useMemo(() => (data ? new Set(data.map(({ composeId }) => composeId)) : none), [data]);
}

/** Rows that are drawn above and below what is seen. */
const spare = 6;

/** A row has one height, so nothing of the page has to be measured before it is drawn. */
const rowPixels = (): number =>
  1 + (innerWidth < 640 ? 56 : matchMedia('(pointer: coarse)').matches ? 44 : 36);
const seenPixels = (): number => Math.min(innerHeight * 0.7, 900);

function ManyRows({
  rows,
  hasPlace,
  updates,
}: {
  rows: readonly ServiceRow[];
  hasPlace: boolean;
  updates: ReadonlySet<string>;
}): ReactElement {
  const [top, setTop] = useState(0);
  const [{ height, seen }, setSizes] = useState(() => ({ height: rowPixels(), seen: seenPixels() }));
  useEffect(() => {
    const onResize = (): void => setSizes({ height: rowPixels(), seen: seenPixels() });
    addEventListener('resize', onResize);
    return () => removeEventListener('resize', onResize);
  }, []);
  const begin = Math.max(0, Math.min(Math.floor(top / height), rows.length) - spare);
  const end = Math.min(rows.length, Math.ceil((top + seen) / height) + spare);
  return (
    <div
      className="h-[min(70dvh,900px)] overflow-auto"
      tabIndex={-1}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div className="relative" style={{ height: rows.length * height }}>
        {rows.slice(begin, end).map((row, step) => (
          <div
            key={`${row.kind}-${row.id}`}
            className="absolute inset-x-0 border-b border-line"
            style={{ top: (begin + step) * height }}
          >
            <Row row={row} hasPlace={hasPlace} hasUpdate={updates.has(row.id)} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** Name, condition, address, commit, processor, memory, since: as many as there is room for. */
const columns =
  'grid-cols-[minmax(0,1fr)_max-content] ' +
  'sm:grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)_84px] ' +
  'lg:grid-cols-[minmax(0,1.3fr)_minmax(0,1.1fr)_56px_52px_124px_84px] ' +
  'xl:grid-cols-[minmax(0,1.3fr)_minmax(0,1.1fr)_minmax(0,0.9fr)_56px_52px_124px_84px]';

/** Scrolled, most rows stay as they were drawn. */
const Row = memo(function Row({
  row,
  hasPlace,
  hasUpdate,
}: {
  row: ServiceRow;
  hasPlace: boolean;
  hasUpdate: boolean;
}): ReactElement {
  const why = row.reason ?? row.note;
  const since = row.since ? <Ago at={row.since} /> : '';
  return (
    <div className="hoverable relative">
      <Go
        to={pathOf(row)}
        data-row
        className={
          'grid min-h-(--row) items-center gap-x-4 px-4 py-1.5 text-13 no-underline hover:bg-hover ' +
          `sm:py-0 ${columns}`
        }
      >
        <span className="flex min-w-0 items-center gap-2.5">
          <span className="text-faint" title={kindWords[row.kind]}>
            <Icon name={kindIcon(row.kind)} size={14} />
          </span>
          <span
            className={
              'cut shrink-0 font-medium ' +
              (hasPlace ? 'max-w-[calc(100%-24px)] sm:max-w-[70%]' : 'max-w-[calc(100%-24px)]')
            }
            title={row.name}
          >
            {row.name}
          </span>
          {hasUpdate && (
            <span
              className="shrink-0 rounded bg-busy-soft px-1.5 text-12"
              title="Its template is newer; its page shows what changes"
            >
              Update
            </span>
          )}
          {hasPlace && (
            <span
              className="cut text-faint max-sm:hidden"
              title={`${row.projectName} / ${row.environmentName}`}
            >
              {row.projectName} / {row.environmentName}
            </span>
          )}
        </span>
        <span className="flex min-w-0 items-center gap-2 max-sm:justify-self-end">
          <Mark of={row.condition} />
          {row.desired > 0 && (row.desired > 1 || row.running < 1) && (
            <span className="text-12 text-faint tabular-nums max-sm:hidden">
              {row.running} of {row.desired}
            </span>
          )}
          {why && (
            <span className="cut text-12 text-down max-sm:hidden" title={why}>
              {why}
            </span>
          )}
        </span>
        <Wide isWidest>{row.address?.replace(/^https?:\/\//, '')}</Wide>
        <Wide isCode>{row.commit?.slice(0, 7)}</Wide>
        {/* What ended a moment ago was measured until then. */}
        <Measured usage={row.running > 0 ? row.usage : undefined} />
        <span className="cut text-end text-12 text-faint max-sm:hidden" title="Since when it runs">
          {row.failedId ? '' : since}
        </span>
        <span className="cut text-12 text-faint sm:hidden">
          {hasPlace ? `${row.projectName} / ${row.environmentName}` : kindWords[row.kind]}
        </span>
        <span className="justify-self-end text-12 text-faint sm:hidden">
          {why ? <span className="text-down">{why}</span> : since}
        </span>
      </Go>
      {row.failedId && (
        <Go
          to={`/deployments/${row.failedId}`}
          className="button small absolute top-1/2 right-4 -translate-y-1/2 max-sm:hidden"
          aria-label={`Open log: why the last deployment of ${row.name} failed`}
        >
          Open log
        </Go>
      )}
    </div>
  );
});

/** What only a wide window has room for. */
function Wide({
  isCode = false,
  isWidest = false,
  children,
}: {
  isCode?: boolean;
  isWidest?: boolean;
  children: ReactNode;
}): ReactElement {
  return (
    <span
      className={
        `cut text-12 text-faint ${isWidest ? 'max-xl:hidden' : 'max-lg:hidden'} ` +
        (isCode ? 'font-mono' : '')
      }
      title={typeof children === 'string' ? children : undefined}
    >
      {children}
    </span>
  );
}

/** Processor and memory now, and the memory of the last day. */
function Measured({ usage }: { usage: ServiceRow['usage'] }): ReactElement {
  if (!usage)
    return (
      <>
        <span className="max-lg:hidden" />
        <span className="max-lg:hidden" />
      </>
    );
  const { cpu, memory, day } = usage;
  const now = bytes(memory.used);
  return (
    <>
      <span className="text-end text-12 text-faint tabular-nums max-lg:hidden" title="Of one processor">
        {percent(cpu)}
      </span>
      <span
        className="flex min-w-0 items-center justify-end gap-2 text-12 text-faint tabular-nums max-lg:hidden"
        title={`${now} of ${bytes(memory.limit)}; the line is the last day`}
      >
        <span className="w-14 shrink-0">
          <Line values={day} label={`Memory in the last day; now ${now}`} isSmall />
        </span>
        <span className="min-w-14 text-end whitespace-nowrap">{now}</span>
      </span>
    </>
  );
}
