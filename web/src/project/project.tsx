/** A project: its environments and what stands in them, shared variables, copying and removal. */
import { useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { Go, useGo } from '../frame/link.tsx';
import { useAsk, useDo, type Answer } from '../live/api.ts';
import { byAttention, useMeasuredServices } from '../live/services.ts';
import { useRights } from '../live/viewer.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu, type MenuItem } from '../parts/menu.tsx';
import { Empty, SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { PendingPage } from '../parts/pending-page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { ServiceRows } from '../service/service-rows.tsx';
import { environmentsOf } from './environments.ts';
import { ProjectBaseDomain } from './project-base-domain.tsx';
import { texts } from './texts.ts';

const ServiceMap = lazy(async () => ({ default: (await import('./map.tsx')).ServiceMap }));

type Project = Answer<'project.one'>;
type Environment = Project['environments'][number];
type Over =
  | 'rename'
  | 'duplicate'
  | 'variables'
  | 'base domain'
  | 'remove'
  | 'environment'
  | 'environment variables'
  | 'copy environment'
  | 'remove environment';

export function ProjectPage(): ReactElement {
  const { projectId = '' }: { projectId?: string } = useParams({ strict: false });
  const search: { environment?: string; view?: string } = useSearch({ strict: false });
  const { data: project, error } = useAsk('project.one', { projectId });
  const { rows: services = [] } = useMeasuredServices();
  const rights = useRights();
  const { may } = rights;
  const [over, setOver] = useState<Over | undefined>();
  if (!project) return <PendingPage title="Project" error={error} />;
  const { environments, environment } = environmentsOf(project.environments, search.environment);
  const rows = services
    .filter(({ environmentId }) => environmentId === environment?.environmentId)
    .toSorted(byAttention);
  const create = may('canCreateServices') && environment && (
    <Go to={`/new?environment=${environment.environmentId}`} className="button primary">
      <Icon name="plus" />
      New service
    </Go>
  );
  return (
    <Page
      title={project.name}
      about={project.description || undefined}
      actions={
        <>
          {environment && (
            <Go
              to={`/projects/${projectId}/logs?environment=${environment.environmentId}`}
              className="button"
            >
              {texts.logs}
            </Go>
          )}
          {create}
          <Menu label="More for this project" items={menuOf(setOver, environment, rights)} />
        </>
      }
    >
      <Tabs label="Environments" shown={environment?.environmentId}>
        {environments.map((one) => (
          <Go
            key={one.environmentId}
            to={`/projects/${projectId}?environment=${one.environmentId}`}
            aria-current={one === environment ? 'page' : undefined}
          >
            {one.name}
          </Go>
        ))}
      </Tabs>
      <Panel
        title={rows.length === 0 ? undefined : 'Services'}
        actions={
          environment && rows.length > 0 && <Views shown={search.view} {...{ projectId, environment }} />
        }
      >
        {rows.length === 0 ? (
          <Empty title="This environment is empty" action={create} command="berth deploy">
            Applications, databases and compose services of this environment see each other by name.
          </Empty>
        ) : search.view === 'map' ? (
          <Suspense fallback={<SkeletonRows rows={4} />}>
            <ServiceMap rows={rows} />
          </Suspense>
        ) : (
          <ServiceRows rows={rows} hasPlace={false} />
        )}
      </Panel>
      {over && <Overs over={over} onClose={() => setOver(undefined)} {...{ project, environment }} />}
    </Page>
  );
}

/** The same services as a list or as a picture. */
function Views({
  shown,
  projectId,
  environment: { environmentId },
}: {
  shown: string | undefined;
  projectId: string;
  environment: Environment;
}): ReactElement {
  const at = `/projects/${projectId}?environment=${environmentId}`;
  const isMap = shown === 'map';
  return (
    <nav aria-label="View" className="flex gap-1">
      <Go to={at} className="chip no-underline" aria-current={isMap ? undefined : 'page'}>
        List
      </Go>
      <Go to={`${at}&view=map`} className="chip no-underline" aria-current={isMap ? 'page' : undefined}>
        Map
      </Go>
    </nav>
  );
}

function menuOf(
  open: (over: Over) => void,
  environment: Environment | undefined,
  { may, leads }: Pick<ReturnType<typeof useRights>, 'may' | 'leads'>,
): (MenuItem | 'line')[] {
  const item = (label: string, over: Over, icon: MenuItem['icon'], isDanger = false): MenuItem => ({
    label,
    isDanger,
    ...(icon ? { icon } : {}),
    onPick: () => open(over),
  });
  return [
    item('Name and description', 'rename', 'settings'),
    item('Shared variables', 'variables', 'key'),
    ...(leads ? [item('Base domain', 'base domain', 'globe')] : []),
    ...(may('canCreateProjects') ? [item('Duplicate project', 'duplicate', 'copy')] : []),
    'line',
    ...(may('canCreateEnvironments') ? [item('New environment', 'environment', 'plus')] : []),
    ...(environment
      ? [
          item(`Variables of ${environment.name}`, 'environment variables', 'key'),
          ...(may('canCreateEnvironments')
            ? [item(`Duplicate ${environment.name}`, 'copy environment', 'copy')]
            : []),
        ]
      : []),
    'line',
    ...(environment && environment.name !== 'production' && may('canDeleteEnvironments')
      ? [item(`Remove ${environment.name}`, 'remove environment', 'close', true)]
      : []),
    ...(may('canDeleteProjects') ? [item('Remove project', 'remove', 'close', true)] : []),
  ];
}

const titles: Record<Exclude<Over, 'remove' | 'remove environment'>, string> = {
  rename: 'Name and description',
  variables: 'Shared variables of the project',
  'base domain': 'Base domain of the project',
  duplicate: 'Duplicate project',
  environment: 'New environment',
  'environment variables': 'Variables of the environment',
  'copy environment': 'Duplicate environment',
};

function Overs({
  over,
  onClose,
  project,
  environment,
}: {
  over: Over;
  onClose: () => void;
  project: Project;
  environment: Environment | undefined;
}): ReactElement | null {
  const go = useGo();
  const remove = useDo('project.remove');
  const removeEnvironment = useDo('environment.remove');
  const { projectId } = project;
  if (over === 'remove')
    return (
      <Confirm
        title={`Remove ${project.name}?`}
        verb="Remove project"
        typed={project.name}
        onClose={onClose}
        onConfirm={() => remove.mutateAsync({ projectId }).then(() => go('/projects'))}
      >
        <p>{texts.removeStays}</p>
      </Confirm>
    );
  if (over === 'remove environment')
    return (
      <Confirm
        title={`Remove ${environment?.name ?? ''}?`}
        verb="Remove environment"
        onClose={onClose}
        onConfirm={() =>
          removeEnvironment
            .mutateAsync({ environmentId: environment?.environmentId ?? '' })
            .then(() => go(`/projects/${projectId}`))
        }
      >
        <p>Its variables are removed with it. Only an environment without services can be removed.</p>
      </Confirm>
    );
  const environmentId = environment?.environmentId ?? '';
  const done = { onDone: onClose, onCancel: onClose };
  const env = {
    env: { label: 'Variables', help: 'KEY=VALUE, one a line; services read them as ${{project.KEY}}' },
  };
  return (
    <Dialog title={titles[over]} onClose={onClose} look={over.includes('variables') ? 'wide' : ''}>
      {over === 'rename' && (
        <Form
          of="project.update"
          show={['name', 'description']}
          fixed={{ projectId }}
          stored={{ ...project }}
          verb="Save"
          {...done}
        />
      )}
      {over === 'variables' && (
        <Form
          of="project.update"
          show={['env']}
          change={env}
          fixed={{ projectId }}
          stored={{ ...project }}
          verb="Save"
          {...done}
        />
      )}
      {over === 'base domain' && <ProjectBaseDomain project={project} onDone={onClose} />}
      {over === 'duplicate' && (
        <Form
          of="project.duplicate"
          show={['name']}
          fixed={{ projectId }}
          verb="Duplicate"
          onDone={(copy) => go(`/projects/${copy.projectId}`)}
          onCancel={onClose}
        />
      )}
      {over === 'environment' && (
        <Form
          of="environment.create"
          show={['name', 'description']}
          fixed={{ projectId }}
          verb="Create environment"
          {...done}
        />
      )}
      {over === 'environment variables' && (
        <Form
          of="environment.update"
          show={['env']}
          change={env}
          fixed={{ environmentId }}
          stored={{ ...environment }}
          verb="Save"
          {...done}
        />
      )}
      {over === 'copy environment' && (
        <Form
          of="environment.duplicate"
          show={['name']}
          fixed={{ environmentId }}
          verb="Duplicate"
          {...done}
        />
      )}
    </Dialog>
  );
}
