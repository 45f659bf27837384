/** Is everything up? What needs attention first, then the rest. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo, useState, type ReactElement } from 'react';
import { AlarmRows, useAlarms } from '../alarm/alarms.tsx';
import { Go } from '../frame/link.tsx';
import {
  kindWords,
  needsAttention,
  sorts,
  useMeasuredServices,
  type ServiceRow,
  type Sort,
} from '../live/services.ts';
import { useRights } from '../live/viewer.ts';
import { Icon } from '../parts/icon.tsx';
import { Mark, type Condition } from '../parts/mark.tsx';
import { Empty, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { ServiceRows } from '../service/service-rows.tsx';
import { texts } from './texts.ts';

export function Home(): ReactElement {
  const { rows: newest, error } = useMeasuredServices();
  // Many services are drawn in small pieces, between which the page answers.
  const rows = useDeferredValue(newest);
  const { alarms } = useAlarms();
  const { viewer, may } = useRights();
  const search: { q?: string; sort?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  // What is typed is there at once; the address, which the router changes in its own time, follows.
  const [typed, setTyped] = useState<string | undefined>();
  const q = typed ?? search.q ?? '';
  const sort: Sort = isSort(search.sort) ? search.sort : 'attention';
  const show = (next: { q: string; sort: Sort }): Promise<void> =>
    navigate({
      to: '/',
      search: {
        ...(next.q ? { q: next.q } : {}),
        ...(next.sort === 'attention' ? {} : { sort: next.sort }),
      } as never,
      replace: true,
    });
  const filter = (text: string): void => {
    setTyped(text);
    void show({ q: text, sort }).then(() => setTyped((former) => (former === text ? undefined : former)));
  };
  // Sorted once, not with each letter.
  const sorted = useMemo(
    () => rows?.toSorted(sorts[sort]).map((row) => ({ row, text: textOf(row) })),
    [rows, sort],
  );
  const wanted = q.toLowerCase();
  const shown = useMemo(
    () => sorted?.flatMap(({ row, text }) => (wanted === '' || text.includes(wanted) ? [row] : [])),
    [sorted, wanted],
  );
  // Another order is of all of them.
  const isTroubled = (row: ServiceRow): boolean => sort === 'attention' && needsAttention(row);
  const troubled = shown?.filter(isTroubled) ?? [];
  const others = shown?.filter((row) => !isTroubled(row)) ?? [];
  useTitle(rows);
  const isEmpty = rows?.length === 0;
  const start = may('canCreateServices') && (
    <Go to="/new" className="button primary">
      <Icon name="plus" />
      {texts.start}
    </Go>
  );
  return (
    <Page
      title={texts.title}
      mark={rows && rows.length > 0 ? <Sum rows={rows} /> : undefined}
      actions={isEmpty ? undefined : start}
    >
      <ReadFault error={error} />
      {alarms.length > 0 && (
        <Panel
          title={texts.alarms(alarms.length)}
          actions={
            <Go to="/alarms" className="button quiet small">
              All
            </Go>
          }
        >
          <AlarmRows alarms={alarms.slice(0, 5)} />
        </Panel>
      )}
      {isEmpty ? (
        <Panel>
          {viewer === undefined || may('canCreateServices') ? (
            <Empty title={texts.emptyTitle} action={start} command="berth deploy">
              {texts.empty}
            </Empty>
          ) : (
            <Empty title={texts.waitingTitle}>{texts.waiting}</Empty>
          )}
        </Panel>
      ) : (
        <>
          <div className="mb-4 flex flex-wrap gap-2">
            <input
              type="search"
              className="input min-w-48 flex-1 sm:max-w-[360px]"
              placeholder={texts.filter}
              aria-label={texts.filter}
              value={q}
              onChange={(event) => filter(event.target.value)}
            />
            <select
              className="input !w-auto"
              aria-label={texts.sort}
              value={sort}
              onChange={({ target }) => isSort(target.value) && void show({ q, sort: target.value })}
            >
              {Object.entries(texts.sorts).map(([name, word]) => (
                <option key={name} value={name}>
                  {word}
                </option>
              ))}
            </select>
          </div>
          {troubled.length > 0 && (
            <Panel title={texts.attention}>
              <ServiceRows rows={troubled} />
            </Panel>
          )}
          {!rows && !error && (
            <Panel>
              <SkeletonRows rows={6} />
            </Panel>
          )}
          {others.length > 0 && (
            <Panel title={troubled.length > 0 ? texts.all : undefined}>
              <ServiceRows rows={others} />
            </Panel>
          )}
          {shown?.length === 0 && q !== '' && (
            <Panel>
              <Empty icon="search" title="Nothing matches">
                No service has “{q}” in its name, host, project or kind.
              </Empty>
            </Panel>
          )}
        </>
      )}
    </Page>
  );
}

const isSort = (text: string | undefined): text is Sort => text !== undefined && Object.hasOwn(sorts, text);

const textOf = ({ name, appName, projectName, environmentName, kind, address }: ServiceRow): string =>
  [name, appName, projectName, environmentName, kindWords[kind], address ?? ''].join(' ').toLowerCase();

const summed: readonly Condition[] = ['down', 'degraded', 'unreachable', 'starting', 'up'];

function Sum({ rows }: { rows: readonly ServiceRow[] }): ReactElement {
  return (
    <span className="flex flex-wrap gap-x-3">
      {summed.map((condition) => {
        const count = rows.filter((row) => row.condition === condition).length;
        return count > 0 && <Mark key={condition} of={condition} word={`${count} ${condition}`} />;
      })}
    </span>
  );
}

/** How it stands is in the tab's title too. */
function useTitle(rows: readonly ServiceRow[] | undefined): void {
  useEffect(() => {
    const troubled = rows?.filter(({ condition }) => condition === 'down' || condition === 'degraded').length;
    if (rows) document.title = troubled ? `✕ ${troubled} · Berth` : 'Berth';
  }, [rows]);
}
