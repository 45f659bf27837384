/** Branches of a database: new ones with its data, what became of them, and the form that makes one. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { Go } from '../frame/link.tsx';
import { refresh, useAsk, type Answer } from '../live/api.ts';
import { pathOf, type ServiceKind } from '../live/services.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Notice } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { withLocalTimes } from '../parts/time.tsx';
import { texts } from './texts.ts';

type Branch = Answer<'backup.branches'>[number];

const marks: Record<Branch['status'], MarkName> = { filling: 'running', ready: 'done', failed: 'failed' };

export function Branches({
  databaseId,
  kind,
  name,
  isEncrypted,
}: {
  databaseId: string;
  kind: ServiceKind;
  name: string;
  /** Some destination's backups are. */
  isEncrypted: boolean;
}): ReactElement {
  const { data: branches = [] } = useAsk('backup.branches', { databaseId }, { every: 10_000 });
  const [isMaking, setMaking] = useState(false);
  const own = branches.find((one) => one.databaseId === databaseId);
  const made = branches.filter((one) => one !== own);
  return (
    <Panel title="Branches" isPadded>
      <div className="grid gap-4">
        {own && (
          <Notice tone={own.status === 'failed' ? 'down' : 'busy'}>
            A branch of {own.sourceName}: {wordsOf(own)}.
          </Notice>
        )}
        {made.length === 0 ? (
          <p className="text-13 text-muted">{texts.branches}</p>
        ) : (
          <ul className="grid gap-1 text-13">
            {made.map((one) => (
              <li key={one.databaseId} className="flex flex-wrap gap-x-3">
                <Mark of={marks[one.status]} />
                <Go to={pathOf({ kind, id: one.databaseId })} className="underline decoration-edge">
                  {one.name}
                </Go>
                <span className="text-faint">{wordsOf(one)}</span>
              </li>
            ))}
          </ul>
        )}
        <div>
          <Button icon="branch" onClick={() => setMaking(true)}>
            Branch
          </Button>
        </div>
      </div>
      {isMaking && (
        <NewBranch
          {...{ databaseId, name, isEncrypted }}
          hasMoments={kind === 'postgres'}
          onClose={() => setMaking(false)}
        />
      )}
    </Panel>
  );
}

const wordsOf = ({ asOf, moment, isMasked, expiresAt, errorMessage, status }: Branch): string =>
  withLocalTimes(
    [
      `${moment === null ? 'backup' : 'moment'} of ${asOf}`,
      isMasked ? 'masked' : 'not masked',
      ...(expiresAt === null ? [] : [`until ${expiresAt}`]),
      ...(status === 'failed' ? [`failed: ${errorMessage ?? ''}`] : []),
    ].join(', '),
  );

function NewBranch({
  databaseId,
  name,
  hasMoments,
  isEncrypted,
  onClose,
}: {
  databaseId: string;
  name: string;
  /** Of PostgreSQL, where a moment can be chosen. */
  hasMoments: boolean;
  isEncrypted: boolean;
  onClose: () => void;
}): ReactElement {
  const { data: projects = [] } = useAsk('project.all', {});
  const { data: runs = [] } = useAsk('backup.runsByDatabase', { databaseId });
  const places = projects.flatMap((project) =>
    project.environments.map((environment) => ({
      value: environment.environmentId,
      label: `${project.name} / ${environment.name}`,
    })),
  );
  const stored = runs
    .filter(({ operation, isStored }) => operation === 'backup' && isStored)
    .map(({ backupRunId, path }) => ({ value: backupRunId, label: path }));
  return (
    <Dialog title={`Branch ${name}`} onClose={onClose}>
      <Form
        of="backup.branch"
        show={[
          'name',
          'environmentId',
          'backupRunId',
          ...(hasMoments ? (['at'] as const) : []),
          'mask',
          'expiresInHours',
          ...(isEncrypted ? (['identity'] as const) : []),
        ]}
        change={{
          name: { label: 'Name', start: () => `${name}-branch` },
          environmentId: { label: 'Environment', options: places, empty: 'The same' },
          backupRunId: {
            label: 'Backup',
            options: stored,
            empty: 'The newest',
            help: 'Stored and verified.',
          },
          at: {
            label: 'Moment',
            example: '2026-11-20T14:03:07Z',
            help: 'In place of a backup; with its time zone, Z for UTC.',
          },
          mask: { label: 'Masking command', as: 'area' },
          expiresInHours: { label: 'Removed after', unit: 'hours' },
          identity: { label: texts.askKey, as: 'password', isFolded: true },
        }}
        fixed={{ databaseId }}
        verb="Branch"
        onCancel={onClose}
        onDone={() => {
          void refresh('backup', 'project');
          onClose();
        }}
      />
    </Dialog>
  );
}
