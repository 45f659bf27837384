/** Which of the stored objects is restored. */
import { useState, type ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { Ago } from '../parts/time.tsx';

export interface StoredObject {
  destinationId: string;
  backupFile: string;
}

export function ChooseObject({
  title,
  destinations,
  about = '',
  onChoose,
  onClose,
}: {
  title: string;
  destinations: readonly { value: string; label: string }[];
  /** What the search begins with. */
  about?: string;
  onChoose: (object: StoredObject) => void;
  onClose: () => void;
}): ReactElement {
  const [destinationId, setDestination] = useState(destinations[0]?.value ?? '');
  const [search, setSearch] = useState(about);
  const { data: files, error } = useAsk('backup.listFiles', { destinationId, search } as never, {
    keeps: true,
    enabled: destinationId !== '',
  });
  const rows = files ?? [];
  return (
    <Dialog title={title} onClose={onClose} look="wide">
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
            const { path, restoredAt } = row;
            return (
              <li key={path}>
                <button
                  type="button"
                  className="cut block min-h-(--row) w-full px-3 text-start hover:bg-hover"
                  onClick={() => onChoose({ destinationId, backupFile: path })}
                >
                  {path}
                  {restoredAt !== null && (
                    <span className="text-faint">
                      {' '}
                      restored on trial <Ago at={restoredAt} />
                    </span>
                  )}
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
