/** What became of backups and restores: each run with its steps. */
import { useState, type ReactElement } from 'react';
import { ask, refresh, type Answer } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { UndoRestore } from './put-back.tsx';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Fault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago, Took } from '../parts/time.tsx';

type Run = Answer<'backup.runsByDatabase'>[number];
const most = 20;

export function Runs({ runs }: { runs: readonly Run[] | undefined }): ReactElement | null {
  if (!runs || runs.length === 0) return null;
  return (
    <Panel title="Runs">
      <ul className="rows text-13">
        {runs.slice(0, most).map((run) => (
          <RunRow key={run.backupRunId} run={run} />
        ))}
      </ul>
    </Panel>
  );
}

const marks: Record<Run['status'], MarkName> = {
  queued: 'queued',
  running: 'running',
  done: 'done',
  error: 'failed',
};
const words = {
  backup: 'Backup',
  restore: 'Restore',
  verification: 'Trial restore',
  return: 'Put back',
  branch: 'Branch',
} as const;

function RunRow({ run }: { run: Run }): ReactElement {
  const kept = run.previousDatabase ?? run.previousVolume;
  const current = run.steps.findLast(({ status }) => status === 'running' || status === 'error');
  return (
    <li>
      <details>
        <summary
          className={
            'grid min-h-(--row) grid-cols-[108px_minmax(0,1fr)_max-content] items-center ' +
            'gap-4 px-4 hover:bg-hover'
          }
        >
          <Mark of={marks[run.status]} />
          <span className="cut">
            {words[run.operation]}
            {run.volumeName === null ? '' : ` of ${run.volumeName}`}
            <span className="text-faint"> {run.errorMessage ?? current?.name ?? run.path}</span>
          </span>
          <span className="text-12 text-faint">
            <Took from={run.startedAt} to={run.finishedAt} />, <Ago at={run.createdAt} />
          </span>
        </summary>
        <div className="grid gap-2 bg-sunken px-4 py-3">
          <ol className="grid gap-1">
            {run.steps.map(({ name, status, startedAt, finishedAt, detail }, at) => (
              <li key={at} className="flex flex-wrap gap-x-3">
                <Mark
                  of={status === 'error' ? 'failed' : status === 'stopped' ? 'cancelled' : status}
                  word={name}
                />
                <span className="text-faint">
                  <Took from={startedAt} to={finishedAt} />
                </span>
                {detail && <span className="text-muted [overflow-wrap:anywhere]">{detail}</span>}
              </li>
            ))}
          </ol>
          {run.restoredAt !== null && (
            <p>
              Restored on trial <Ago at={run.restoredAt} />.
            </p>
          )}
          {(run.leftOut ?? []).length > 0 && (
            <>
              <p>Not restored, as you chose:</p>
              <ul className="list-disc pl-5">
                {run.leftOut?.map((fault, at) => (
                  <li key={at} className="[overflow-wrap:anywhere]">
                    {fault}
                  </li>
                ))}
              </ul>
            </>
          )}
          {kept !== null && (
            <p className="flex flex-wrap items-center gap-3">
              <span>
                The state before is kept in the {run.previousDatabase === null ? 'volume' : 'database'} {kept}
                .
              </span>
              {run.status === 'done' && <UndoRestore backupRunId={run.backupRunId} what={kept} />}
            </p>
          )}
          {run.errorMessage && <Fault error={run.errorMessage} />}
          {(run.status === 'queued' || run.status === 'running') && <End backupRunId={run.backupRunId} />}
        </div>
      </details>
    </li>
  );
}

function End({ backupRunId }: { backupRunId: string }): ReactElement {
  const [state, setState] = useState<{ isBusy?: boolean; error?: unknown }>({});
  const end = (): void => {
    setState({ isBusy: true });
    ask('backup.cancel', { backupRunId }).then(
      () => (setState({}), refresh('backup'), refresh('volumeBackup')),
      (error: unknown) => setState({ error }),
    );
  };
  return (
    <div>
      <Button small look="danger" isBusy={state.isBusy} onClick={end}>
        End this run
      </Button>
      <Fault error={state.error} />
    </div>
  );
}
