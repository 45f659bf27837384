/** Deletion: what goes, what stays, and the name to be typed. */
import { useState, type ReactElement } from 'react';
import { useGo } from '../frame/link.tsx';
import { toast } from '../frame/toasts.tsx';
import { useDo, type Input, type Path } from '../live/api.ts';
import { isDatabase } from '../live/services.ts';
import { Confirm } from '../parts/dialog.tsx';
import { named, procedureOf, type Service } from './service.ts';

export function DeleteService({ service, onClose }: { service: Service; onClose: () => void }): ReactElement {
  const { kind, id, name, environment } = service;
  const go = useGo();
  const [withData, setWithData] = useState(false);
  const isBase = isDatabase(kind);
  const remove = useDo(procedureOf(kind, isBase ? 'remove' : 'delete'));
  const more = isBase ? { deleteBackups: withData } : { deleteVolumes: withData };
  return (
    <Confirm
      title={`Delete ${name}?`}
      verb="Delete"
      typed={name}
      onClose={onClose}
      onConfirm={() =>
        remove.mutateAsync({ ...named(kind, id), ...more } as Input<Path>).then(() => {
          toast(`${name} is deleted`);
          go(`/projects/${environment.project.projectId}`);
        })
      }
    >
      <p>
        <b className="text-ink">Goes:</b> the service, its deployments and logs, its domains
        {isBase ? ', its volumes with all data, its backup schedules' : ', its previews'}.
      </p>
      <p>
        <b className="text-ink">Stays:</b>{' '}
        {isBase ? 'backups that are stored at destinations' : 'named volumes'}, unless you say so here.
      </p>
      <label className="flex items-center gap-2 text-ink">
        <input type="checkbox" checked={withData} onChange={(event) => setWithData(event.target.checked)} />
        {isBase ? 'Delete its stored backups too' : 'Delete its volumes with their data too'}
      </label>
    </Confirm>
  );
}
