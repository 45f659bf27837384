/** Loads an object into a database of a server, and looks into what came of it. */
import { AppError } from '../../../domain/errors.ts';
import { requireFreeDisk, type DiskRoom } from '../../../domain/resources/free-disk.ts';
import { ProgramFailed } from '../../../ports/engine/engine-program.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import { targetOf, type DatabaseServer, type ProgramOptions, type Programs } from '../database-source.ts';
import { readNotes } from '../in-place/object-notes.ts';
import type { DatabasePrograms } from '../programs/database-program.ts';
import { createLoadFaults, type LoadFaults } from '../programs/left-out.ts';
import { databasePrograms } from '../programs/programs.ts';
import type { BackupRunRecord } from '../store.ts';
import type { RunContext } from './run-context.ts';
import type { BackupRuns } from './runs.ts';
import { decompressed, drain, measured, type Measure } from './streams.ts';

/** Where the objects are, and what is known of them. */
export interface ObjectPorts {
  runs: BackupRuns;
  openStore(destinationId: string, organizationId: string): Promise<ObjectStore>;
}

export interface LoadingPorts extends ObjectPorts {
  programs: Programs;
}

interface Loading {
  server: DatabaseServer;
  store: ObjectStore;
  /** Where it is loaded. */
  database: string;
  isTemporary: boolean;
}

/** Loads the run's object; resolves with what it read, in words. */
export async function loadObject(
  ports: LoadingPorts,
  { run, signal, say, record }: RunContext,
  { server, store, database, isTemporary }: Loading,
): Promise<string> {
  const options: ProgramOptions = { backupRunId: run.backupRunId, signal, onLine: say };
  const programs: DatabasePrograms = databasePrograms[server.kind];
  const target = targetOf(server, database);
  const faults = createLoadFaults(say);
  const [read, raw]: [Measure, Measure] = [
    { bytes: 0, checksum: '' },
    { bytes: 0, checksum: '' },
  ];
  try {
    const { notes, bytes, end } = await readNotes(measured(store.read(run.path, signal), read));
    const prepare = programs.prepare?.(target, notes);
    if (prepare)
      await ports.programs.text(server, prepare, options).catch(async (error: unknown) => {
        await end();
        throw error;
      });
    const leavesOut = run.leftOut !== null;
    const load = programs.load(target, { hasRoles: notes !== undefined, isTemporary, leavesOut });
    const input = measured(decompressed(bytes), raw);
    await drain(ports.programs.output(server, load, { ...options, onLine: faults.line, input })).catch(
      (error: unknown) => {
        if (!leavesOut || !wentOn(error, faults)) throw error;
      },
    );
    if (leavesOut) await record({ leftOut: faults.list() });
  } catch (error) {
    if (!signal.aborted) await explain(ports, run, store, signal);
    throw error;
  }
  await checkRead(ports, run, read);
  if (raw.bytes === 0)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The object ${run.path} is empty: it would restore nothing. Choose another one. Nothing was changed.`,
    );
  const leftOut = run.leftOut === null ? [] : faults.list();
  return [`${read.bytes} bytes, SHA-256 ${read.checksum}`, ...leftOut.map((one) => `left out: ${one}`)].join(
    '; ',
  );
}

/** A program that goes on after faults ends with 1 all the same; one that lost its server does not go on. */
function wentOn(error: unknown, { list, isWhole }: LoadFaults): boolean {
  return (
    error instanceof ProgramFailed &&
    error.exitCode === 1 &&
    (isWhole() || (list().length > 0 && list().every((fault) => /^ERROR 1\d{3} /.test(fault))))
  );
}

/** The step that counts what was loaded; an object that Berth did not make has to have loaded something. */
export async function checkLoaded(
  ports: LoadingPorts,
  context: RunContext,
  server: DatabaseServer,
  database: string,
): Promise<void> {
  const { run, signal, say } = context;
  const programs: DatabasePrograms = databasePrograms[server.kind];
  await context.step('check', async () => {
    const options: ProgramOptions = { backupRunId: run.backupRunId, signal, onLine: say };
    const count = Number(
      await ports.programs.text(server, programs.count(targetOf(server, database)), options),
    );
    if (!Number.isInteger(count))
      throw new AppError(
        'PRECONDITION_FAILED',
        `The ${programs.counted}s of the restored database could not be counted.`,
      );
    if (count === 0 && !(await ports.runs.ofObject(run.destinationId, run.path)))
      throw new AppError(
        'PRECONDITION_FAILED',
        `The object ${run.path} left no ${programs.counted}s in ${database}. It is of another database, or ` +
          'not a dump. Nothing was changed.',
      );
    return { value: undefined, detail: `${count} ${programs.counted}${count === 1 ? '' : 's'}` };
  });
}

/** The step that finds the object, and room for what is in it; gives where it stands. */
export async function findObject(
  { openStore, runs }: ObjectPorts,
  { run, signal, step }: RunContext,
  { what, disk }: { what: string; disk: DiskRoom | undefined },
): Promise<ObjectStore> {
  const store = await openStore(run.destinationId, run.organizationId);
  await step('find', async () => {
    const object = await store.find(run.path, signal);
    if (!object)
      throw new AppError(
        'PRECONDITION_FAILED',
        `There is no object ${run.path} at the destination. backup.listFiles shows what there is.`,
      );
    const made = await runs.ofObject(run.destinationId, run.path);
    if (disk)
      requireFreeDisk(disk, {
        what,
        needed: Math.max(object.bytes, made?.bytes ?? 0),
        cure: 'Free some space and restore again. Nothing was changed.',
      });
    return { value: undefined, detail: `${object.bytes} bytes of ${object.modifiedAt}` };
  });
  return store;
}

/**
 * What fails to load may be a damaged object, of which the program has only strange words: so it is read once
 * more, whole.
 */
export async function explain(
  ports: ObjectPorts,
  run: BackupRunRecord,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<void> {
  const read: Measure = { bytes: 0, checksum: '' };
  await drain(decompressed(measured(store.read(run.path, signal), read)));
  await checkRead(ports, run, read);
}

/** An object that Berth made must be the one that it verified. */
export async function checkRead({ runs }: ObjectPorts, run: BackupRunRecord, read: Measure): Promise<void> {
  const made = await runs.ofObject(run.destinationId, run.path);
  // A program may stop reading at the end it finds in the dump, before that of the object.
  if (made?.checksum == null || read.checksum === '' || read.checksum === made.checksum) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The object ${run.path} is not the one that was stored: its checksum differs. Choose another backup.`,
  );
}
