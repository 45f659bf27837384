/** A restore: which object, typed name, then its log. */
import { useEffect, useState, type ReactElement } from 'react';
import { refresh } from '../live/api.ts';
import type { DatabaseKind } from '../live/services.ts';
import { LogView } from '../log/log-view.tsx';
import { useLog } from '../log/use-log.ts';
import { Button } from '../parts/button.tsx';
import { ChooseObject, type StoredObject } from './choose-object.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { KeyOfObject, givenKey } from './key-of-object.tsx';
import { texts } from './texts.ts';

interface RestoreProps {
  databaseId: string;
  kind: DatabaseKind;
  name: string;
  /** Inside the server. */
  databaseName: string;
  destinations: readonly { value: string; label: string }[];
  /** Already chosen elsewhere. */
  chosen?: StoredObject | undefined;
  onClose: () => void;
}

export function Restore({
  databaseId,
  kind,
  name,
  databaseName,
  destinations,
  chosen,
  onClose,
}: RestoreProps): ReactElement {
  const [file, setFile] = useState(chosen);
  const [begun, setBegun] = useState<StoredObject | undefined>();
  const [leaveOut, setLeaveOut] = useState(false);
  const [identity, setIdentity] = useState('');
  if (begun)
    return (
      <Running
        input={{
          databaseId,
          databaseType: kind,
          ...begun,
          databaseName,
          leaveOut,
          ...givenKey(identity),
        }}
        name={name}
        onClose={onClose}
      />
    );
  if (file)
    return (
      <Confirm
        title={`Restore ${name}?`}
        verb="Restore"
        typed={name}
        // Also called when it was confirmed.
        onClose={() => setFile(undefined)}
        onConfirm={async () => setBegun(file)}
      >
        <p className="[overflow-wrap:anywhere]">
          From <code>{file.backupFile}</code>. {texts.restore}
        </p>
        <p>{texts.restoreStays}</p>
        <label className="flex items-center gap-2 text-13">
          <input type="checkbox" checked={leaveOut} onChange={({ target }) => setLeaveOut(target.checked)} />
          {texts.leaveOut}
        </label>
        <KeyOfObject path={file.backupFile} value={identity} onEdit={setIdentity} />
      </Confirm>
    );
  return (
    <ChooseObject
      title={`Restore ${name}`}
      destinations={destinations}
      onChoose={setFile}
      onClose={onClose}
    />
  );
}

function Running({
  input,
  name,
  onClose,
}: {
  input: object;
  name: string;
  onClose: () => void;
}): ReactElement {
  const log = useLog('backup.restoreBackupWithLogs', input);
  useEffect(() => {
    if (log.state === 'over') void refresh('backup', 'deployment');
  }, [log.state]);
  return (
    <Dialog title="Restore" look="wide" onClose={onClose}>
      <div className="grid gap-3">
        <Fault error={log.fault} />
        <div className="overflow-clip rounded-lg border border-line">
          <LogView
            store={log.store}
            label="log of the restore"
            name="restore"
            isLive={log.state === 'live'}
            height="h-[320px]"
          />
        </div>
        <p role="status" className="text-13 text-muted">
          {log.state === 'over' && texts.restoreEnds(log.outcome === 'success', name)}
          {log.state === 'live' && texts.restoreGoesOn}
        </p>
        <div className="flex justify-end">
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}
