/** Volumes that outlived their service: removed, or given to another one. */
import { useState, type ReactElement } from 'react';
import { useAsk, useDo, type Input } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { bytes } from '../parts/units.ts';
import { named, type Service } from '../service/service.ts';
import { texts } from './texts.ts';

/** `service` is the one that a volume can be given to, and `volumes` are its own by name. */
export function KeptVolumes({
  serverId,
  service,
  volumes = [],
}: {
  serverId: string | null;
  service?: Service;
  volumes?: readonly string[];
}): ReactElement {
  const [isAsked, setAsked] = useState(false);
  const [removing, setRemoving] = useState<string | undefined>();
  const [using, setUsing] = useState<string | undefined>();
  const { data, error, isFetching, refetch } = useAsk(
    'cleanup.keptVolumes',
    { serverId },
    { enabled: isAsked, retry: false },
  );
  const remove = useDo('cleanup.removeKeptVolume');
  return (
    <Panel
      title="Volumes of deleted services"
      actions={
        <Button small isBusy={isFetching} onClick={() => (isAsked ? void refetch() : setAsked(true))}>
          {isAsked ? 'Look again' : 'Look for them'}
        </Button>
      }
    >
      <div className="grid gap-2 p-3 empty:hidden">
        <Fault error={error} />
        {(data === undefined || data.length === 0) && (
          <p className="text-13 text-faint">{data ? texts.noKeptVolumes : texts.keptVolumes}</p>
        )}
      </div>
      <ul className="rows text-13">
        {data?.map(({ volumeName, kind, serviceId, bytes: size, deletedAt }) => (
          <li key={volumeName} className="flex min-h-(--row) flex-wrap items-center gap-x-4 px-4">
            <span className="cut min-w-32 flex-1" title={`${kind} ${serviceId}`}>
              {volumeName}
            </span>
            <span className="tabular-nums">{size === null ? '' : bytes(size)}</span>
            {deletedAt !== null && (
              <span className="text-faint max-sm:hidden">
                deleted <Ago at={deletedAt} />
              </span>
            )}
            {service && volumes.length > 0 && (
              <Button small onClick={() => setUsing(volumeName)}>
                Use here
              </Button>
            )}
            <Button small look="quiet" onClick={() => setRemoving(volumeName)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {removing !== undefined && (
        <Confirm
          title="Remove the volume?"
          verb="Remove"
          typed={removing}
          onClose={() => setRemoving(undefined)}
          onConfirm={() => remove.mutateAsync({ serverId, volumeName: removing })}
        >
          <p>{texts.removeKeptVolume}</p>
        </Confirm>
      )}
      {service && using !== undefined && (
        <UseVolume
          service={service}
          volumes={volumes}
          keptVolume={using}
          onClose={() => setUsing(undefined)}
        />
      )}
    </Panel>
  );
}

function UseVolume({
  service: { kind, id, name },
  volumes,
  keptVolume,
  onClose,
}: {
  service: Service;
  volumes: readonly string[];
  keptVolume: string;
  onClose: () => void;
}): ReactElement {
  const [volumeName, setVolumeName] = useState(volumes[0] ?? '');
  const use = useDo('volumeBackup.useKeptVolume');
  return (
    <Confirm
      title={`Use it in ${name}?`}
      verb="Use it"
      onClose={onClose}
      onConfirm={() =>
        use.mutateAsync({
          ...named(kind, id),
          volumeName,
          keptVolume,
        } as Input<'volumeBackup.useKeptVolume'>)
      }
    >
      <p className="[overflow-wrap:anywhere]">
        <code>{keptVolume}</code>
      </p>
      {volumes.length > 1 && (
        <div className="field">
          <label htmlFor="kept-volume-as">Volume that it replaces</label>
          <select
            id="kept-volume-as"
            className="input"
            value={volumeName}
            onChange={(event) => setVolumeName(event.target.value)}
          >
            {volumes.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
      )}
      <p>{texts.useKeptVolume(volumeName)}</p>
    </Confirm>
  );
}
