/** Which application of a monorepo is built: those of the newest source, once a deployment fetched it. */
import type { ReactElement } from 'react';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Fault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import type { Application } from '../service/service.ts';

type Found = NonNullable<Application['sourceApplications']>[number];

/** Nothing where the source is one application. */
export function ChooseApplication({ applicationId }: { applicationId: string }): ReactElement | null {
  const { data: application } = useAsk('application.one', { applicationId });
  const save = useDo('application.update');
  const found = application?.sourceApplications;
  if (!application || !found) return null;
  const field = application.sourceType === 'git' ? 'customGitBuildPath' : 'buildPath';
  const chosen = (application[field] ?? '').replaceAll(/^[./]+|\/+$/g, '');
  const choose = ({ folder, watchPaths }: Found): void =>
    save.mutate({ applicationId, [field]: folder, watchPaths });
  return (
    <Panel
      title="Applications of the source"
      about="The source has several. Choose the one that this service builds, from the next deployment on."
    >
      <ul data-list="source-applications">
        {found.map((one) => (
          <li
            key={one.folder}
            className="flex flex-wrap items-center gap-3 border-t border-edge px-4 py-3 text-13"
          >
            <div className="min-w-0 flex-1 basis-60">
              <span className="font-medium">{one.folder}</span> <span className="text-muted">{one.what}</span>
              <p className="help">Deploys when these change: {one.watchPaths.join(', ')}</p>
            </div>
            {one.folder === chosen ? (
              <span className="text-muted">Chosen</span>
            ) : (
              <Button small isBusy={save.isPending} onClick={() => choose(one)}>
                Build {one.folder}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Fault error={save.error} />
    </Panel>
  );
}
