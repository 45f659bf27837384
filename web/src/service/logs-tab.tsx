/** The output of what runs, live, and of tasks that ended. */
import { useMemo, useState, type ReactElement, type ReactNode } from 'react';
import { useAsk, type Answer } from '../live/api.ts';
import { useFilterInAddress } from '../log/use-filter.ts';
import { createLogStore } from '../log/lines.ts';
import { LogView } from '../log/log-view.tsx';
import { useLog } from '../log/use-log.ts';
import { LiveMark } from '../log/live-mark.tsx';
import { PanelFault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { ago, useNow } from '../parts/time.tsx';
import { named, procedureOf, type Service } from './service.ts';
import { texts } from './texts.ts';

export function LogsTab({ service }: { service: Service }): ReactElement {
  const { kind, id, live, appName } = service;
  const path = procedureOf(kind, 'logs');
  const now = useNow();
  const [ended, setEnded] = useState('');
  const state = useFilterInAddress();
  const tail = useTail(state.filter.range !== '');
  const log = useLog(path, { ...named(kind, id), tail }, live !== null);
  const { data: tasks = [] } = useAsk('service.endedTasks', { serviceId: id, limit: 50 }, { retry: false });
  const choice = tasks.length > 0 && (
    <select
      className="input !h-[28px] !w-auto shrink-0"
      aria-label="Output of"
      value={ended}
      onChange={(event) => setEnded(event.target.value)}
    >
      <option value="">What runs now</option>
      {tasks.map((one) => (
        <option key={one.task} value={one.task}>
          {endedWords(one, now)}
        </option>
      ))}
    </select>
  );
  if (ended !== '')
    return (
      <Panel>
        <Ended key={ended} service={service} task={ended} choice={choice} />
      </Panel>
    );
  return (
    <Panel>
      <PanelFault error={log.fault} />
      <LogView
        store={log.store}
        label={`output of ${service.name}`}
        name={appName}
        isLive={log.state === 'live'}
        state={state}
        linksBy="time"
        choice={choice}
        aside={<LiveMark log={log} />}
        empty={live === null || live.running === 0 ? texts.notRunning : texts.logsEmpty}
      />
    </Panel>
  );
}

/** So many of the newest lines of each task are read to begin with. */
const usualTail = 2_000;
const mostTail = 10_000;

/** As many as there can be, once a time is asked for: that of a range, or of the line that a link names. */
function useTail(hasRange: boolean): number {
  const [isLinked] = useState(() => location.hash.startsWith('#T'));
  const [hadRange, setHadRange] = useState(hasRange);
  if (hasRange && !hadRange) setHadRange(true);
  return isLinked || hadRange ? mostTail : usualTail;
}

type EndedTask = Answer<'service.endedTasks'>[number];

function endedWords({ service, exitCode, reason, endedAt }: EndedTask, now: number): string {
  const how = reason === null ? 'was stopped' : `exit code ${exitCode ?? 'unknown'}`;
  return `${service === null ? '' : `${service}: `}${how}, ${ago(Date.parse(endedAt), now)}`;
}

/** So many of its newest lines. */
const endedTail = 10_000;

function Ended({
  service: { id, name, appName },
  task,
  choice,
}: {
  service: Service;
  task: string;
  choice: ReactNode;
}): ReactElement {
  const { data, error } = useAsk('service.endedOutput', { serviceId: id, task, tail: endedTail });
  const store = useMemo(() => {
    const filled = createLogStore({ isByTime: true });
    for (const line of data ?? []) filled.add(line);
    return filled;
  }, [data]);
  return (
    <>
      <PanelFault error={error} />
      <LogView
        store={store}
        label={`output of ${name}`}
        name={`${appName}-${task}`}
        linksBy="time"
        choice={choice}
        empty={data ? texts.endedEmpty : ''}
      />
    </>
  );
}
