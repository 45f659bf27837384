/** What a database does now, and which statements or commands took it longest. */
import type { ReactElement } from 'react';
import { useAsk, type Answer } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { PanelFault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { RowsTable } from './rows-table.tsx';
import { texts } from './texts.ts';

type Statements = Answer<'database.statements'>;

export function Statements({ databaseId, isRedis }: { databaseId: string; isRedis: boolean }): ReactElement {
  const { data, error, refetch, isFetching } = useAsk(
    'database.statements',
    { databaseId },
    { retry: false },
  );
  return (
    <Panel
      title={isRedis ? 'Slow commands' : 'Statements'}
      actions={
        <Button small look="quiet" icon="refresh" isBusy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      }
    >
      <PanelFault error={error} />
      {!data && !error && <SkeletonRows rows={3} />}
      {data && !isRedis && <Running running={data.running} />}
      {data && <Slowest slowest={data.slowest} missing={data.missing} isRedis={isRedis} />}
    </Panel>
  );
}

function Running({ running }: Pick<Statements, 'running'>): ReactElement {
  if (running.length === 0) return <p className="px-4 py-3 text-13 text-muted">{texts.nothingRuns}</p>;
  return (
    <RowsTable
      label="Statements that run now"
      columns={['Runs for', 'Login', 'Waits for', 'Statement']}
      rows={running.map(({ seconds, user, state, statement }) => [`${seconds} s`, user, state, statement])}
    />
  );
}

function Slowest({
  slowest,
  missing,
  isRedis,
}: Pick<Statements, 'slowest' | 'missing'> & { isRedis: boolean }): ReactElement {
  if (missing !== null) return <p className="px-4 py-3 text-13 text-muted">{missing}</p>;
  if (slowest.length === 0)
    return (
      <p className="px-4 py-3 text-13 text-muted">{isRedis ? texts.noSlowCommands : texts.noStatements}</p>
    );
  return isRedis ? (
    <RowsTable
      label="Slow commands"
      columns={['At', 'Took', 'Command']}
      rows={slowest.map(({ at, totalMs, statement }) => [
        at === null ? '' : new Date(at).toLocaleString(),
        `${totalMs} ms`,
        statement,
      ])}
    />
  ) : (
    <RowsTable
      label="Statements that took longest"
      columns={['In all', 'Calls', 'Each', 'Statement']}
      rows={slowest.map(({ totalMs, calls, meanMs, statement }) => [
        `${(totalMs / 1000).toFixed(1)} s`,
        String(calls),
        `${meanMs.toFixed(1)} ms`,
        statement,
      ])}
    />
  );
}
