/** The newest deployments of everything that the viewer reaches: queued, running and ended. */
import { useMemo, type ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { useServices } from '../live/services.ts';
import { Empty, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { DeploymentRows } from './deployment-rows.tsx';
import { texts } from './texts.ts';

export function Deployments(): ReactElement {
  const { rows, error: unread } = useServices();
  const { data, error } = useAsk('deployment.all', {});
  const names = useMemo(() => new Map(rows?.map(({ id, name }) => [id, name])), [rows]);
  return (
    <Page title={texts.title} about={texts.about}>
      <ReadFault error={unread ?? error} />
      <Panel>
        {!data && !error && !unread && <SkeletonRows rows={8} />}
        {data?.length === 0 && (
          <Empty icon="deployment" title="Nothing has been deployed yet" command="berth deploy">
            {texts.empty}
          </Empty>
        )}
        {data && <DeploymentRows deployments={data} names={names} />}
      </Panel>
    </Page>
  );
}
