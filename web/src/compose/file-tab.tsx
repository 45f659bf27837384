/** The compose file, in an editor; what the translation refuses stands at its line. */
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { useBlocker } from '@tanstack/react-router';
import { useDo, useAsk, sentenceOf } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Fault, Notice, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Form } from '../form/form.tsx';
import { Findings, useFileCheck } from './file-check.tsx';
import { useDeploy } from '../service/service-actions.tsx';
import type { Service } from '../service/service.ts';

const Editor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }));

export function FileTab({ service }: { service: Service }): ReactElement | null {
  const { compose, id } = service;
  const [text, setText] = useState(compose?.composeFile ?? '');
  const update = useDo('compose.update');
  const approve = useDo('compose.approve');
  const deploy = useDeploy(service);
  const services = useAsk('compose.loadServices', { composeId: id }, { retry: false });
  const stored = compose?.composeFile ?? '';
  const isEdited = text !== stored && text !== '';
  const isRaw = compose?.sourceType === 'raw';
  const check = useFileCheck(text, { composeId: id, about: compose?.revision, enabled: isRaw });
  // The page may be older than what it saved.
  const isKept = update.isSuccess && update.variables.composeFile === text;
  useBlocker({
    shouldBlockFn: () => isEdited && !isKept && !confirm('Leave without saving the file?'),
    enableBeforeUnload: () => isEdited,
  });
  if (!compose) return null;
  const save = (andDeploy: boolean): void =>
    update.mutate({ composeId: id, composeFile: text }, { onSuccess: () => andDeploy && deploy.run() });
  const refusal = update.error
    ? sentenceOf(update.error)
    : services.error
      ? sentenceOf(services.error)
      : undefined;
  return (
    <>
      {!isRaw && (
        <div className="mb-4">
          <Notice tone="busy">
            The file comes from a repository:{' '}
            {compose.customGitUrl ?? `${compose.owner ?? ''}/${compose.repository ?? ''}`},{' '}
            {compose.composePath}.
          </Notice>
        </div>
      )}
      <Panel
        title={
          services.data ? `${amountOf(services.data.length)}: ${services.data.join(', ')}` : 'Compose file'
        }
        actions={
          <>
            <Button small disabled={!isEdited} isBusy={update.isPending} onClick={() => save(false)}>
              Save
            </Button>
            <Button
              small
              look="primary"
              isBusy={update.isPending || deploy.isBusy}
              onClick={() => (isEdited ? save(true) : deploy.run())}
            >
              {isEdited ? 'Save and deploy' : 'Deploy'}
            </Button>
          </>
        }
      >
        <Suspense fallback={<SkeletonRows rows={10} />}>
          <Editor
            label="Compose file"
            value={text}
            onEdit={setText}
            refusal={check ? undefined : refusal}
            findings={check?.findings}
            isFixed={!isRaw}
          />
        </Suspense>
        {check && check.findings.length > 0 && (
          <div className="border-t border-line px-4 py-3">
            <Findings check={check} />
          </div>
        )}
      </Panel>
      <Fault error={update.error ?? services.error ?? deploy.error ?? approve.error} />
      {compose.awaitsApproval && (
        <div className="my-4">
          <Notice>
            <p>It asks for more access to the machine than has been approved:</p>
            <ul className="my-2 list-disc pl-5">
              {compose.awaitsApproval.dangers.map((danger, at) => (
                <li key={at}>
                  {danger.service}: {danger.what} {danger.value}
                </li>
              ))}
            </ul>
            <Button
              small
              isBusy={approve.isPending}
              onClick={() => approve.mutate({ composeId: id, digest: compose.awaitsApproval?.digest ?? '' })}
            >
              Approve
            </Button>
          </Notice>
        </div>
      )}
      <Panel title="Source" isPadded>
        <Form
          of="compose.update"
          show={[
            'sourceType',
            'customGitUrl',
            'customGitBranch',
            'composePath',
            'owner',
            'repository',
            'branch',
          ]}
          fixed={{ composeId: id }}
          stored={{ ...compose }}
          verb="Save source"
        />
      </Panel>
    </>
  );
}

const amountOf = (services: number): string => `${services} ${services === 1 ? 'service' : 'services'}`;
