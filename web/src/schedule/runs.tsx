import { useState, type ReactElement } from 'react';
import { useAsk, type Answer } from '../live/api.ts';
import { LogView } from '../log/log-view.tsx';
import { useLog } from '../log/use-log.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';
import { Ago, Took } from '../parts/time.tsx';
import { texts } from './texts.ts';

type Run = Answer<'schedule.runs'>[number];

const marks: Record<Run['status'], [MarkName, string]> = {
  queued: ['queued', 'Queued'],
  running: ['running', 'Running'],
  done: ['done', 'Done'],
  error: ['failed', 'Failed'],
  missed: ['unreachable', 'Missed'],
};
const most = 8;
const readEveryMs = 3_000;

/** The last runs; read again while one is under way, and now and then for those that come by themselves. */
export function Runs({ scheduleId, name }: { scheduleId: string; name: string }): ReactElement {
  const { data, error } = useAsk('schedule.runs', { scheduleId }, { every: readEveryMs });
  const [shown, setShown] = useState<Run | undefined>();
  if (error)
    return (
      <div className="p-3">
        <Fault error={error} />
      </div>
    );
  if (!data) return <SkeletonRows rows={1} />;
  if (data.length === 0) return <p className="px-4 py-3 text-13 text-faint">{texts.noRun}</p>;
  return (
    <>
      <ul className="rows text-13">
        {data.slice(0, most).map((run) => (
          <li key={run.scheduleRunId}>
            <button
              type="button"
              data-row
              className="flex min-h-(--row) w-full items-center gap-4 px-4 text-start"
              onClick={() => setShown(run)}
            >
              <span className="w-24 shrink-0">
                <Mark of={marks[run.status][0]} word={marks[run.status][1]} />
              </span>
              <span className="cut flex-1 text-faint" title={run.errorMessage ?? undefined}>
                {run.errorMessage ?? (run.exitCode === null ? '' : `exit code ${run.exitCode}`)}
              </span>
              <span className="text-12 text-faint max-sm:hidden">
                {run.startedBy === 'person' ? 'by hand' : 'by schedule'}
              </span>
              <span className="w-16 text-end text-12 text-faint max-sm:hidden">
                <Took from={run.startedAt} to={run.finishedAt} />
              </span>
              <span className="text-12 text-faint">
                <Ago at={run.startedAt ?? run.dueAt} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {shown && <Output run={shown} name={name} onClose={() => setShown(undefined)} />}
    </>
  );
}

function Output({ run, name, onClose }: { run: Run; name: string; onClose: () => void }): ReactElement {
  const log = useLog('schedule.runLogs', { scheduleRunId: run.scheduleRunId });
  return (
    <Dialog title={`${name}: ${marks[run.status][1].toLowerCase()}`} look="wide" onClose={onClose}>
      <div className="grid gap-3">
        <Fault error={run.errorMessage ?? log.fault} />
        <div className="overflow-clip rounded-lg border border-line">
          <LogView
            store={log.store}
            label="output of the run"
            name={`${name}-${run.scheduleRunId}`}
            isLive={log.state === 'live'}
            height="h-[min(56dvh,480px)]"
            empty="It wrote nothing."
          />
        </div>
      </div>
    </Dialog>
  );
}
