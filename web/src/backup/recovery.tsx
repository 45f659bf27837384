/** Recovery of a PostgreSQL database to a moment: settings, what can be restored, and the restore. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { TextField } from '../form/text-field.tsx';
import { refresh, useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Fault, Notice } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago, withLocalTimes } from '../parts/time.tsx';
import { bytes } from '../parts/units.ts';
import { givenKey, PrivateKey } from './key-of-object.tsx';
import { scheduleWords } from './schedule-words.ts';
import { texts } from './texts.ts';

interface Window {
  from: string;
  to: string;
}

export function Recovery({
  postgresId,
  destinations,
  onRestore,
}: {
  postgresId: string;
  destinations: readonly { value: string; label: string }[];
  /** Gets the newest moment, in ISO 8601. */
  onRestore: (at: string) => void;
}): ReactElement | null {
  const { data, error } = useAsk('backup.getRecovery', { postgresId }, { every: 10_000 });
  const stored = data?.recovery ?? undefined;
  const newest = stored?.windows.at(-1)?.to;
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
        {newest !== undefined && (
          <div>
            <Button icon="undo" onClick={() => onRestore(newest)}>
              Restore to a moment
            </Button>
          </div>
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

/** Asks for the moment, which begins as the one that was chosen. */
export function RestoreToMoment({
  postgresId,
  name,
  chosen,
  isEncrypted,
  onClose,
}: {
  postgresId: string;
  name: string;
  /** ISO 8601. */
  chosen: string;
  isEncrypted: boolean;
  onClose: () => void;
}): ReactElement {
  const [at, setAt] = useState(chosen);
  const [identity, setIdentity] = useState('');
  const restore = useDo('backup.restoreToMoment');
  return (
    <Confirm
      title={`Restore ${name} to a moment?`}
      verb="Restore"
      onClose={onClose}
      onConfirm={async () => {
        await restore.mutateAsync({ postgresId, at, ...givenKey(identity) });
        await refresh('backup');
      }}
    >
      <p>{texts.restoreToMoment}</p>
      <TextField label="Moment" value={at} onEdit={setAt} help={texts.momentForm} />
      {isEncrypted && <PrivateKey value={identity} onEdit={setIdentity} />}
    </Confirm>
  );
}
