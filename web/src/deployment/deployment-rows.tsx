/** Deployments as rows: what became of each, why it failed, how long it took. */
import { useState, type ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { Button } from '../parts/button.tsx';
import { deploymentMark, Mark } from '../parts/mark.tsx';
import { Ago, Took } from '../parts/time.tsx';
import { serviceOf, titleOf, type Deployment } from './deployment-record.ts';
import { canRollBack, RollBack } from './roll-back.tsx';
import { stageWords } from './texts.ts';

export function DeploymentRows({
  deployments,
  live,
  names,
  service,
}: {
  deployments: readonly Deployment[];
  /** Id of the one whose release runs. */
  live?: string | null | undefined;
  /** Of the services, where several are mixed. */
  names?: ReadonlyMap<string, string>;
  /** Name of the service where they are of one, which can then be rolled back from here. */
  service?: string;
}): ReactElement {
  const [asked, setAsked] = useState<Deployment | undefined>();
  const canGoBack = (one: Deployment): boolean =>
    service !== undefined && canRollBack(one) && live !== one.deploymentId;
  return (
    <div className="rows @container">
      {deployments.map((deployment) => (
        <div key={deployment.deploymentId} className="hoverable relative">
          <Go
            to={`/deployments/${deployment.deploymentId}`}
            data-row
            className={
              'grid min-h-(--row) grid-cols-[max-content_minmax(0,1fr)_max-content] ' +
              'items-center gap-x-4 px-4 py-1.5 text-13 no-underline ' +
              'sm:grid-cols-[76px_minmax(0,1fr)_84px] ' +
              '@min-[680px]:grid-cols-[88px_minmax(0,1.6fr)_minmax(0,1fr)_64px_84px]'
            }
          >
            <Mark of={deploymentMark(deployment.status)} />
            <span
              className={
                'flex min-w-0 items-center gap-2 ' + (canGoBack(deployment) ? 'sm:@max-[680px]:pr-20' : '')
              }
            >
              {names && (
                <span className="cut shrink-0 font-medium max-w-[40%]">
                  {names.get(serviceOf(deployment)) ?? ''}
                </span>
              )}
              <span className="cut" title={titleOf(deployment)}>
                {titleOf(deployment)}
              </span>
              {live === deployment.deploymentId && (
                <span className="shrink-0 rounded-sm bg-up-soft px-1.5 text-12 text-up">Live</span>
              )}
              {deployment.commit && (
                <code className="shrink-0 text-12 text-faint max-sm:hidden">
                  {deployment.commit.slice(0, 7)}
                </code>
              )}
              {deployment.commitInfo && (
                <span className="cut text-12 text-faint max-sm:hidden">
                  {deployment.commitInfo.author}, {deployment.commitInfo.branch}
                </span>
              )}
            </span>
            <span className="cut text-12 @max-[680px]:hidden" title={deployment.errorMessage ?? undefined}>
              {deployment.errorMessage ? (
                <span className="text-down">{deployment.errorMessage}</span>
              ) : deployment.status === 'running' && deployment.stage ? (
                <span className="text-busy">{stageWords[deployment.stage] ?? deployment.stage}</span>
              ) : null}
            </span>
            <span className="text-end text-12 text-faint @max-[680px]:hidden">
              <Took from={deployment.startedAt} to={deployment.finishedAt} />
            </span>
            <span className="text-end text-12 text-faint">
              <Ago at={deployment.createdAt} />
            </span>
            {deployment.errorMessage && (
              <span className="cut col-span-3 text-12 text-down @min-[680px]:hidden">
                {deployment.errorMessage}
              </span>
            )}
          </Go>
          {canGoBack(deployment) && (
            <Button
              small
              className="absolute top-1 right-[112px] max-sm:hidden @min-[680px]:right-[196px]"
              aria-label={`Roll back to ${titleOf(deployment)}`}
              onClick={() => setAsked(deployment)}
            >
              Roll back
            </Button>
          )}
        </div>
      ))}
      {asked && <RollBack deployment={asked} name={service ?? ''} onClose={() => setAsked(undefined)} />}
    </div>
  );
}
