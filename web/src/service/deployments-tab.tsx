import { useState, type ReactElement } from 'react';
import { DeploymentRows } from '../deployment/deployment-rows.tsx';
import { ask, refresh, useAsk, type Input } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Empty, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { ownerOf, type Service } from './service.ts';
import { texts } from './texts.ts';

export function DeploymentsTab({ service }: { service: Service }): ReactElement {
  const { kind, id, live } = service;
  const { data, error } = useAsk('deployment.all', ownerOf(kind, id) as Input<'deployment.all'>);
  const [isClearing, setClearing] = useState(false);
  return (
    <>
      <ReadFault error={error} />
      <Panel
        title={data ? `${data.length} ${data.length === 1 ? 'deployment' : 'deployments'}` : 'Deployments'}
        actions={
          kind === 'application' &&
          (data?.length ?? 0) > 1 && (
            <Button small look="quiet" onClick={() => setClearing(true)}>
              Clear old ones
            </Button>
          )
        }
      >
        {!data && !error && <SkeletonRows />}
        {data?.length === 0 && <Empty icon="deployment" title={texts.neverDeployed} />}
        {data && <DeploymentRows deployments={data} live={live?.deploymentId} service={service.name} />}
      </Panel>
      {isClearing && (
        <Confirm
          title="Clear old deployments?"
          verb="Clear"
          onClose={() => setClearing(false)}
          onConfirm={() =>
            ask('application.clearDeployments', { applicationId: id }).then(() =>
              refresh('application', 'deployment'),
            )
          }
        >
          <p>
            Their logs and images go, so you can no longer roll back to them. The live one and those under way
            stay.
          </p>
        </Confirm>
      )}
    </>
  );
}
