/**
 * Backups of the volumes of an application or compose service, or of a Redis database by its dump: schedules,
 * runs with their steps, restores.
 */
import { useState, type ReactElement } from 'react';
import { Collection, type Row } from '../form/collection.tsx';
import { useAsk, useDo, type Input } from '../live/api.ts';
import { useRights } from '../live/viewer.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Fault, Notice } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { cronWords } from '../schedule/cron-words.ts';
import { named, type Service } from '../service/service.ts';
import { ChooseObject, type StoredObject } from './choose-object.tsx';
import { AddDestination } from './add-destination.tsx';
import { LastGood } from './last-good.tsx';
import { Runs } from './runs.tsx';
import { KeptVolumes } from './kept-volumes.tsx';
import { PutBackVolume } from './put-back.tsx';
import { scheduleWords } from './schedule-words.ts';
import { KeyOfObject, givenKey } from './key-of-object.tsx';
import { texts } from './texts.ts';

type Options = readonly { value: string; label: string }[];

export function VolumeBackups({ service }: { service: Service }): ReactElement | null {
  const owner = named(service.kind, service.id);
  const { data: volumes } = useAsk('volumeBackup.volumes', owner as Input<'volumeBackup.volumes'>);
  const { data: destinations = [] } = useAsk('destination.all', {}, { retry: false });
  const { data: backups = [] } = useAsk('volumeBackup.byService', owner as Input<'volumeBackup.byService'>);
  const { data: runs, error } = useAsk(
    'volumeBackup.runsByService',
    owner as Input<'volumeBackup.runsByService'>,
    { every: 10_000 },
  );
  // Any object may stand at a destination, so Owner and Admin alone restore.
  const { leads } = useRights();
  const [restoring, setRestoring] = useState<string | undefined>();
  const options = destinations.map(({ destinationId, name }) => ({ value: destinationId, label: name }));
  const names = new Map(options.map(({ value, label }) => [value, label]));
  // It dumps its data while it runs.
  const isRedis = service.kind === 'redis';
  const alarm = backups.find(({ alarmSince }) => alarmSince !== null);
  if (volumes?.length === 0 && backups.length === 0) return null;
  const choices = (volumes ?? []).map(({ volumeName }) => ({ value: volumeName, label: volumeName }));
  return (
    <>
      {alarm && (
        <div className="mb-4">
          <Notice tone="down">
            No good backup of {alarm.volumeName} since <Ago at={alarm.lastGoodAt ?? alarm.alarmSince} />.
          </Notice>
        </div>
      )}
      <Collection
        title={isRedis ? 'Backups' : 'Backups of volumes'}
        noun="schedule"
        about={options.length === 0 ? texts.noDestination : isRedis ? texts.empty : texts.emptyVolume}
        start={options.length === 0 && <AddDestination />}
        id="volumeBackupId"
        list="volumeBackup.byService"
        input={owner}
        create={options.length === 0 ? undefined : 'volumeBackup.create'}
        update="volumeBackup.update"
        remove="volumeBackup.remove"
        fixed={owner}
        show={[
          'volumeName',
          'destinationId',
          'schedule',
          'timeZone',
          'keepLatestCount',
          ...(isRedis ? [] : (['serviceDuring'] as const)),
          'prefix',
          'alarmAfterHours',
          'enabled',
        ]}
        change={{
          ...scheduleWords,
          volumeName: { label: 'Volume', options: choices, start: () => choices[0]?.value ?? '' },
          destinationId: { label: 'Destination', options, start: () => options[0]?.value ?? '' },
          serviceDuring: {
            label: 'The service meanwhile',
            help: texts.during,
            options: [
              { value: 'running', label: 'runs on' },
              { value: 'paused', label: 'is paused' },
              { value: 'stopped', label: 'is stopped, then started' },
            ],
          },
        }}
        name={({ volumeName, schedule }) => `${String(volumeName)}: ${cronWords(String(schedule))}`}
        detail={(row) => detailOf(row, names)}
        removal="It no longer runs. What it stored is kept at its destination."
        extra={leads && <Restores volumes={choices} isOff={options.length === 0} onRestore={setRestoring} />}
      />
      {backups.length > 0 && (
        <div className="mb-4 flex flex-wrap gap-2">
          {backups.map(({ volumeBackupId, volumeName }) => (
            <RunNow key={volumeBackupId} volumeBackupId={volumeBackupId} word={volumeName} />
          ))}
        </div>
      )}
      <Fault error={error} />
      <Runs runs={runs} />
      {leads && !isRedis && <FormerVolumes service={service} />}
      {leads && !isRedis && (
        <KeptVolumes
          serverId={service.serverId}
          service={service}
          volumes={choices.map(({ value }) => value)}
        />
      )}
      {restoring !== undefined && (
        <RestoreVolume
          service={service}
          volumeName={restoring}
          destinations={options}
          onClose={() => setRestoring(undefined)}
        />
      )}
    </>
  );
}

function detailOf(
  { destinationId, lastGoodAt, enabled }: Row,
  names: ReadonlyMap<string, string>,
): ReactElement {
  return (
    <>
      {names.get(String(destinationId))}
      {enabled === true ? '' : ', switched off'}; <LastGood at={lastGoodAt as string | null} />
    </>
  );
}

function Restores({
  volumes,
  isOff,
  onRestore,
}: {
  volumes: Options;
  isOff: boolean;
  onRestore: (volumeName: string) => void;
}): ReactElement {
  return (
    <>
      {volumes.map(({ value }) => (
        <Button key={value} small look="quiet" icon="undo" disabled={isOff} onClick={() => onRestore(value)}>
          Restore{volumes.length > 1 ? ` ${value}` : ''}
        </Button>
      ))}
    </>
  );
}

function RunNow({ volumeBackupId, word }: { volumeBackupId: string; word: string }): ReactElement {
  const run = useDo('volumeBackup.run');
  return (
    <>
      <Button isBusy={run.isPending} icon="download" onClick={() => run.mutate({ volumeBackupId })}>
        Back up {word} now
      </Button>
      <Fault error={run.error} />
    </>
  );
}

/** Begins it; the list of runs shows how it goes on. */
function RestoreVolume({
  service: { kind, id, name },
  volumeName,
  destinations,
  onClose,
}: {
  service: Service;
  volumeName: string;
  destinations: Options;
  onClose: () => void;
}): ReactElement {
  const restore = useDo('volumeBackup.restore');
  const [identity, setIdentity] = useState('');
  const [object, setObject] = useState<StoredObject | undefined>();
  if (!object)
    return (
      <ChooseObject
        title={`Restore the volume ${volumeName} of ${name}`}
        destinations={destinations}
        about={volumeName}
        onChoose={setObject}
        onClose={onClose}
      />
    );
  return (
    <Confirm
      title={`Restore the volume ${volumeName} of ${name}?`}
      verb="Restore"
      typed={name}
      onClose={onClose}
      onConfirm={async () =>
        void (await restore.mutateAsync({
          ...named(kind, id),
          volumeName,
          ...object,
          ...givenKey(identity),
        } as Input<'volumeBackup.restore'>))
      }
    >
      <p className="[overflow-wrap:anywhere]">
        From <code>{object.backupFile}</code>. {kind === 'redis' ? texts.restore : texts.restoreVolume}
      </p>
      <p>{texts.restoreVolumeStays}</p>
      <KeyOfObject path={object.backupFile} value={identity} onEdit={setIdentity} />
    </Confirm>
  );
}

/** With the state before restores. */
function FormerVolumes({ service: { kind, id } }: { service: Service }): ReactElement | null {
  const { data } = useAsk('cleanup.formerVolumes', {}, { retry: false });
  const remove = useDo('volumeBackup.removeFormerVolume');
  const [chosen, setChosen] = useState<string | undefined>();
  const own = data?.filter((volume) => volume.applicationId === id || volume.composeId === id) ?? [];
  if (own.length === 0) return null;
  return (
    <Panel title="Former volumes">
      <ul className="rows text-13">
        {own.map(({ volumeName, since }) => (
          <li key={volumeName} className="flex min-h-(--row) items-center gap-4 px-4">
            <span className="cut flex-1" title={volumeName}>
              {volumeName}
            </span>
            <span className="text-faint">
              <Ago at={since} />
            </span>
            <PutBackVolume of={named(kind, id)} volumeName={volumeName} />
            <Button small look="quiet" onClick={() => setChosen(volumeName)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {chosen !== undefined && (
        <Confirm
          title="Remove the former volume?"
          verb="Remove"
          onClose={() => setChosen(undefined)}
          onConfirm={async () =>
            void (await remove.mutateAsync({
              ...named(kind, id),
              volumeName: chosen,
            } as Input<'volumeBackup.removeFormerVolume'>))
          }
        >
          <p>{texts.formerVolume}</p>
        </Confirm>
      )}
    </Panel>
  );
}
