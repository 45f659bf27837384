/** A restore: which object, typed name, then its log. */
import { useState, type ReactElement } from 'react';
import { useAsk, refresh } from '../live/api.ts';
import type { DatabaseKind } from '../live/services.ts';
import { LogView } from '../log/log-view.tsx';
import { useLog } from '../log/use-log.ts';
import { Button } from '../parts/button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { texts } from './texts.ts';

interface RestoreProps {
  databaseId: string;
  kind: DatabaseKind;
  name: string;
  /** Inside the server. */
  databaseName: string;
  destinations: readonly { value: string; label: string }[];
  onClose: () => void;
}

export function Restore({
  databaseId,
  kind,
  name,
  databaseName,
  destinations,
  onClose,
}: RestoreProps): ReactElement {
  const [destinationId, setDestination] = useState(destinations[0]?.value ?? '');
  const [search, setSearch] = useState('');
  const [file, setFile] = useState<string | undefined>();
  const [isGoing, setGoing] = useState(false);
  const { data: files, error } = useAsk('backup.listFiles', { destinationId, search } as never, {
    keeps: true,
    enabled: destinationId !== '',
  });
  if (isGoing && file)
    return (
      <Running
        input={{ databaseId, databaseType: kind, destinationId, backupFile: file, databaseName }}
        onClose={onClose}
      />
    );
  if (file)
    return (
      <Confirm
        title={`Restore ${name}?`}
        verb="Restore"
        typed={name}
        onClose={() => setFile(undefined)}
        onConfirm={async () => setTimeout(() => setGoing(true), 0)}
      >
        <p className="[overflow-wrap:anywhere]">
          From <code>{file}</code>. {texts.restore}
        </p>
        <p>{texts.restoreStays}</p>
      </Confirm>
    );
  const rows = files ?? [];
  return (
    <Dialog title={`Restore ${name}`} onClose={onClose} look="wide">
      <div className="grid gap-3">
        <div className="flex gap-2">
          <select
            className="input !w-auto"
            aria-label="Destination"
            value={destinationId}
            onChange={(event) => setDestination(event.target.value)}
          >
            {destinations.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <input
            type="search"
            className="input"
            aria-label="Search for a backup"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
        <Fault error={error} />
        <ul className="rows max-h-[360px] overflow-auto rounded-md border border-line text-13">
          {rows.map((row) => {
            const { path } = row;
            return (
              <li key={path}>
                <button
                  type="button"
                  className="cut block min-h-(--row) w-full px-3 text-start hover:bg-hover"
                  onClick={() => setFile(path)}
                >
                  {path}
                </button>
              </li>
            );
          })}
          {files && rows.length === 0 && <li className="p-3 text-faint">No backup is stored there.</li>}
        </ul>
        <div className="flex justify-end">
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}

function Running({ input, onClose }: { input: object; onClose: () => void }): ReactElement {
  const log = useLog('backup.restoreBackupWithLogs', input);
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
          {log.state === 'over' ? `Ended: ${log.outcome ?? 'done'}` : 'It goes on when you close this.'}
        </p>
        <div className="flex justify-end">
          <Button
            onClick={() => {
              void refresh('backup', 'deployment');
              onClose();
            }}
          >
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
