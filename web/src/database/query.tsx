/** One statement that reads, and its rows. */
import { useMutation } from '@tanstack/react-query';
import { useId, useState, type ReactElement } from 'react';
import { ask } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { PanelFault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { RowsTable } from './rows-table.tsx';
import { texts } from './texts.ts';

export function Query({ databaseId }: { databaseId: string }): ReactElement {
  const id = useId();
  const [statement, setStatement] = useState('');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (asked: string) => ask('database.query', { databaseId, statement: asked, limit: 200 }),
  });
  const run = (): void => {
    if (statement.trim() !== '' && !isPending) mutate(statement);
  };
  return (
    <Panel title="Query">
      <form
        className="grid gap-2 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <textarea
          className="input mono"
          rows={4}
          aria-label="Statement"
          aria-describedby={id}
          spellCheck={false}
          placeholder="select …"
          value={statement}
          onChange={({ target }) => setStatement(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            run();
          }}
        />
        <p id={id} className="text-12 text-faint">
          {texts.query}
        </p>
        <div>
          <Button
            type="submit"
            look="primary"
            icon="play"
            isBusy={isPending}
            disabled={statement.trim() === ''}
          >
            Run
          </Button>
        </div>
      </form>
      <PanelFault error={error} />
      {data && !error && (
        <div role="status">
          {data.rows.length === 0 ? (
            <p className="px-4 pb-4 text-13 text-muted">{texts.noResult}</p>
          ) : (
            <RowsTable label="Rows of the answer" {...data} />
          )}
          {data.isCut && <p className="px-4 py-2 text-12 text-faint">{texts.cut}</p>}
        </div>
      )}
    </Panel>
  );
}
