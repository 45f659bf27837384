/**
 * A database as it was at a moment: a base backup and the log behind it in a new volume, replayed there by a
 * server beside the running one, which then changes over to it as after any restore.
 */
import type { DatabaseRecord } from '../../../db/tables.ts';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import { requireFreeDisk } from '../../../domain/resources/free-disk.ts';
import type { Engine } from '../../../ports/engine/engine.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import { waitUntil } from '../../../ports/wait-until.ts';
import { lastWords, runningContainer } from '../../database/ask-server.ts';
import { databaseKind } from '../../database/kinds.ts';
import type { DatabaseServer } from '../database-source.ts';
import type { ProgramSpec } from '../../../ports/engine/engine-program.ts';
import { besideOf, changeOverTo, type Beside, type RestoringPorts } from '../runs/restore.ts';
import { unsealed } from '../keys/keys.ts';
import { decompressed, drain, measured } from '../runs/streams.ts';
import type { RunContext } from '../runs/run-context.ts';
import { archiveOf, type ArchivedFile } from './archive.ts';
import type { RecoveryStore, StoredBase, WalSpan } from '../store.ts';
import { clientEnvironment } from './stream-service.ts';
import { parsePosition, segmentFile, segmentPath } from './wal.ts';
import { baseFor, knownOf, logFor } from './windows.ts';

export interface MomentPorts extends Pick<RestoringPorts, 'beside' | 'openStore' | 'disk'> {
  store: RecoveryStore;
  backupOf(databaseId: string): Promise<{ backupId: string } | undefined>;
  findDatabase(databaseId: string): Promise<DatabaseRecord | undefined>;
  /** Where the data of the database are filled in and which programs write them. */
  filling(database: DatabaseRecord, beside: Beside, backupRunId: string): Promise<Filling>;
}

export interface Filling {
  engine: Engine;
  /** Unpacks an archive into the data folder of the volume; `last` closes it for recovery. */
  unpack(last: boolean): ProgramSpec;
}

const replayLimitMs = 6 * 3_600_000;
const askLimitMs = 60_000;
const pollMs = 500;

interface Plan {
  database: DatabaseRecord;
  at: string;
  span: WalSpan;
  base: StoredBase;
  log: { position: number; nextSegment: number };
  objects: ObjectStore;
}

export async function restoreToMoment(ports: MomentPorts, context: RunContext): Promise<void> {
  const { run } = context;
  const databaseId = run.databaseId ?? '';
  const beside = besideOf(run);
  if (!(await ports.beside.isOn(databaseId, beside.volume))) {
    await fillToMoment(ports, context, { sourceId: databaseId, beside });
    await context.record({ previousVolume: await ports.beside.volumeOf(databaseId) });
  }
  await changeOverTo(ports.beside, context, { databaseId, target: beside, kept: 'the previous state' });
}

/** A server of the run's database with the data that the source had at the moment of the run. */
export async function fillToMoment(
  ports: MomentPorts,
  context: RunContext,
  { sourceId, beside }: { sourceId: string; beside: Beside },
): Promise<DatabaseServer> {
  const plan = await find(ports, context, sourceId);
  await load(ports, context, plan, beside);
  return replay(ports, context, plan, beside);
}

async function find(ports: MomentPorts, { run, step, signal }: RunContext, sourceId: string): Promise<Plan> {
  return step('find', async () => {
    const database = await ports.findDatabase(run.databaseId ?? '');
    const backup = database && (await ports.backupOf(sourceId));
    if (!database || !backup || run.moment === null)
      throw new AppError(
        'PRECONDITION_FAILED',
        'The database, or its recovery, was removed in the meantime.',
      );
    const at = run.moment;
    const { span, base } = baseFor(await knownOf(ports.store, backup.backupId), at);
    const log = await logFor(ports.store, span, at);
    const objects = await ports.openStore(base.destinationId, run.organizationId);
    const object = await objects.find(base.path, signal);
    if (object?.bytes !== base.storedBytes)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The base backup ${base.path} has ${object?.bytes ?? 0} bytes at the destination, not ` +
          `${base.storedBytes ?? 0}. Choose a moment after a later one.`,
      );
    const segments = log.nextSegment - base.firstSegment;
    const disk = await ports.disk(database.databaseId);
    if (disk)
      requireFreeDisk(disk, {
        what: 'the restored database',
        needed: 2 * object.bytes + segments * span.segmentBytes,
        cure: 'Free some space and restore again. Nothing was changed.',
      });
    return {
      value: { database, at, span, base, log, objects },
      detail: `base backup of ${base.restorableFrom}, ${segments} segments of the log`,
    };
  });
}

async function load(
  { filling }: MomentPorts,
  { run, step, signal, say }: RunContext,
  { database, at, span, base, log, objects }: Plan,
  beside: Beside,
): Promise<void> {
  const { engine, unpack } = await filling(database, beside, run.backupRunId);
  const fill = async (last: boolean, input: AsyncIterable<Uint8Array>): Promise<void> =>
    drain(engine.programOutput(unpack(last), { signal, onLine: say, input }));
  await step('base', async () => {
    const read = { bytes: 0, checksum: '' };
    const stored = measured(objects.read(base.path, signal), read);
    await fill(false, decompressed(unsealed(objects, run, stored, span.recipients)));
    if (base.checksum !== null && read.checksum !== '' && read.checksum !== base.checksum)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The base backup ${base.path} is not the one that was stored: its checksum differs.`,
      );
    return { value: undefined, detail: `${read.bytes} bytes` };
  });
  await step('log', async () => {
    await fill(true, archiveOf(files({ span, base, log, objects, at, run }, signal)));
    return { value: undefined, detail: `${log.nextSegment - base.firstSegment} segments` };
  });
}

/** The segments, and the settings with which the server replays them until the moment. */
async function* files(
  { span, base, log, objects, at, run }: Omit<Plan, 'database'> & Pick<RunContext, 'run'>,
  signal: AbortSignal,
): AsyncGenerator<ArchivedFile> {
  const { timeline, segmentBytes, recipients } = span;
  for (let segment = base.firstSegment; segment < log.nextSegment; segment += 1) {
    const file = segmentFile(timeline, segment, segmentBytes);
    const stored = objects.read(segmentPath(span, segment), signal);
    const content = decompressed(unsealed(objects, run, stored, recipients));
    yield { name: `pg_wal/${file}`, bytes: segmentBytes, content };
  }
  const settings = Buffer.from(
    `\nrestore_command = 'false'\nrecovery_target_time = '${at.replace('Z', '+00')}'\n` +
      "recovery_target_action = 'promote'\n",
  );
  yield { name: recoverySettings, bytes: settings.length, content: bytesOf(settings) };
}

export const recoverySettings = 'berth-recovery.conf';

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * It replays as a standby, which waits at the end of its log in the place of failing. What was committed last
 * may be older than the moment; then it is all that there was.
 */
async function replay(
  { beside: servers }: MomentPorts,
  { step, signal, say }: RunContext,
  { database, log, at }: Plan,
  beside: Beside,
): Promise<DatabaseServer> {
  return step('replay', async () => {
    const { setPassword } = databaseKind(database.kind).server;
    const password = setPassword(database, 'databasePassword', database.databasePassword);
    const server = await servers.start(database.databaseId, { ...beside, isReplayed: true }, { signal, say });
    const ask = async (script: string): Promise<string | undefined> => {
      const container = await runningContainer(server.engine, server.service).catch(() => undefined);
      if (container === undefined) return undefined;
      const asking = {
        argv: ['sh', '-c', script],
        env: { ...password.env, ...clientEnvironment(database) },
        signal,
        limitMs: askLimitMs,
      };
      // It ends, and starts again, when it is given another target.
      const answer = await server.engine.exec(container, asking).catch((error: unknown) => {
        if (signal.aborted) throw error;
        last = sentenceOf(error);
        return undefined;
      });
      if (!answer) return undefined;
      if (answer.exitCode === 0) return answer.stdout.trim();
      last = lastWords(answer);
      return undefined;
    };
    let last = 'it was not asked yet';
    const end = await waitUntil(() => promoted(ask, log.position), {
      everyMs: pollMs,
      limitMs: replayLimitMs,
      signal,
    });
    if (end !== true)
      throw new AppError('PRECONDITION_FAILED', `The log could not be replayed until ${at}: ${last}`);
    for (const name of ['restore_command', 'recovery_target_time', 'recovery_target_action'])
      await ask(`exec psql -X -q -w -c 'alter system reset ${name}'`);
    // The password that the record has now, whichever it had then.
    await ask(password.script);
    const tables = await ask(
      "exec psql -X -q -t -A -w -c \"select count(*) from pg_tables where schemaname not in ('pg_catalog', " +
        "'information_schema')\"",
    );
    return { value: server, detail: `as of ${at}; ${tables ?? '?'} tables in its database` };
  });
}

const stateQuery =
  "exec psql -X -q -t -A -w -c \"select pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn()::text, ''), " +
  "current_setting('recovery_target_time')\"";

/** One look; true once the server takes writes. Ends the recovery where its log is replayed to the end. */
async function promoted(
  ask: (script: string) => Promise<string | undefined>,
  wanted: number,
): Promise<true | undefined> {
  const [isReplaying, position = '', target = ''] = (await ask(stateQuery))?.split('|') ?? [];
  if (isReplaying === 'f') return true;
  if (isReplaying !== 't' || position === '' || parsePosition(position) < wanted) return undefined;
  if (target === '') await ask("exec psql -X -q -w -c 'select pg_promote(false)'");
  // Nothing was committed after the moment. PostgreSQL takes another target only when it starts.
  else await ask("psql -X -q -w -c 'alter system reset recovery_target_time' && kill -INT 1");
  return undefined;
}
