/** Previews of pull requests, and how they are made. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { useAsk, useDo, type Answer } from '../live/api.ts';
import { OutputDialog } from '../log/output-dialog.tsx';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, Fault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Confirm } from '../parts/dialog.tsx';
import type { Service } from '../service/service.ts';

type Status = Answer<'previewDeployment.all'>[number]['status'];

const marks: Record<Status, { of: MarkName; word: string }> = {
  building: { of: 'running', word: 'Building' },
  running: { of: 'up', word: 'Up' },
  error: { of: 'failed', word: 'Failed' },
  stopped: { of: 'stopped', word: 'Stopped' },
};

export function PreviewsTab({ service }: { service: Service }): ReactElement | null {
  const { id, application } = service;
  const { data, error } = useAsk('previewDeployment.all', { applicationId: id });
  const redeploy = useDo('previewDeployment.redeploy');
  const start = useDo('previewDeployment.start');
  const stop = useDo('previewDeployment.stop');
  const kill = useDo('previewDeployment.killBuild');
  const remove = useDo('previewDeployment.delete');
  const [removing, setRemoving] = useState<string | undefined>();
  const [read, setRead] = useState<{ previewDeploymentId: string; name: string } | undefined>();
  if (!application) return null;
  return (
    <>
      <Panel title="Open previews">
        <div className="p-3 empty:hidden">
          <Fault error={error ?? redeploy.error ?? start.error ?? stop.error ?? kill.error} />
        </div>
        {!data && !error && <SkeletonRows rows={2} />}
        {data?.length === 0 && (
          <Empty icon="branch" title="No preview yet">
            With previews on, each pull request to the branch gets an address of its own, until it is closed.
          </Empty>
        )}
        <ul className="rows text-13">
          {data?.map((preview) => {
            const { previewDeploymentId, pullRequestNumber, branch, domain, commit, status } = preview;
            return (
              <li
                key={previewDeploymentId}
                className={
                  'flex min-h-(--row) flex-wrap items-center gap-x-4 gap-y-1 py-1 pr-2 pl-4 ' +
                  'sm:flex-nowrap'
                }
              >
                <Mark {...marks[status]} />
                <span className="cut min-w-0 flex-1" title={branch}>
                  {pullRequestNumber !== null && <b className="font-medium">#{pullRequestNumber}</b>} {branch}
                  {!preview.isTrusted && <span className="text-warn"> · from a fork, without secrets</span>}
                </span>
                {commit && <code className="text-12 text-faint max-md:hidden">{commit.slice(0, 7)}</code>}
                <a
                  href={domain}
                  target="_blank"
                  rel="noreferrer"
                  className={
                    'cut min-w-0 text-12 underline decoration-edge underline-offset-2 ' +
                    'max-sm:order-last max-sm:basis-full sm:max-w-[40%]'
                  }
                >
                  {domain.replace(/^https?:\/\//, '')}
                </a>
                <Menu
                  label="More for this preview"
                  className="button quiet small icon"
                  items={[
                    {
                      label: 'Output',
                      icon: 'eye',
                      onPick: () =>
                        setRead({ previewDeploymentId, name: domain.replace(/^https?:\/\//, '') }),
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
              </li>
            );
          })}
        </ul>
      </Panel>
      <div className="max-w-[760px]">
        <Panel title="How previews are made" isPadded>
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
              isPreviewDeploymentsActive: { label: 'Pull requests get previews' },
              previewWildcard: { label: 'Host', placeholder: '*.preview.example.com' },
              previewPort: { label: 'Port of the container' },
              previewPath: { label: 'Path' },
              previewLimit: { label: 'Previews at once' },
              previewLabels: { label: 'Only pull requests with a label', help: 'Empty: all of them.' },
              previewEnv: { label: 'Variables of previews' },
              previewRequireCollaboratorPermissions: { label: 'Only of people who may push' },
            }}
            fixed={{ applicationId: id }}
            stored={{ ...application }}
            verb="Save"
          />
        </Panel>
      </div>
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
            Its service, address and deployments go. The pull request stays as it is, and a push to it makes a
            new preview.
          </p>
        </Confirm>
      )}
    </>
  );
}
