/** What a deployment brought: commits, settings and variables by name, against the release before it. */
import type { ReactElement, ReactNode } from 'react';
import { labelOf } from '../form/label.ts';
import { Go } from '../frame/link.tsx';
import { useAsk } from '../live/api.ts';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { commitLinks } from './commit-links.ts';
import type { Deployment } from './deployment-record.ts';
import { texts } from './texts.ts';

export function Changes({ deployment }: { deployment: Deployment }): ReactElement | null {
  const { deploymentId, applicationId } = deployment;
  const { data } = useAsk('deployment.changes', { deploymentId });
  const { data: application } = useAsk(
    'application.one',
    { applicationId: applicationId ?? '' },
    { enabled: applicationId !== null },
  );
  if (!data?.since) return null;
  const { since, commit, formerCommit, changed } = data;
  const links = application && commitLinks(application);
  const isOtherCommit = commit !== null && formerCommit !== null && commit !== formerCommit;
  const variables = changed?.filter((name) => name.includes('.')) ?? [];
  const settings = changed?.filter((name) => !name.includes('.') && !isBlockOf(name, variables)) ?? [];
  return (
    <Panel title={texts.changes}>
      <dl className="grid gap-x-6 gap-y-2 px-4 py-3 text-13 sm:grid-cols-[max-content_minmax(0,1fr)]">
        <Fact name={texts.since}>
          <Go to={`/deployments/${since.deploymentId}`} className="underline decoration-edge">
            {since.title}
          </Go>
          , <Ago at={since.createdAt} />
        </Fact>
        {commit !== null && (
          <Fact name={texts.commits}>
            {isOtherCommit ? (
              <>
                <Linked to={links?.commit(formerCommit)}>{formerCommit.slice(0, 7)}</Linked> →{' '}
                <Linked to={links?.commit(commit)}>{commit.slice(0, 7)}</Linked>
                {links && (
                  <>
                    {' · '}
                    <Linked to={links.between(formerCommit, commit)}>{texts.compare}</Linked>
                  </>
                )}
              </>
            ) : (
              texts.sameCommit
            )}
          </Fact>
        )}
        <Fact name={texts.settings}>
          {changed === null ? texts.notReleased : settings.map(labelOf).join(', ') || texts.none}
        </Fact>
        {changed !== null && (
          <Fact name={texts.variables}>
            {variables.length === 0
              ? texts.none
              : variables.map((name) => (
                  <code key={name} className="mr-2 inline-block text-12 [overflow-wrap:anywhere]">
                    {name.slice(name.indexOf('.') + 1)}
                  </code>
                ))}
          </Fact>
        )}
      </dl>
    </Panel>
  );
}

/** `env` stands in the list beside each `env.NAME`. */
const isBlockOf = (field: string, variables: readonly string[]): boolean =>
  variables.some((name) => name.startsWith(`${field}.`));

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 max-sm:mb-1">{children}</dd>
    </>
  );
}

function Linked({ to, children }: { to: string | undefined; children: ReactNode }): ReactElement {
  if (!to) return <code className="text-12">{children}</code>;
  return (
    <a href={to} target="_blank" rel="noreferrer" className="underline decoration-edge underline-offset-2">
      {children}
    </a>
  );
}
