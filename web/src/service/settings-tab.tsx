/** Settings of a service: source and builder by hand, the rest from their descriptions. */
import type { ReactElement } from 'react';
import { Source } from '../application/source.tsx';
import { HealthCheck } from '../application/health-check.tsx';
import { Attachments } from '../application/attachments.tsx';
import type { FieldChange } from '../form/form-field.tsx';
import { Form } from '../form/form.tsx';
import { SaveBar } from '../form/save-bar.tsx';
import { isDatabase } from '../live/services.ts';
import { useRights } from '../live/viewer.ts';
import { Button } from '../parts/button.tsx';
import { Notice } from '../parts/notices.tsx';
import { OnThisPage } from '../parts/on-this-page.tsx';
import { Panel } from '../parts/page.tsx';
import { wordsOf } from '../deployment/changed-words.ts';
import { DeleteService } from './delete-service.tsx';
import { DeployFromForge } from './forge.tsx';
import { Deliveries } from './deliveries.tsx';
import { Webhook } from './webhook.tsx';
import { effectOf, needsDeployment } from './effects.ts';
import { useDeploy } from './service-actions.tsx';
import { named, procedureOf, type Service } from './service.ts';
import { useState } from 'react';

const change: Readonly<Record<string, FieldChange>> = {
  memoryLimit: { example: '512m', help: 'The kernel ends a task that takes more.' },
  memoryReservation: { example: '128m' },
  cpuLimit: { example: '1.5', help: 'Cores' },
  cpuReservation: { example: '0.25', help: 'Cores' },
  pidsLimit: { label: 'Processes', example: '4096', help: 'Most processes and threads of a container.' },
  description: { as: 'text' },
  postReleaseCommand: { as: 'text', example: 'npm run warm-up', help: 'As in a shell, with quotes.' },
  preReleaseCommand: { as: 'text', example: 'npm run migrate', help: 'As in a shell, with quotes.' },
  appName: { label: 'Internal name' },
};

const groups: Record<'application' | 'database' | 'compose', readonly [string, readonly string[]][]> = {
  application: [
    ['General', ['name', 'description', 'replicas', 'autoDeploy']],
    ['Resources', ['memoryLimit', 'memoryReservation', 'cpuLimit', 'cpuReservation', 'pidsLimit']],
    [
      'Running',
      [
        'command',
        'args',
        'updateOrder',
        'stopGracePeriod',
        'init',
        'preReleaseCommand',
        'postReleaseCommand',
        'rollbackActive',
        'labels',
        'placement',
      ],
    ],
  ],
  compose: [['General', ['name', 'description', 'composeType', 'autoDeploy', 'randomize', 'suffix']]],
  database: [
    ['General', ['name', 'description', 'containerImage']],
    [
      'Resources',
      ['memoryLimit', 'memoryReservation', 'cpuLimit', 'cpuReservation', 'pidsLimit', 'replicas'],
    ],
    ['Running', ['command', 'args']],
  ],
};

/** Programs of the caller's, which need their own right. */
const programFields = ['preReleaseCommand', 'postReleaseCommand'];

export function SettingsTab({ service }: { service: Service }): ReactElement {
  const { kind, id, application, compose, database, pendingChanges, live } = service;
  const { may } = useRights();
  const mayRun = may('canOpenTerminal');
  const [isDeleting, setDeleting] = useState(false);
  const stored = (application ?? compose ?? database) as Readonly<Record<string, unknown>>;
  const sections = groups[isDatabase(kind) ? 'database' : kind];
  const deploy = useDeploy(service);
  // Of a repository it stands beside what else decides when it is deployed.
  const isFetched = application !== undefined && !['container', 'drop'].includes(application.sourceType);
  const isOffered = (name: string): boolean =>
    (mayRun || !programFields.includes(name)) && !(isFetched && name === 'autoDeploy');
  return (
    <OnThisPage>
      <SaveBar
        effectOf={(names) => effectOf(names, live !== null)}
        needsDeployment={needsDeployment}
        onDeploy={() => deploy.run()}
      >
        {live !== null && pendingChanges.length > 0 && (
          <div className="mb-4">
            <Notice>
              Changed since the last deployment: {wordsOf(pendingChanges).join(', ')}. Deploy puts it into
              effect.
            </Notice>
          </div>
        )}
        {application && <Source application={application} />}
        {sections.map(([title, fields]) => (
          <Panel key={title} title={title} isPadded>
            <Form
              of={procedureOf(kind, 'update')}
              show={fields.filter(isOffered) as never}
              change={change as never}
              fixed={named(kind, id) as never}
              stored={stored}
              verb="Save"
              columns={title === 'Resources'}
            />
          </Panel>
        ))}
        {application && <HealthCheck application={application} />}
      </SaveBar>
      {application && <Attachments application={application} />}
      {!isDatabase(kind) && <Webhook service={service} />}
      {!isDatabase(kind) && <DeployFromForge service={service} />}
      {!isDatabase(kind) && <Deliveries service={service} />}
      {may('canDeleteServices') && (
        <Panel title="Delete" isPadded>
          <div className="flex flex-wrap items-center gap-4 text-13">
            <p className="min-w-0 flex-1 basis-60 text-muted">
              The service goes with its deployments and domains. Its name has to be typed.
            </p>
            <Button look="danger" onClick={() => setDeleting(true)}>
              Delete{' '}
              {kind === 'application' ? 'application' : kind === 'compose' ? 'compose service' : 'database'}
            </Button>
          </div>
        </Panel>
      )}
      {isDeleting && <DeleteService service={service} onClose={() => setDeleting(false)} />}
    </OnThisPage>
  );
}
