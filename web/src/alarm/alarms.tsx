/** What is wrong: alarms begin and end by themselves; a person notes that somebody knows. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { useAsk, useDo, type Answer } from '../live/api.ts';
import { pathOf, useServices } from '../live/services.ts';
import { Button } from '../parts/button.tsx';
import { Mark } from '../parts/mark.tsx';
import { Empty, Fault, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Ago, withLocalTimes } from '../parts/time.tsx';
import { kindWords, texts } from './texts.ts';

export type Alarm = Answer<'alarm.all'>[number];
const readEveryMs = 10_000;

/** Those that go on. */
export function useAlarms(): { alarms: readonly Alarm[]; error: unknown } {
  const { data, error } = useAsk('alarm.all', {}, { every: readEveryMs });
  return { alarms: data ?? [], error };
}

export function Alarms(): ReactElement {
  const search: { ended?: boolean } = useSearch({ strict: false });
  const ended = search.ended === true;
  const navigate = useNavigate();
  const { data, error } = useAsk('alarm.all', { ended }, { every: readEveryMs, keeps: true });
  return (
    <Page
      title="Alarms"
      about={texts.about}
      actions={
        <label className="flex items-center gap-2 text-13 text-muted">
          <input
            type="checkbox"
            className="switch"
            checked={ended}
            onChange={({ target }) =>
              void navigate({
                to: '/alarms',
                search: (target.checked ? { ended: true } : {}) as never,
                replace: true,
              })
            }
          />
          Includes ended ones
        </label>
      }
    >
      <ReadFault error={error} />
      <Panel>
        {!data && !error && <SkeletonRows rows={3} />}
        {data?.length === 0 && (
          <Empty icon="bell" title="Nothing is wrong" command="berth api alarm.all">
            {texts.empty}
          </Empty>
        )}
        {data && <AlarmRows alarms={data} />}
      </Panel>
    </Page>
  );
}

export function AlarmRows({ alarms }: { alarms: readonly Alarm[] }): ReactElement {
  const acknowledge = useDo('alarm.acknowledge');
  const { rows } = useServices();
  return (
    <>
      <div className="p-3 empty:hidden">
        <Fault error={acknowledge.error} />
      </div>
      <ul className="rows text-13">
        {alarms.map((alarm) => {
          const { alarmId, kind, subject, sentence, begunAt, endedAt, acknowledgedAt, serviceId } = alarm;
          const service = rows?.find(({ id }) => id === serviceId);
          return (
            <li key={alarmId} className="flex min-h-(--row) flex-wrap items-center gap-x-4 py-1.5 pr-2 pl-4">
              <span className="w-44 shrink-0 max-sm:w-full">
                <Mark of={endedAt ? 'done' : acknowledgedAt ? 'degraded' : 'down'} word={kindWords[kind]} />
              </span>
              <span className="min-w-0 flex-1 basis-52 [overflow-wrap:anywhere]">
                {service ? (
                  <Go
                    to={pathOf(service)}
                    className="font-medium underline decoration-edge underline-offset-2"
                  >
                    {subject.name}
                  </Go>
                ) : (
                  <b className="font-medium">{subject.name}</b>
                )}{' '}
                <span className="text-muted">{withLocalTimes(sentence)}</span>
              </span>
              <span className="text-12 text-faint">
                {endedAt ? (
                  <>
                    ended <Ago at={endedAt} />
                  </>
                ) : (
                  <>
                    began <Ago at={begunAt} />
                  </>
                )}
              </span>
              {!endedAt &&
                (acknowledgedAt ? (
                  <span className="px-2 text-12 text-faint">
                    known since <Ago at={acknowledgedAt} />
                  </span>
                ) : (
                  <Button
                    small
                    isBusy={acknowledge.isPending && acknowledge.variables.alarmId === alarmId}
                    aria-label={`Acknowledge: ${kindWords[kind]}, ${subject.name}`}
                    onClick={() => acknowledge.mutate({ alarmId })}
                  >
                    Acknowledge
                  </Button>
                ))}
            </li>
          );
        })}
      </ul>
    </>
  );
}
