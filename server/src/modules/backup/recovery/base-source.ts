/**
 * All files of a running PostgreSQL server as the source of a backup: the beginning of what its log goes on
 * from.
 */
import type { DatabaseRecord } from '../../../db/tables.ts';
import { socketMount } from '../../../domain/database-socket.ts';
import { AppError } from '../../../domain/errors.ts';
import { backupRunLabel, organizationLabel } from '../../../domain/names/labels.ts';
import { serverKeyOf } from '../../../domain/names/server-key.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import { randomId } from '../../../ports/clock.ts';
import type { Engine, ServiceSpec } from '../../../ports/engine/engine.ts';
import type { ProgramSpec } from '../../../ports/engine/engine-program.ts';
import type { Hosts } from '../../../ports/host/host.ts';
import { askServer } from '../../database/ask-server.ts';
import type { RunContext } from '../runs/run-context.ts';
import type { BackupSource, BackupSourceKind } from '../source.ts';
import type { BackupRecord, RecoveryStore } from '../store.ts';
import { baseEnding } from './follow.ts';
import { clientEnvironment, streamNames } from './stream-service.ts';
import { parseStart } from './wal.ts';

export interface BaseSourcePorts {
  store: RecoveryStore;
  hosts: Hosts;
  findDatabase(databaseId: string): Promise<DatabaseRecord | undefined>;
  liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
  removeContainers(databaseId: string | null, label: string): Promise<void>;
}

const clockLimitMs = 60_000;
const limits = { memoryBytes: 256 * 1024 ** 2, nanoCpus: 1_000_000_000, pids: 32 };

export function createBaseSource(ports: BaseSourcePorts): BackupSourceKind {
  return {
    ending: () => baseEnding,
    open: (backup, context) => open(ports, backup, context),
    tidy: ({ databaseId, backupRunId }) =>
      ports.removeContainers(databaseId, `${backupRunLabel}=${backupRunId}`),
  };
}

async function open(
  { store, hosts, findDatabase, liveSpec }: BaseSourcePorts,
  backup: BackupRecord,
  { run, signal, say }: RunContext,
): Promise<BackupSource> {
  const database = await findDatabase(backup.databaseId ?? '');
  const live = database && (await liveSpec(database));
  const [span] = await store.spans.list({ backupId: backup.backupId, endedAt: null });
  if (!database || !live || !span)
    throw new AppError(
      'PRECONDITION_FAILED',
      'The stream of the log has not begun yet. It begins within a minute of a running database, and a ' +
        'base backup is made then.',
    );
  const { engine } = await hosts.of(serverKeyOf(database));
  const password = clientEnvironment(database)['PGPASSWORD'] ?? '';
  return {
    title: `all files of ${database.name} (${live.image})`,
    secrets: [password],
    async *read() {
      let start: ReturnType<typeof parseStart>;
      yield* engine.programOutput(programOf(database, live, run.backupRunId), {
        signal,
        onLine(line) {
          start ??= parseStart(line);
          say(line);
        },
      });
      if (!start || start.timeline !== span.timeline)
        throw new AppError(
          'PRECONDITION_FAILED',
          'The base backup does not belong to the log that is stored; another one is made by itself.',
        );
      await store.bases.insert({
        backupRunId: run.backupRunId,
        walSpanId: span.walSpanId,
        firstSegment: Math.floor(start.position / span.segmentBytes),
        restorableFrom: await timeOf(engine, database, signal),
      });
    },
  };
}

function programOf(database: DatabaseRecord, live: ServiceSpec, backupRunId: string): ProgramSpec {
  const { PGPASSWORD = '', ...env } = clientEnvironment(database);
  return {
    name: `base-${backupRunId.slice(0, 12).toLowerCase()}-${randomId(8).toLowerCase()}`,
    image: live.image,
    registryAuth: live.registryAuth,
    argv: ['pg_basebackup', '-D', '-', '-F', 'tar', '-X', 'fetch', '-c', 'fast', '-v', '-w'],
    env: { ...env, PGPASSWORD: new Secret(PGPASSWORD) },
    network: 'none',
    labels: { [backupRunLabel]: backupRunId, [organizationLabel]: database.organizationId },
    marksItsEnd: true,
    confined: { mounts: [socketMount(database)], shell: ['sh'], capabilities: [], limits },
  };
}

/** The database's own clock, a second later: moments are counted by it. */
async function timeOf(engine: Engine, database: DatabaseRecord, signal: AbortSignal): Promise<string> {
  const answer = await askServer(
    engine,
    streamNames(database).service,
    {
      script: "exec psql -X -q -t -A -w -c 'select extract(epoch from clock_timestamp()) + 1'",
      env: clientEnvironment(database),
    },
    { signal, limitMs: clockLimitMs },
  );
  const seconds = Number(answer.stdout.trim());
  if (answer.exitCode !== 0 || !(seconds > 0))
    throw new AppError('PRECONDITION_FAILED', 'The database did not tell its time after the base backup.');
  return new Date(seconds * 1000).toISOString();
}
