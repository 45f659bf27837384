import type { ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { useServices } from '../live/services.ts';
import { Empty, Fault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';

/** Who did what, newest first. */
export function Audit(): ReactElement {
  const { data, error } = useAsk('audit.all', { limit: 200 }, { retry: false });
  const { data: members = [] } = useAsk('organization.members', {}, { retry: false });
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  const { rows: services = [] } = useServices();
  const things = new Map(services.map(({ id, name }) => [id, name]));
  const rows = data ?? [];
  return (
    <Panel title="What was done">
      <Fault error={error} />
      {!data && !error && <SkeletonRows rows={8} />}
      {data && rows.length === 0 && <Empty icon="clock" title="Nothing has been done yet" />}
      <ul className="rows text-13">
        {rows.map((row) => (
          <li
            key={row.auditId}
            className={
              'grid min-h-(--row) grid-cols-[minmax(0,1fr)_max-content] items-center gap-x-4 px-4 py-1'
            }
          >
            <span className="cut">
              <code>{row.procedure}</code>{' '}
              {things.get(row.resourceId ?? '') ?? <span className="text-faint">{row.resourceId}</span>}
              {row.outcome !== 'done' && <span className="text-down"> {row.outcome}</span>}
            </span>
            <span className="text-12 text-faint" title={row.ip}>
              {row.userId === null ? 'nobody' : (names.get(row.userId) ?? row.userId)} <Ago at={row.at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
