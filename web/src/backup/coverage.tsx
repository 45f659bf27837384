/** Which data of the organization is backed up, what is lacking, and the way to mend it. */
import type { ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { useAsk, type Answer } from '../live/api.ts';
import { kindWords, pathOf } from '../live/services.ts';
import { Mark } from '../parts/mark.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { LastGood } from './last-good.tsx';
import { Ago } from '../parts/time.tsx';
import { texts } from './texts.ts';

type Covered = Answer<'backup.coverage'>[number];

const lackWords: Record<Covered['lacking'][number], string> = {
  backup: 'no backup',
  goodBackup: 'no good backup yet',
  trial: 'never restored on trial',
  recovery: 'no recovery to any moment',
  key: 'encrypted, and Berth has no key',
};

export function Coverage(): ReactElement {
  const { data: rows, error } = useAsk('backup.coverage', {});
  return (
    <Panel title="Backup coverage">
      <div className="p-3 empty:hidden">
        <Fault error={error} />
      </div>
      {!rows && !error && <SkeletonRows rows={3} />}
      {rows?.length === 0 && <p className="p-4 text-13 text-muted">{texts.nothingToCover}</p>}
      <ul className="rows text-13">
        {rows?.map((row) => (
          <CoveredRow key={row.coverageId} row={row} />
        ))}
      </ul>
    </Panel>
  );
}

function CoveredRow({ row }: { row: Covered }): ReactElement {
  const { kind, serviceId, name, volumeName, lacking, lastGoodAt, restoredAt, encrypted } = row;
  const isWhole = lacking.length === 0;
  return (
    <li className="flex min-h-(--row) flex-wrap items-center gap-x-4 gap-y-1 px-4 py-1.5">
      <span className="min-w-0 flex-1 basis-52 [overflow-wrap:anywhere]">
        <b className="font-medium">{name}</b>{' '}
        <span className="text-muted">{volumeName === null ? kindWords[kind] : `volume ${volumeName}`}</span>
      </span>
      <span className="basis-52">
        <Mark
          of={isWhole ? 'done' : lacking.includes('backup') ? 'down' : 'degraded'}
          word={isWhole ? 'covered' : lacking.map((lack) => lackWords[lack]).join(', ')}
        />
      </span>
      <span className="basis-24 text-12 text-faint empty:hidden">
        {encrypted !== null && (encrypted ? 'encrypted' : 'not encrypted')}
      </span>
      <span className="text-12 text-faint">
        <LastGood at={lastGoodAt} />
        {restoredAt !== null && (
          <>
            , restored on trial <Ago at={restoredAt} />
          </>
        )}
      </span>
      <Go
        to={`${pathOf({ kind, id: serviceId })}/data`}
        className="underline decoration-edge underline-offset-2"
      >
        {isWhole ? 'Look' : 'Mend'}
      </Go>
    </li>
  );
}
