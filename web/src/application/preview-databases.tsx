/** Which databases of the environment each preview gets of its own, and what fills them. */
import { useState, type ReactElement } from 'react';
import { useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Fault } from '../parts/notices.tsx';
import type { Service } from '../service/service.ts';

interface PreviewDatabase {
  databaseId: string;
  from: 'empty' | 'copy' | 'backup';
  mask?: string | undefined;
}

const sources = {
  '': 'The original itself',
  empty: 'An empty one',
  copy: 'A copy of it',
  backup: 'Its newest backup',
} as const;

interface PreviewDatabasesProps {
  service: Service;
  databases: readonly { id: string; name: string }[];
  stored: readonly PreviewDatabase[];
}

export function PreviewDatabases({ service, databases, stored }: PreviewDatabasesProps): ReactElement {
  const { id, kind } = service;
  const ofApplication = useDo('application.update');
  const ofCompose = useDo('compose.update');
  const saving = kind === 'compose' ? ofCompose : ofApplication;
  const [edited, setEdited] = useState<readonly PreviewDatabase[] | undefined>();
  const chosen = edited ?? stored;
  const edit = (databaseId: string, change: Omit<PreviewDatabase, 'databaseId'> | undefined): void => {
    const others = chosen.filter((one) => one.databaseId !== databaseId);
    setEdited(change ? [...others, { databaseId, ...change }] : others);
  };
  const save = (): void => {
    const previewDatabases = chosen.map(({ mask, ...one }) => (mask ? { ...one, mask } : one));
    const onSuccess = (): void => setEdited(undefined);
    if (kind === 'compose') ofCompose.mutate({ composeId: id, previewDatabases }, { onSuccess });
    else ofApplication.mutate({ applicationId: id, previewDatabases }, { onSuccess });
  };
  return (
    <div className="flex flex-col gap-4">
      <Fault error={saving.error} />
      {databases.map(({ id: databaseId, name }) => {
        const present = chosen.find((one) => one.databaseId === databaseId);
        return (
          <div key={databaseId} className="field">
            <label htmlFor={`from-${databaseId}`}>{name}</label>
            <select
              id={`from-${databaseId}`}
              className="input"
              value={present?.from ?? ''}
              onChange={({ target: { value } }) =>
                edit(
                  databaseId,
                  value === 'empty' || value === 'copy' || value === 'backup'
                    ? { from: value, mask: present?.mask }
                    : undefined,
                )
              }
            >
              {Object.entries(sources).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
            {present && (
              <textarea
                className="input mono mt-2"
                rows={3}
                aria-label={`Masking command of ${name}`}
                placeholder="update users set email = id || '@example.com'"
                spellCheck={false}
                value={present.mask ?? ''}
                onChange={({ target: { value } }) => edit(databaseId, { from: present.from, mask: value })}
              />
            )}
          </div>
        );
      })}
      <p className="text-12 text-faint">
        A preview refers to its own by the name of the original. The command is given to it before the preview
        starts; a fork gets no data without one.
      </p>
      <div>
        <Button onClick={save} disabled={edited === undefined || saving.isPending}>
          Save
        </Button>
      </div>
    </div>
  );
}
