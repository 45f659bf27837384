/** Backups of a database: schedules, the last good one in words, runs with their steps, restores. */
import { useState, type ReactElement } from 'react';
import { Collection } from '../form/collection.tsx';
import { ask, refresh, useAsk } from '../live/api.ts';
import type { DatabaseKind } from '../live/services.ts';
import { Button } from '../parts/button.tsx';
import { Fault, Notice } from '../parts/notices.tsx';
import { Ago } from '../parts/time.tsx';
import { cronWords } from '../schedule/cron-words.ts';
import type { Database } from '../service/service.ts';
import { AddDestination } from './add-destination.tsx';
import type { StoredObject } from './choose-object.tsx';
import { Branches } from './branches.tsx';
import { LastGood } from './last-good.tsx';
import { Recovery, RestoreToMoment } from './recovery.tsx';
import { Restore } from './restore.tsx';
import { Runs } from './runs.tsx';
import { TimeLine } from './time-line.tsx';
import { nightly, scheduleWords } from './schedule-words.ts';
import { texts } from './texts.ts';

const manual = {
  postgres: 'backup.manualBackupPostgres',
  mysql: 'backup.manualBackupMySql',
  mariadb: 'backup.manualBackupMariadb',
  mongo: 'backup.manualBackupMongo',
} as const;

export function Backups({
  databaseId,
  kind,
  database,
}: {
  databaseId: string;
  kind: DatabaseKind;
  database: Database;
}): ReactElement {
  const { data: destinations = [] } = useAsk('destination.all', {}, { retry: false });
  const { data: backups = [] } = useAsk('backup.byDatabase', { databaseId, databaseType: backedUp(kind) });
  const { data: runs, error } = useAsk('backup.runsByDatabase', { databaseId }, { every: 10_000 });
  const [isRestoring, setRestoring] = useState<{ chosen?: StoredObject }>();
  const [moment, setMoment] = useState<string>();
  const options = destinations.map(({ destinationId, name }) => ({ value: destinationId, label: name }));
  // A MongoDB server has no database of its own name.
  const databaseName = database.databaseName ?? database.name;
  const names = new Map(options.map(({ value, label }) => [value, label]));
  const good = backups
    .map(({ lastGoodAt }) => lastGoodAt)
    .filter((at) => at !== null)
    .toSorted()
    .at(-1);
  const isEncrypted = destinations.some(({ recipients }) => recipients.length > 0);
  const alarm = backups.find(({ alarmSince }) => alarmSince !== null);
  return (
    <>
      {alarm && (
        <div className="mb-4">
          <Notice tone="down">
            No good backup since <Ago at={alarm.lastGoodAt ?? alarm.alarmSince} />.
          </Notice>
        </div>
      )}
      <TimeLine
        {...{ databaseId, kind }}
        onMoment={setMoment}
        onBackup={(chosen) => setRestoring({ chosen })}
      />
      <Collection
        title={good ? 'Backups' : 'Backups: none yet'}
        noun="schedule"
        about={destinations.length === 0 ? texts.noDestination : texts.empty}
        start={destinations.length === 0 && <AddDestination />}
        id="backupId"
        list="backup.byDatabase"
        input={{ databaseId, databaseType: kind }}
        create={destinations.length === 0 ? undefined : 'backup.create'}
        update="backup.update"
        remove="backup.remove"
        fixed={{ databaseId, databaseType: kind, [`${kind}Id`]: databaseId }}
        show={[
          'destinationId',
          'schedule',
          'timeZone',
          'keepLatestCount',
          'database',
          'prefix',
          'verifySchedule',
          'alarmAfterHours',
          'enabled',
        ]}
        change={{
          ...scheduleWords,
          destinationId: { label: 'Destination', options, start: () => options[0]?.value ?? '' },
          database: {
            label: 'Name of the database',
            help: 'Inside the server',
            start: () => databaseName,
            isFolded: true,
          },
          verifySchedule: {
            label: 'Trial restore',
            as: 'cron',
            help: texts.trial,
            isFolded: true,
          },
        }}
        name={({ schedule }) => cronWords(String(schedule))}
        detail={({ destinationId, lastGoodAt, enabled }) => (
          <>
            {names.get(String(destinationId))}
            {enabled === true ? '' : ', switched off'}; <LastGood at={lastGoodAt as string | null} />
          </>
        )}
        removal="It no longer runs. What it stored is kept at its destination."
        extra={
          <Button
            small
            look="quiet"
            icon="undo"
            disabled={destinations.length === 0}
            onClick={() => setRestoring({})}
          >
            Restore
          </Button>
        }
      />
      {backups.length === 0 && options.length > 0 && kind !== 'redis' && (
        <FirstBackup {...{ databaseId, kind, databaseName, options }} />
      )}
      {backups.length > 0 && (
        <div className="mb-4 flex flex-wrap gap-2">
          {backups.map(({ backupId, schedule }) => (
            <RunNow
              key={backupId}
              backupId={backupId}
              kind={kind}
              word={backups.length > 1 ? ` (${schedule})` : ''}
            />
          ))}
        </div>
      )}
      {kind === 'postgres' && (
        <Recovery postgresId={databaseId} destinations={options} onRestore={setMoment} />
      )}
      <Branches {...{ databaseId, kind, isEncrypted }} name={database.name} />
      <Fault error={error} />
      <Runs runs={runs} />
      {isRestoring && (
        <Restore
          databaseId={databaseId}
          kind={kind}
          name={database.name}
          databaseName={database.databaseName ?? ''}
          destinations={options}
          {...isRestoring}
          onClose={() => setRestoring(undefined)}
        />
      )}
      {moment !== undefined && (
        <RestoreToMoment
          postgresId={databaseId}
          name={database.name}
          chosen={moment}
          isEncrypted={isEncrypted}
          onClose={() => setMoment(undefined)}
        />
      )}
    </>
  );
}

/** A backup that no schedule runs: it is set up switched off, so that it can be made again by hand. */
function FirstBackup({
  databaseId,
  kind,
  databaseName,
  options,
}: {
  databaseId: string;
  kind: keyof typeof manual;
  databaseName: string;
  options: readonly { value: string; label: string }[];
}): ReactElement {
  const [destinationId, setDestination] = useState(options[0]?.value ?? '');
  const [state, setState] = useState<{ isBusy?: boolean; error?: unknown }>({});
  const begin = async (): Promise<void> => {
    const { backupId } = await ask('backup.create', {
      databaseType: kind,
      databaseId,
      destinationId,
      schedule: nightly,
      database: databaseName,
      enabled: false,
    });
    await ask('backup.run', { backupId });
    await refresh('backup');
  };
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <Button
        icon="download"
        isBusy={state.isBusy === true}
        onClick={() => {
          setState({ isBusy: true });
          begin().then(
            () => setState({}),
            (error: unknown) => setState({ error }),
          );
        }}
      >
        Back up now
      </Button>
      {options.length > 1 && (
        <label className="flex items-center gap-2 text-13">
          to
          <select
            className="input"
            aria-label="Destination"
            value={destinationId}
            onChange={(event) => setDestination(event.target.value)}
          >
            {options.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      <Fault error={state.error} />
    </div>
  );
}

/** Redis has no backups of this form. */
const backedUp = (kind: DatabaseKind): Exclude<DatabaseKind, 'redis'> =>
  kind === 'redis' ? 'postgres' : kind;

function RunNow({
  backupId,
  kind,
  word,
}: {
  backupId: string;
  kind: DatabaseKind;
  word: string;
}): ReactElement {
  const [state, setState] = useState<{ what?: string; error?: unknown }>({});
  const run = (what: string, procedure: 'backup.verify' | (typeof manual)[keyof typeof manual]): void => {
    setState({ what });
    ask(procedure, { backupId }).then(
      () => (setState({}), refresh('backup')),
      (error: unknown) => setState({ error }),
    );
    setTimeout(() => void refresh('backup'), 1000);
  };
  return (
    <>
      {kind !== 'redis' && (
        <Button isBusy={state.what === 'backup'} icon="download" onClick={() => run('backup', manual[kind])}>
          Back up now{word}
        </Button>
      )}
      <Button isBusy={state.what === 'verify'} onClick={() => run('verify', 'backup.verify')}>
        Try a restore{word}
      </Button>
      <Fault error={state.error} />
    </>
  );
}
