/** How a service is, what came of it last, where it answers. */
import { lazy, Suspense, type ReactElement } from 'react';
import { DeploymentRows } from '../deployment/deployment-rows.tsx';
import { urlOf } from '../domain/domain.ts';
import { Go } from '../frame/link.tsx';
import { isDatabase, pathOf, useServiceRow } from '../live/services.ts';
import { Copy, Value } from '../parts/copy.tsx';
import { Mark } from '../parts/mark.tsx';
import { Empty, Notice } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { Usage } from './usage.tsx';
import { serviceOnCommandLine } from '../frame/actions.ts';
import type { Service } from './service.ts';
import { texts } from './texts.ts';

const TemplateUpdate = lazy(async () => ({
  default: (await import('../compose/template-update.tsx')).TemplateUpdate,
}));

const shown = 5;

export function Overview({ service }: { service: Service }): ReactElement {
  const { deployments, live, kind, id, domains } = service;
  const path = pathOf({ kind, id });
  const latest = deployments[0];
  const row = useServiceRow(id);
  return (
    <>
      <Trouble service={service} />
      {service.compose?.sourceType === 'raw' && (
        <Suspense fallback={null}>
          <TemplateUpdate service={service} />
        </Suspense>
      )}
      {live && <Usage service={service} />}
      <div className="grid items-start gap-x-4 lg:grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)]">
        <Panel
          title="Deployments"
          actions={
            deployments.length > shown && (
              <Go to={`${path}/deployments`} className="button quiet small">
                All {deployments.length}
              </Go>
            )
          }
        >
          {deployments.length === 0 ? (
            <Empty
              icon="deployment"
              title={texts.neverDeployed}
              command={`berth deploy ${serviceOnCommandLine(service)}`}
              action={
                kind === 'application' && (
                  <Go to={`${path}/settings`} className="button">
                    Choose the source
                  </Go>
                )
              }
            >
              {texts.neverDeployedMore(kind === 'application' || kind === 'compose')}
            </Empty>
          ) : (
            <DeploymentRows
              deployments={deployments.slice(0, shown)}
              live={live?.deploymentId}
              service={service.name}
            />
          )}
        </Panel>
        <div className="min-w-0">
          <Panel title="Running" isPadded>
            <dl className="facts">
              <dt>Condition</dt>
              <dd>{row && <Mark of={row.condition} />}</dd>
              {live?.since && (
                <>
                  <dt>Since</dt>
                  <dd>
                    <Ago at={live.since} />
                  </dd>
                </>
              )}
              {live && (
                <>
                  <dt>Tasks</dt>
                  <dd>
                    {live.running} of {live.desired}
                    {live.restarts > 0 && `, ended by themselves ${live.restarts} times`}
                  </dd>
                </>
              )}
              {live?.image && (
                <>
                  <dt>Image</dt>
                  <dd>
                    <Value what="image">{live.image}</Value>
                  </dd>
                </>
              )}
              {latest && live === null && (
                <>
                  <dt>Last tried</dt>
                  <dd>
                    <Ago at={latest.createdAt} />
                  </dd>
                </>
              )}
              <dt>Internal name</dt>
              <dd>
                <Value what="internal name">{service.appName}</Value>
              </dd>
            </dl>
          </Panel>
          {!isDatabase(kind) && (
            <Panel
              title="Domains"
              actions={
                <Go to={`${path}/domains`} className="button quiet small">
                  {domains.length === 0 ? 'Add' : 'All'}
                </Go>
              }
            >
              {domains.length === 0 ? (
                <p className="p-4 text-13 text-faint">Reached by services of its environment only.</p>
              ) : (
                <ul className="rows text-13">
                  {domains
                    .filter(({ onDemandOf }) => !onDemandOf)
                    .slice(0, 5)
                    .map((domain) => {
                      const address = urlOf(domain);
                      return (
                        <li key={domain.domainId} className="flex min-h-(--row) items-center gap-1 pr-2 pl-4">
                          <a href={address} target="_blank" rel="noreferrer" className="cut flex-1">
                            {address}
                          </a>
                          <Copy text={address} what="address" />
                        </li>
                      );
                    })}
                </ul>
              )}
            </Panel>
          )}
        </div>
      </div>
    </>
  );
}

/** What came of it after its deployment, in words. */
function Trouble({ service: { id, live, status, deployments } }: { service: Service }): ReactElement | null {
  const reason = useServiceRow(id)?.reason;
  const failed = status === 'error' ? deployments.find((one) => one.status === 'error') : undefined;
  return (
    <div className="mb-4 grid gap-2 empty:hidden">
      {live?.unreachableSince ? (
        <Notice>
          The engine of its server does not answer since <Ago at={live.unreachableSince} />. What stands here
          is as it was then.
        </Notice>
      ) : (
        reason != null && (
          <Notice tone="down">
            {reason}
            {live?.lastExit && reason.includes(live.lastExit.reason) && (
              <>
                {' '}
                <Ago at={live.lastExit.at} />
              </>
            )}
          </Notice>
        )
      )}
      {failed && (
        <Notice tone="down">
          The last deployment failed{live && live.running > 0 ? '; the one before it runs on' : ''}:{' '}
          {failed.errorMessage}{' '}
          <Go to={`/deployments/${failed.deploymentId}`} className="underline">
            Open its log
          </Go>
        </Notice>
      )}
    </div>
  );
}
