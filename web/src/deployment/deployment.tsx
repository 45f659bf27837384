/** One deployment: reason on top, stages, live log, roll back. */
import { useParams, useSearch } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ChooseApplication } from '../application/choose-application.tsx';
import { Go, useGo } from '../frame/link.tsx';
import { toast } from '../frame/toasts.tsx';
import { useAsk, useDo, useQueue, type Input, type Path } from '../live/api.ts';
import { pathOf, useServices, type ServiceRow } from '../live/services.ts';
import { LiveMark } from '../log/live-mark.tsx';
import { LogView } from '../log/log-view.tsx';
import { useLog } from '../log/use-log.ts';
import { Button } from '../parts/button.tsx';
import { Steps } from '../new/steps.tsx';
import { Copy, Value } from '../parts/copy.tsx';
import { deploymentMark, Mark } from '../parts/mark.tsx';
import { Fault, Notice, PanelFault, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Ago, Took } from '../parts/time.tsx';
import { named, procedureOf } from '../service/service.ts';
import { Changes } from './changes.tsx';
import { formerOf, serviceOf, titleOf, type Deployment } from './deployment-record.ts';
import { WrittenDockerfile } from './written-dockerfile.tsx';
import { canRollBack, RollBack } from './roll-back.tsx';
import { Stages } from './stages.tsx';
import { stageWords, texts } from './texts.ts';

/** A rollback and a move build nothing. */
const isBuilt = ({ kind }: Deployment): boolean => kind === 'deploy' || kind === 'redeploy';
const isUnderWay = ({ status }: Deployment): boolean => status === 'queued' || status === 'running';
const failureTitle = ({ status, stage }: Deployment): string =>
  status === 'done'
    ? 'Deployed, with a failure afterwards'
    : (status === 'cancelled' ? 'Cancelled' : 'Failed') + (stage ? `: ${stageWords[stage] ?? stage}` : '');

export function DeploymentPage(): ReactElement {
  const { deploymentId = '' }: { deploymentId?: string } = useParams({ strict: false });
  const { data: deployment, error } = useAsk('deployment.one', { deploymentId });
  const { rows } = useServices();
  const service = deployment && rows?.find(({ id }) => id === serviceOf(deployment));
  if (!deployment)
    return (
      <Page title="Deployment">
        {error ? (
          <ReadFault error={error} />
        ) : (
          <Panel>
            <SkeletonRows rows={3} />
          </Panel>
        )}
      </Page>
    );
  return (
    <Page
      title={titleOf(deployment)}
      mark={<Mark of={deploymentMark(deployment.status)} />}
      about={<About {...{ deployment, service }} />}
      actions={<Actions {...{ deployment, service }} />}
    >
      {deployment.errorMessage && (
        <div className="mb-4">
          <Fault title={failureTitle(deployment)} error={deployment.errorMessage} />
        </div>
      )}
      {deployment.applicationId && deployment.stage === 'build' && deployment.status === 'error' && (
        <ChooseApplication applicationId={deployment.applicationId} />
      )}
      <Answers deployment={deployment} service={service} />
      <Stages deployment={deployment} isUnderWay={isUnderWay(deployment)} />
      <Changes deployment={deployment} />
      <WrittenDockerfile deployment={deployment} />
      <DeploymentLog deployment={deployment} />
    </Page>
  );
}

/** What everybody wants to know at the end of the first deployment. */
function Answers({
  deployment,
  service,
}: {
  deployment: Deployment;
  service: ServiceRow | undefined;
}): ReactElement | null {
  const search: { new?: string } = useSearch({ strict: false });
  const isDone = deployment.status === 'done' && service !== undefined;
  const address = isDone ? service.address : undefined;
  return (
    <>
      {search.new === 'yes' && <Steps at={2} />}
      {search.new === 'yes' && deployment.composeId && <FirstSteps composeId={deployment.composeId} />}
      {isDone && address && (
        <div className="mb-4">
          <Notice tone="up">
            {service.name} is released at{' '}
            <a href={address} target="_blank" rel="noreferrer" className="font-medium underline">
              {address}
            </a>{' '}
            <Copy text={address} what="address" />
          </Notice>
        </div>
      )}
    </>
  );
}

/** What the template of a compose service says of the first sign-in. */
function FirstSteps({ composeId }: { composeId: string }): ReactElement | null {
  const { data } = useAsk('compose.one', { composeId });
  if (!data?.description) return null;
  return (
    <div className="mb-4">
      <Notice tone="busy">
        <span className="whitespace-pre-line">{data.description}</span>
      </Notice>
    </div>
  );
}

function About({
  deployment,
  service,
}: {
  deployment: Deployment;
  service: ServiceRow | undefined;
}): ReactElement {
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      {service && (
        <Go to={pathOf(service)} className="cut max-w-full underline decoration-edge underline-offset-2">
          {service.projectName} / {service.name}
        </Go>
      )}
      <span>
        Began <Ago at={deployment.startedAt ?? deployment.createdAt} />
      </span>
      <span>
        Took <Took from={deployment.startedAt} to={deployment.finishedAt} />
      </span>
      {deployment.commit && <Value what="commit">{deployment.commit.slice(0, 12)}</Value>}
      {deployment.commitInfo && (
        <span className="cut">
          {deployment.commitInfo.author}, {deployment.commitInfo.branch}
        </span>
      )}
    </span>
  );
}

function Actions({
  deployment,
  service,
}: {
  deployment: Deployment;
  service: ServiceRow | undefined;
}): ReactElement {
  const go = useGo();
  const [target, setTarget] = useState<Deployment | undefined>();
  const redeploy = useQueue('application.deploy');
  const again = useQueue(procedureOf(service?.kind ?? 'application', 'deploy'));
  const back = useBackTo(deployment);
  const kill = useDo('application.killBuild');
  const killCompose = useDo('compose.killBuild');
  const { applicationId, composeId } = deployment;
  const canStop = isUnderWay(deployment) && (applicationId !== null || composeId !== null);
  return (
    <>
      {canStop && (
        <Button
          icon="stop"
          isBusy={kill.isPending || killCompose.isPending}
          onClick={() =>
            applicationId === null
              ? killCompose.mutate({ composeId: composeId ?? '' })
              : kill.mutate({ applicationId })
          }
        >
          Stop
        </Button>
      )}
      {service && !isUnderWay(deployment) && deployment.status !== 'done' && isBuilt(deployment) && (
        <Button
          look="primary"
          icon="deployment"
          isBusy={again.isPending}
          onClick={() =>
            again.mutate(named(service.kind, service.id) as Input<Path>, {
              onSuccess: (deploymentId) => deploymentId && go(`/deployments/${deploymentId}`),
              onError: (error) => toast(error.message),
            })
          }
        >
          {texts.again}
        </Button>
      )}
      {!isUnderWay(deployment) && applicationId !== null && isBuilt(deployment) && (
        <Button
          icon="refresh"
          isBusy={redeploy.isPending}
          onClick={() =>
            redeploy.mutate(
              { applicationId, withoutCache: true, title: texts.withoutCache },
              {
                onSuccess: (deploymentId) => deploymentId && go(`/deployments/${deploymentId}`),
                onError: (error) => toast(error.message),
              },
            )
          }
        >
          {texts.withoutCache}
        </Button>
      )}
      {back && (
        <Button icon="undo" onClick={() => setTarget(back.to)}>
          {back.isFormer ? (
            <span>
              Roll back to {back.to.commit?.slice(0, 7) ?? titleOf(back.to)} (<Ago at={back.to.createdAt} />)
            </span>
          ) : (
            texts.rollbackHere
          )}
        </Button>
      )}
      {target && (
        <RollBack deployment={target} name={service?.name ?? ''} onClose={() => setTarget(undefined)} />
      )}
    </>
  );
}

/** Where this page's roll back leads: to this deployment, or from the live one to the one before it. */
function useBackTo(deployment: Deployment): { to: Deployment; isFormer: boolean } | undefined {
  const { applicationId, deploymentId } = deployment;
  const isAsked = { enabled: applicationId !== null, retry: false };
  const { data: application } = useAsk('application.one', { applicationId: applicationId ?? '' }, isAsked);
  const { data: all } = useAsk('deployment.all', { applicationId: applicationId ?? '' }, isAsked);
  if (!canRollBack(deployment) || application === undefined) return undefined;
  if (application.live?.deploymentId !== deploymentId) return { to: deployment, isFormer: false };
  const former = formerOf((all ?? []) as readonly Deployment[], deployment);
  return former && { to: former, isFormer: true };
}

function DeploymentLog({ deployment }: { deployment: Deployment }): ReactElement {
  const { deploymentId } = deployment;
  const log = useLog('deployment.logs', { deploymentId });
  return (
    <Panel
      title={
        <span className="flex items-center gap-3">
          Log
          {isUnderWay(deployment) && <LiveMark log={log} />}
        </span>
      }
    >
      <PanelFault error={log.fault} />
      <LogView
        store={log.store}
        label="log of the deployment"
        name={`deployment-${deploymentId}`}
        isLive={log.state === 'live'}
        empty={deployment.status === 'queued' ? 'Waits for its turn.' : 'Nothing has been written yet.'}
      />
    </Panel>
  );
}
