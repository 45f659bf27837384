/** What the services of an environment write, together: each line in the colour of its service. */
import { useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { useAsk } from '../live/api.ts';
import { useFilterInAddress } from '../log/use-filter.ts';
import { LiveMark } from '../log/live-mark.tsx';
import { LogView } from '../log/log-view.tsx';
import { useLog } from '../log/use-log.ts';
import { PanelFault } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { PendingPage } from '../parts/pending-page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { environmentsOf } from './environments.ts';
import { texts } from './texts.ts';

export function ProjectLogs(): ReactElement {
  const { projectId = '' }: { projectId?: string } = useParams({ strict: false });
  const search: { environment?: string } = useSearch({ strict: false });
  const { data: project, error } = useAsk('project.one', { projectId });
  if (!project) return <PendingPage title={texts.logs} error={error} />;
  const { environments, environment } = environmentsOf(project.environments, search.environment);
  return (
    <Page
      title={texts.logs}
      about={
        <Go
          to={`/projects/${projectId}?environment=${environment?.environmentId ?? ''}`}
          className="cut underline decoration-edge underline-offset-2"
        >
          {project.name}
        </Go>
      }
    >
      <Tabs label="Environments" shown={environment?.environmentId}>
        {environments.map((one) => (
          <Go
            key={one.environmentId}
            to={`/projects/${projectId}/logs?environment=${one.environmentId}`}
            aria-current={one === environment ? 'page' : undefined}
          >
            {one.name}
          </Go>
        ))}
      </Tabs>
      {environment && (
        <Mixed
          key={environment.environmentId}
          environmentId={environment.environmentId}
          name={`${project.name} ${environment.name}`}
        />
      )}
    </Page>
  );
}

/** So many of each service to begin with. */
const tail = 500;
const tailOfRange = 2_000;

function Mixed({ environmentId, name }: { environmentId: string; name: string }): ReactElement {
  const state = useFilterInAddress();
  const isDeep = state.filter.range !== '' || location.hash.startsWith('#T');
  const log = useLog('environment.logs', { environmentId, tail: isDeep ? tailOfRange : tail });
  return (
    <Panel>
      <PanelFault error={log.fault} />
      <LogView
        store={log.store}
        label={`output of ${name}`}
        name={name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}
        isLive={log.state === 'live'}
        isMixed
        linksBy="time"
        state={state}
        aside={<LiveMark log={log} />}
        empty={log.state === 'over' ? texts.logsNothing : texts.logsEmpty}
      />
    </Panel>
  );
}
