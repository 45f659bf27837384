/** The tables of a database with their estimated rows and sizes; one is opened page by page. */
import { useState, type ReactElement } from 'react';
import { useAsk, type Answer } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Empty, PanelFault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { bytes } from '../parts/units.ts';
import { RowsTable, rowButton } from './rows-table.tsx';
import { texts } from './texts.ts';

type Table = Answer<'database.tables'>['tables'][number];
const pageSize = 50;

export function Tables({ databaseId }: { databaseId: string }): ReactElement {
  const { data, error, refetch, isFetching } = useAsk('database.tables', { databaseId }, { retry: false });
  const [open, setOpen] = useState<Table | undefined>();
  const hasSchemas = new Set(data?.tables.map(({ schema }) => schema)).size > 1;
  const nameOf = ({ schema, name }: Table): string => (hasSchemas ? `${schema}.${name}` : name);
  return (
    <>
      <Panel
        title="Tables"
        actions={
          <Button small look="quiet" icon="refresh" isBusy={isFetching} onClick={() => void refetch()}>
            Refresh
          </Button>
        }
      >
        <PanelFault error={error} />
        {!data && !error && <SkeletonRows rows={4} />}
        {data?.tables.length === 0 && <Empty title="No tables yet">{texts.noTables}</Empty>}
        <ul className="rows max-h-[50dvh] overflow-y-auto text-13 empty:hidden">
          {data?.tables.map((table) => (
            <li key={`${table.schema} ${table.name}`}>
              <button
                type="button"
                className={rowButton}
                aria-pressed={open?.name === table.name && open.schema === table.schema}
                onClick={() => setOpen(table)}
              >
                <span className="cut flex-1 font-medium">{nameOf(table)}</span>
                <span className="text-12 text-faint">
                  {table.kind === 'view'
                    ? 'view'
                    : table.estimatedRows === null
                      ? ''
                      : `about ${table.estimatedRows.toLocaleString('en')} rows`}
                </span>
                <span className="w-20 text-end text-12 text-faint">
                  {table.sizeBytes === null || table.kind === 'view' ? '' : bytes(table.sizeBytes)}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {data?.isCut && <p className="px-4 py-2 text-12 text-faint">{texts.cut}</p>}
      </Panel>
      {open && (
        <TableRows
          key={`${open.schema} ${open.name}`}
          databaseId={databaseId}
          table={open}
          title={nameOf(open)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

function TableRows({
  databaseId,
  table: { schema, name },
  title,
  onClose,
}: {
  databaseId: string;
  table: Table;
  title: string;
  onClose: () => void;
}): ReactElement {
  const [offset, setOffset] = useState(0);
  const input = { databaseId, schema, table: name, limit: pageSize, offset };
  const { data, error, isFetching } = useAsk('database.rows', input, { retry: false });
  return (
    <Panel
      title={title}
      actions={
        <>
          <span className="text-12 text-faint">
            {data && data.rows.length > 0 ? `Rows ${offset + 1} to ${offset + data.rows.length}` : ''}
          </span>
          <Button small disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - pageSize))}>
            Previous
          </Button>
          <Button
            small
            isBusy={isFetching}
            disabled={!data?.isCut}
            onClick={() => setOffset(offset + (data?.rows.length ?? pageSize))}
          >
            Next
          </Button>
          <Button small look="quiet" icon="close" aria-label={`Close ${title}`} onClick={onClose} />
        </>
      }
    >
      <PanelFault error={error} />
      {!data && !error && <SkeletonRows rows={6} />}
      {data?.rows.length === 0 && <p className="p-4 text-13 text-muted">{texts.noRows}</p>}
      {data && data.rows.length > 0 && <RowsTable label={`Rows of ${title}`} {...data} />}
    </Panel>
  );
}
