/** Keys of a Redis database by pattern, and the value of one. */
import { useState, type ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { PanelFault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { RowsTable, rowButton } from './rows-table.tsx';
import { texts } from './texts.ts';

export function Keys({ databaseId }: { databaseId: string }): ReactElement {
  const [typed, setTyped] = useState('');
  const [match, setMatch] = useState('*');
  const [cursors, setCursors] = useState<readonly string[]>(['0']);
  const [open, setOpen] = useState<string | undefined>();
  const cursor = cursors.at(-1) ?? '0';
  const { data, error, isFetching } = useAsk(
    'database.keys',
    { databaseId, match, cursor, limit: 100 },
    { retry: false },
  );
  return (
    <>
      <Panel title="Keys">
        <form
          className="flex flex-wrap gap-2 p-4"
          onSubmit={(event) => {
            event.preventDefault();
            setCursors(['0']);
            setMatch(typed.trim() || '*');
          }}
        >
          <input
            className="input mono max-w-[320px] flex-1"
            aria-label="Pattern of keys"
            placeholder="such as session:*"
            spellCheck={false}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <Button type="submit" icon="search" isBusy={isFetching}>
            Find
          </Button>
        </form>
        <PanelFault error={error} />
        {!data && !error && <SkeletonRows rows={6} />}
        {data?.keys.length === 0 && <p className="px-4 pb-4 text-13 text-muted">{texts.noKeys}</p>}
        <ul className="rows max-h-[50dvh] overflow-y-auto text-13 empty:hidden">
          {data?.keys.map(({ key, type, expiresInMs }) => (
            <li key={key}>
              <button
                type="button"
                className={rowButton}
                aria-pressed={open === key}
                onClick={() => setOpen(key)}
              >
                <span className="cut mono flex-1">{key}</span>
                <span className="text-12 text-faint">{type}</span>
                <span className="w-28 text-end text-12 text-faint">{expiry(expiresInMs)}</span>
              </button>
            </li>
          ))}
        </ul>
        {(cursors.length > 1 || data?.cursor) && (
          <div className="flex gap-2 p-4">
            <Button small disabled={cursors.length === 1} onClick={() => setCursors(cursors.slice(0, -1))}>
              Previous
            </Button>
            <Button
              small
              disabled={!data?.cursor}
              onClick={() => data?.cursor && setCursors([...cursors, data.cursor])}
            >
              Next
            </Button>
          </div>
        )}
      </Panel>
      {open !== undefined && <Value databaseId={databaseId} name={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

const expiry = (ms: number | null): string =>
  ms === null
    ? ''
    : `expires in ${ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`}`;

function Value({
  databaseId,
  name,
  onClose,
}: {
  databaseId: string;
  name: string;
  onClose: () => void;
}): ReactElement {
  const { data, error } = useAsk('database.value', { databaseId, key: name }, { retry: false });
  const hasFields = data?.elements.some(({ field }) => field !== '') ?? false;
  return (
    <Panel
      title={<span className="mono">{name}</span>}
      actions={
        <>
          <span className="text-12 text-faint">{data ? `${data.type}, length ${data.length}` : ''}</span>
          <Button small look="quiet" icon="close" aria-label="Close the value" onClick={onClose} />
        </>
      }
    >
      <PanelFault error={error} />
      {!data && !error && <SkeletonRows rows={3} />}
      {data && (
        <RowsTable
          label="Value of the key"
          columns={hasFields ? ['field', 'value'] : ['value']}
          rows={data.elements.map(({ field, value }) => (hasFields ? [field, value] : [value]))}
        />
      )}
      {data?.isCut && <p className="px-4 py-2 text-12 text-faint">{texts.cut}</p>}
    </Panel>
  );
}
