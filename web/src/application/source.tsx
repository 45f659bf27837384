/** Where the source of an application is and how it is built. */
import { useRef, useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { useGo } from '../frame/link.tsx';
import { queue, refresh, sentenceOf, useAsk } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Fault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { ChooseApplication } from './choose-application.tsx';
import { hosted, HostedSource, type HostName } from './hosted-source.tsx';
import type { Application } from '../service/service.ts';

const sources = [
  ['git', 'Git address'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['bitbucket', 'Bitbucket'],
  ['gitea', 'Gitea'],
  ['container', 'Image'],
  ['drop', 'Upload'],
] as const;
type SourceName = (typeof sources)[number][0];

const isHosted = (name: SourceName): name is HostName => name in hosted;

export function Source({ application }: { application: Application }): ReactElement {
  const { applicationId } = application;
  const [shown, setShown] = useState<SourceName>(application.sourceType as SourceName);
  const { data: keys = [] } = useAsk('sshKey.all', {}, { retry: false });
  const sshKeys = {
    customGitSSHKeyId: {
      label: 'SSH key',
      options: keys.map(({ sshKeyId, name }) => ({ value: sshKeyId, label: name })),
    },
  };
  const shared = { fixed: { applicationId }, stored: { ...application }, verb: 'Save' };
  const source = {
    ...shared,
    noun: 'Source',
    isUnsaved: application.sourceType !== shown,
    onDiscard: () => setShown(application.sourceType as SourceName),
  };
  return (
    <>
      <Panel title="Source" isPadded>
        <div role="radiogroup" aria-label="Kind of source" className="mb-4 flex flex-wrap gap-1">
          {sources.map(([name, label]) => (
            <button
              key={name}
              type="button"
              role="radio"
              aria-checked={shown === name}
              className="button small quiet aria-checked:!bg-pressed aria-checked:!text-ink"
              onClick={() => setShown(name)}
            >
              {label}
            </button>
          ))}
        </div>
        {shown === 'git' && (
          <Form
            of="application.saveGitProvider"
            show={[
              'customGitUrl',
              'customGitBranch',
              'customGitBuildPath',
              'customGitSSHKeyId',
              'enableSubmodules',
            ]}
            change={{
              ...sshKeys,
              customGitUrl: { label: 'Address', example: 'https://example.com/shop.git' },
              customGitBranch: { label: 'Branch', example: 'main' },
              customGitBuildPath: { label: 'Folder' },
            }}
            {...source}
          />
        )}
        {isHosted(shown) && (
          <HostedSource key={shown} application={application} host={shown} onDiscard={source.onDiscard} />
        )}
        {shown === 'container' && (
          <Form
            of="application.saveContainerProvider"
            show={['containerImage', 'registryUrl', 'username', 'password']}
            change={{ containerImage: { label: 'Image', example: 'nginx:1.27' } }}
            {...source}
          />
        )}
        {shown === 'drop' && <Upload applicationId={applicationId} />}
      </Panel>
      {application.sourceType !== 'container' && <ChooseApplication applicationId={applicationId} />}
      {application.sourceType !== 'container' && application.sourceType !== 'drop' && (
        <Panel title="When it is deployed by itself" isPadded>
          <Form
            of="application.update"
            show={['autoDeploy', 'triggerType', 'watchPaths']}
            change={{
              autoDeploy: { label: 'Deploy what is pushed' },
              triggerType: { label: 'On' },
              watchPaths: { label: 'Only when these paths change', help: 'Empty: whatever changes.' },
            }}
            {...shared}
          />
        </Panel>
      )}
      {application.sourceType !== 'container' && (
        <Panel title="Build" isPadded>
          <Form
            of="application.saveBuildType"
            show={[
              'buildType',
              'dockerfile',
              'containerContextPath',
              'containerBuildStage',
              'publishDirectory',
              'isStaticSpa',
            ]}
            change={{
              buildType: {
                label: 'Build with',
                help:
                  'auto: the Dockerfile of the source. Without one Berth writes it: Node.js, Python, Go, ' +
                  'PHP, Ruby, Java, Rust and .NET; a page with an index.html is served as it is.',
              },
              dockerfile: { when: ({ buildType }) => buildType === 'dockerfile' || buildType === 'auto' },
              containerContextPath: { label: 'Context', when: ({ buildType }) => buildType === 'dockerfile' },
              containerBuildStage: { label: 'Stage', when: ({ buildType }) => buildType === 'dockerfile' },
              publishDirectory: {
                help: 'Folder with the finished pages, such as dist. Empty: what the framework makes.',
                when: ({ buildType }) => buildType !== 'dockerfile',
              },
              isStaticSpa: {
                label: 'All addresses show index.html',
                when: ({ buildType }) => buildType === 'static' || buildType === 'auto',
              },
            }}
            {...shared}
          />
        </Panel>
      )}
    </>
  );
}

/** A zip or tar; it is deployed at once. */
export function Upload({ applicationId }: { applicationId: string }): ReactElement {
  const file = useRef<HTMLInputElement>(null);
  const go = useGo();
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });
  const upload = (chosen: File | undefined): void => {
    if (!chosen) return;
    setState({ isBusy: true, error: null });
    queue('application.dropDeployment', { applicationId }, chosen)
      .then(async (deploymentId) => {
        await refresh('application', 'deployment');
        return deploymentId;
      })
      .then(
        (deploymentId) => deploymentId && go(`/deployments/${deploymentId}`),
        (error: unknown) => setState({ isBusy: false, error: new Error(sentenceOf(error)) }),
      );
  };
  return (
    <div
      className="grid place-items-center gap-3 rounded-lg border border-dashed border-edge p-8 text-13"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        upload(event.dataTransfer.files[0]);
      }}
    >
      <p className="text-muted">Drop a zip or tar of the source here, or</p>
      <input
        ref={file}
        type="file"
        className="sr-only"
        tabIndex={-1}
        aria-label="Archive of the source"
        accept=".zip,.tar,.gz,.tgz"
        onChange={(event) => upload(event.target.files?.[0])}
      />
      <Button icon="upload" isBusy={state.isBusy} onClick={() => file.current?.click()}>
        Choose a file
      </Button>
      <Fault error={state.error} />
    </div>
  );
}
