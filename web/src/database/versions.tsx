/** Another major version, and the volumes that moves and restores kept. */
import { useState, type ReactElement } from 'react';
import { PutBackVolume } from '../backup/put-back.tsx';
import { Form } from '../form/form.tsx';
import { useGo } from '../frame/link.tsx';
import { ask, useDo } from '../live/api.ts';
import type { DatabaseKind } from '../live/services.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Panel } from '../parts/page.tsx';
import { named, procedureOf, type Database, type Service } from '../service/service.ts';

export function Versions({
  service,
  kind,
  database,
}: {
  service: Service;
  kind: DatabaseKind;
  database: Database;
}): ReactElement {
  const go = useGo();
  const remove = useDo(procedureOf(kind, 'removeFormerVolume') as 'postgres.removeFormerVolume');
  const [volume, setVolume] = useState<string | undefined>();
  const former =
    (database as { formerVolumes?: readonly (string | { volumeName: string })[] }).formerVolumes ?? [];
  const names = former.map((one) => (typeof one === 'string' ? one : one.volumeName));
  return (
    <>
      <Panel title="Another version" isPadded>
        <div className="grid max-w-[480px] gap-3 text-13">
          <p className="text-muted">
            The data is copied into a server of the new version and compared; only then does it replace the
            old one. The old volume stays.
          </p>
          <Form
            of={procedureOf(kind, 'upgrade') as 'postgres.upgrade'}
            show={['containerImage']}
            change={{
              containerImage: { label: 'Image', example: String(database.containerImage ?? '') },
            }}
            fixed={named(kind, service.id) as never}
            verb="Move the data"
            onDone={() =>
              void ask('deployment.latest', { databaseId: service.id }).then(
                (latest) => latest && go(`/deployments/${latest.deploymentId}`),
              )
            }
          />
        </div>
      </Panel>
      {names.length > 0 && (
        <Panel title="Former volumes">
          <ul className="rows text-13">
            {names.map((name) => (
              <li key={name} className="flex min-h-(--row) items-center gap-3 pr-2 pl-4">
                <code className="cut flex-1">{name}</code>
                <PutBackVolume of={{ databaseId: service.id }} volumeName={name} />
                <Button small look="danger" onClick={() => setVolume(name)}>
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {volume && (
        <Confirm
          title="Remove this volume?"
          verb="Remove volume"
          typed={volume}
          onClose={() => setVolume(undefined)}
          onConfirm={() => remove.mutateAsync({ ...named(kind, service.id), volumeName: volume } as never)}
        >
          <p>
            The data as it was before the move or the restore goes for good. The database that runs keeps its
            own.
          </p>
        </Confirm>
      )}
    </>
  );
}
