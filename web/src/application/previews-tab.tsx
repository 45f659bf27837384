/** Previews of pull requests and those made by hand, and how they are made. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { Go } from '../frame/link.tsx';
import { useAsk, useDo, type Answer } from '../live/api.ts';
import { isDatabase, pathOf, useServices } from '../live/services.ts';
import { OutputDialog } from '../log/output-dialog.tsx';
import { Button } from '../parts/button.tsx';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, Fault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { Confirm } from '../parts/dialog.tsx';
import type { Service } from '../service/service.ts';
import { NewPreview } from './new-preview.tsx';
import { OwnDatabases } from './own-databases.tsx';
import { PreviewDatabases } from './preview-databases.tsx';
import { WaitingPullRequests } from './waiting-pull-requests.tsx';

type Status = Answer<'previewDeployment.all'>[number]['status'];

const marks: Record<Status, { of: MarkName; word: string }> = {
  building: { of: 'running', word: 'Building' },
  running: { of: 'up', word: 'Up' },
  error: { of: 'failed', word: 'Failed' },
  stopped: { of: 'stopped', word: 'Stopped' },
};

const linkStyle = 'cut min-w-0 text-12 underline decoration-edge underline-offset-2';

export function PreviewsTab({ service }: { service: Service }): ReactElement | null {
  const { id, kind, application, compose } = service;
  const { data, error } = useAsk(
    'previewDeployment.all',
    kind === 'compose' ? { composeId: id } : { applicationId: id },
  );
  const redeploy = useDo('previewDeployment.redeploy');
  const start = useDo('previewDeployment.start');
  const stop = useDo('previewDeployment.stop');
  const kill = useDo('previewDeployment.killBuild');
  const remove = useDo('previewDeployment.delete');
  const [removing, setRemoving] = useState<string | undefined>();
  const [read, setRead] = useState<{ previewDeploymentId: string; name: string } | undefined>();
  const [isMaking, setMaking] = useState(false);
  const databases = (useServices().rows ?? []).filter(
    (row) => isDatabase(row.kind) && row.environmentId === service.environment.environmentId,
  );
  return (
    <>
      <WaitingPullRequests of={kind === 'compose' ? { composeId: id } : { applicationId: id }} />
      <Panel
        title="Open previews"
        actions={
          <Button small onClick={() => setMaking(true)}>
            New preview
          </Button>
        }
      >
        <div className="p-3 empty:hidden">
          <Fault error={error ?? redeploy.error ?? start.error ?? stop.error ?? kill.error} />
        </div>
        {!data && !error && <SkeletonRows rows={2} />}
        {data?.length === 0 && (
          <Empty icon="branch" title="No preview yet">
            With previews on, each pull request to the branch gets an address of its own, until it is closed.
            Any branch or image gets one by “New preview”.
          </Empty>
        )}
        <ul className="rows text-13">
          {data?.map((preview) => {
            const { previewDeploymentId, pullRequestNumber, domain, commit, status } = preview;
            const source = preview.image ?? preview.branch;
            const name = domain.replace(/^https?:\/\//, '') || (preview.name ?? source);
            return (
              <li key={previewDeploymentId} className="flex flex-col gap-1 py-1 pr-2 pl-4">
                <div className="flex min-h-(--row) flex-wrap items-center gap-x-4 gap-y-1 sm:flex-nowrap">
                  <Mark {...marks[status]} />
                  <span className="cut min-w-0 flex-1" title={source}>
                    <b className="font-medium">{preview.name ?? `#${pullRequestNumber ?? ''}`}</b> {source}
                    {!preview.isTrusted && (
                      <span className="text-warn">
                        {pullRequestNumber === null ? ' · of a commit' : ' · from a fork'}, without secrets
                      </span>
                    )}
                    {preview.expiresAt !== null && (
                      <span className="text-faint">
                        {' '}
                        · removed <Ago at={preview.expiresAt} />
                      </span>
                    )}
                  </span>
                  {commit && <code className="text-12 text-faint max-md:hidden">{commit.slice(0, 7)}</code>}
                  {kind === 'compose' && (
                    <Go to={pathOf({ kind, id: previewDeploymentId })} className={linkStyle}>
                      Services
                    </Go>
                  )}
                  {domain !== '' && (
                    <a
                      href={domain}
                      target="_blank"
                      rel="noreferrer"
                      className={`${linkStyle} max-sm:order-last max-sm:basis-full sm:max-w-[40%]`}
                    >
                      {name}
                    </a>
                  )}
                  <Menu
                    label="More for this preview"
                    className="button quiet small icon"
                    items={[
                      {
                        label: 'Output',
                        icon: 'eye',
                        onPick: () => setRead({ previewDeploymentId, name }),
                      },
                      {
                        label: 'Deploy again',
                        icon: 'refresh',
                        onPick: () => redeploy.mutate({ previewDeploymentId }),
                      },
                      { label: 'Start', icon: 'play', onPick: () => start.mutate({ previewDeploymentId }) },
                      { label: 'Stop', icon: 'stop', onPick: () => stop.mutate({ previewDeploymentId }) },
                      {
                        label: 'Stop its build',
                        icon: 'stop',
                        onPick: () => kill.mutate({ previewDeploymentId }),
                      },
                      {
                        label: 'Remove',
                        icon: 'close',
                        isDanger: true,
                        onPick: () => setRemoving(previewDeploymentId),
                      },
                    ]}
                  />
                </div>
                {preview.errorMessage !== null && (
                  <p className="pb-1 pl-6 text-12 text-down">{preview.errorMessage}</p>
                )}
                <OwnDatabases databases={preview.databases} />
              </li>
            );
          })}
        </ul>
      </Panel>
      <div className="max-w-[760px]">
        <Panel title="How previews are made" isPadded>
          {application && <ApplicationPreviewSettings id={id} application={application} />}
          {compose && <ComposePreviewSettings id={id} compose={compose} />}
        </Panel>
        {databases.length > 0 && (
          <Panel title="Databases of previews" isPadded>
            <PreviewDatabases
              service={service}
              databases={databases}
              stored={(application ?? compose)?.previewDatabases ?? []}
            />
          </Panel>
        )}
      </div>
      {isMaking && <NewPreview service={service} onClose={() => setMaking(false)} />}
      {read && (
        <OutputDialog
          of="previewDeployment.logs"
          input={{ previewDeploymentId: read.previewDeploymentId }}
          name={read.name}
          onClose={() => setRead(undefined)}
        />
      )}
      {removing && (
        <Confirm
          title="Remove this preview?"
          verb="Remove"
          onClose={() => setRemoving(undefined)}
          onConfirm={() => remove.mutateAsync({ previewDeploymentId: removing })}
        >
          <p>
            Its service, address and deployments go. A pull request stays as it is, and a push to it makes a
            new preview.
          </p>
        </Confirm>
      )}
    </>
  );
}

const labels = {
  isPreviewDeploymentsActive: { label: 'Pull requests get previews' },
  previewWildcard: { label: 'Host', example: '*.preview.example.com' },
  previewLimit: { label: 'Previews at once' },
  previewLabels: { label: 'Only pull requests with a label', help: 'Empty: all of them.' },
  previewEnv: { label: 'Variables of previews' },
  previewRequireCollaboratorPermissions: { label: 'Only of people who may push' },
};

function ApplicationPreviewSettings({
  id,
  application,
}: {
  id: string;
  application: NonNullable<Service['application']>;
}): ReactElement {
  return (
    <Form
      of="application.update"
      show={[
        'isPreviewDeploymentsActive',
        'previewWildcard',
        'previewPort',
        'previewPath',
        'previewLimit',
        'previewLabels',
        'previewEnv',
        'previewRequireCollaboratorPermissions',
      ]}
      change={{
        ...labels,
        previewPort: { label: 'Port of the container' },
        previewPath: { label: 'Path' },
      }}
      fixed={{ applicationId: id }}
      stored={{ ...application }}
      verb="Save"
    />
  );
}

function ComposePreviewSettings({
  id,
  compose,
}: {
  id: string;
  compose: NonNullable<Service['compose']>;
}): ReactElement {
  return (
    <Form
      of="compose.update"
      show={[
        'isPreviewDeploymentsActive',
        'previewWildcard',
        'previewLimit',
        'previewLabels',
        'previewEnv',
        'previewRequireCollaboratorPermissions',
      ]}
      change={labels}
      fixed={{ composeId: id }}
      stored={{ ...compose }}
      verb="Save"
    />
  );
}
