/** The databases that a preview has of its own: what filled each, and how it is. */
import type { ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import type { Answer } from '../live/api.ts';
import { pathOf } from '../live/services.ts';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Ago } from '../parts/time.tsx';

type OwnDatabase = Answer<'previewDeployment.all'>[number]['databases'][number];

const marks: Record<OwnDatabase['status'], { of: MarkName; word: string }> = {
  filling: { of: 'running', word: 'Filling' },
  ready: { of: 'up', word: 'Filled' },
  failed: { of: 'failed', word: 'Failed' },
};

const origins: Record<OwnDatabase['from'], string> = {
  empty: 'empty, in place of',
  copy: 'copy of',
  backup: 'backup of',
};

export function OwnDatabases({ databases }: { databases: readonly OwnDatabase[] }): ReactElement | null {
  if (databases.length === 0) return null;
  return (
    <ul className="flex basis-full flex-col gap-1 pl-6 text-12" aria-label="Databases of this preview">
      {databases.map((one) => (
        <li key={one.databaseId} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Mark {...marks[one.status]} />
          <Go
            to={pathOf({ kind: one.databaseType, id: one.databaseId })}
            className="cut min-w-0 underline decoration-edge underline-offset-2"
          >
            {one.name}
          </Go>
          <span className="text-faint">
            {origins[one.from]} {one.sourceName}
            {one.from !== 'empty' && (
              <>
                {' '}
                · of <Ago at={one.asOf} />
              </>
            )}
            {one.isMasked ? ' · masked' : ' · not masked'}
          </span>
          {one.errorMessage !== null && <span className="basis-full text-down">{one.errorMessage}</span>}
        </li>
      ))}
    </ul>
  );
}
