/** Recovery of a PostgreSQL database to a moment: settings, what can be restored, and the restore. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { refresh, useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Fault, Notice } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago, withLocalTimes } from '../parts/time.tsx';
import { bytes } from '../parts/units.ts';
import { scheduleWords } from './schedule-words.ts';
import { texts } from './texts.ts';

interface Window {
  from: string;
  to: string;
}

export function Recovery({
  postgresId,
  name,
  destinations,
}: {
  postgresId: string;
  name: string;
  destinations: readonly { value: string; label: string }[];
}): ReactElement | null {
  const { data, error } = useAsk('backup.getRecovery', { postgresId }, { every: 10_000 });
  const stored = data?.recovery ?? undefined;
  if (destinations.length === 0) return null;
  return (
    <Panel title="Recovery to any moment" isPadded>
      <div className="grid gap-4">
        <Fault error={error} />
        {stored?.alarmSince != null && (
          <Notice tone="down">
            The log has not been stored since <Ago at={stored.alarmSince} />.
          </Notice>
        )}
        {stored ? (
          <>
            <Windows windows={stored.windows} />
            <p className="text-13 text-muted">{bytes(stored.storedBytes)} are stored.</p>
          </>
        ) : (
          <p className="text-13 text-muted">{texts.recovery}</p>
        )}
        {stored?.holes.map(({ at, reason }) => (
          <p key={at} className="text-13">
            Hole at {withLocalTimes(`${at}: ${reason}`)}
          </p>
        ))}
        {stored?.problem != null && <p className="text-13">{withLocalTimes(stored.problem)}</p>}
        {stored && stored.windows.length > 0 && (
          <RestoreTo {...{ postgresId, name }} windows={stored.windows} />
        )}
        <Form
          of="backup.setRecovery"
          show={['destinationId', 'schedule', 'timeZone', 'keepDays', 'prefix', 'enabled']}
          change={{
            ...scheduleWords,
            destinationId: {
              label: 'Destination',
              options: [...destinations],
              start: () => destinations[0]?.value ?? '',
            },
            keepDays: { label: 'Days to keep' },
          }}
          fixed={{ postgresId }}
          {...(stored && { stored: { ...stored } })}
          verb={stored ? 'Save' : 'Switch on'}
          onDone={() => void refresh('backup')}
        />
      </div>
    </Panel>
  );
}

function Windows({ windows }: { windows: readonly Window[] }): ReactElement {
  if (windows.length === 0) return <p className="text-13">No moment can be restored yet.</p>;
  return (
    <ul className="text-13">
      {windows.map(({ from, to }) => (
        <li key={from}>
          {withLocalTimes(`From ${from} to ${to}`)} (<Ago at={to} />)
        </li>
      ))}
    </ul>
  );
}

function RestoreTo({
  postgresId,
  name,
  windows,
}: {
  postgresId: string;
  name: string;
  windows: readonly Window[];
}): ReactElement {
  const [at, setAt] = useState(windows.at(-1)?.to ?? '');
  const [isAsked, setAsked] = useState(false);
  const restore = useDo('backup.restoreToMoment');
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label className="flex items-center gap-2 text-13">
        Moment
        <input className="input" value={at} onChange={(event) => setAt(event.target.value)} />
      </label>
      <Button icon="undo" isBusy={restore.isPending} onClick={() => setAsked(true)}>
        Restore to this moment
      </Button>
      <Fault error={restore.error} />
      {isAsked && (
        <Confirm
          title={`Restore ${name} as it was at ${at}?`}
          verb="Restore"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await restore.mutateAsync({ postgresId, at });
            await refresh('backup');
          }}
        >
          {texts.restoreToMoment}
        </Confirm>
      )}
    </div>
  );
}
