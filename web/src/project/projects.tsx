import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { Go, useGo } from '../frame/link.tsx';
import { useAsk } from '../live/api.ts';
import { useServices } from '../live/services.ts';
import { useRights } from '../live/viewer.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Mark } from '../parts/mark.tsx';
import { Empty, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { texts } from './texts.ts';

export function Projects(): ReactElement {
  const { data: projects, error } = useAsk('project.all', {});
  const { rows: services = [] } = useServices();
  const { may } = useRights();
  const [isMaking, setMaking] = useState(false);
  const create = may('canCreateProjects') && (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} actions={projects?.length ? create : undefined}>
      <ReadFault error={error} />
      <Panel>
        {!projects && !error && <SkeletonRows />}
        {projects?.length === 0 && (
          <Empty
            icon="project"
            title={texts.emptyTitle}
            action={create}
            command="berth api project.create --name NAME"
          >
            {texts.empty}
          </Empty>
        )}
        <div className="rows">
          {projects?.map((project) => {
            const rows = services.filter(({ projectId }) => projectId === project.projectId);
            const troubled = rows.filter(
              ({ condition }) => condition === 'down' || condition === 'degraded',
            ).length;
            return (
              <Go
                key={project.projectId}
                to={`/projects/${project.projectId}`}
                data-row
                className={
                  'grid min-h-(--row) grid-cols-[minmax(0,1fr)_max-content] items-center ' +
                  'gap-x-4 px-4 py-1.5 text-13 no-underline ' +
                  'sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_160px_96px] sm:py-0'
                }
              >
                <span className="cut font-medium" title={project.name}>
                  {project.name}
                </span>
                <span className="cut text-faint max-sm:hidden">{project.description}</span>
                <span className="flex gap-3 text-12 text-faint">
                  {rows.length === 1 ? '1 service' : `${rows.length} services`}
                  {troubled > 0 && <Mark of="down" word={`${troubled} in trouble`} />}
                </span>
                <span className="text-end text-12 text-faint max-sm:hidden">
                  <Ago at={project.createdAt} />
                </span>
              </Go>
            );
          })}
        </div>
      </Panel>
      {isMaking && <NewProject onClose={() => setMaking(false)} />}
    </Page>
  );
}

function NewProject({ onClose }: { onClose: () => void }): ReactElement {
  const go = useGo();
  return (
    <Dialog title={texts.create} onClose={onClose}>
      <Form
        of="project.create"
        show={['name', 'description']}
        change={{ description: { as: 'text' } }}
        verb="Create project"
        onDone={({ project }) => go(`/projects/${project.projectId}`)}
        onCancel={onClose}
      />
    </Dialog>
  );
}
