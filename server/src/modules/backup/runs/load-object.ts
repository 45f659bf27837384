/** Loads an object into a database of a server, and looks into what came of it. */
import { AppError } from '../../../domain/errors.ts';
import { requireFreeDisk, type DiskRoom } from '../../../domain/resources/free-disk.ts';
import { ProgramFailed } from '../../../ports/engine/engine-program.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import { targetOf, type DatabaseServer, type ProgramOptions, type Programs } from '../database-source.ts';
import { readNotes } from '../in-place/object-notes.ts';
import type { DatabaseProgram, DatabasePrograms, ForeignPrograms } from '../programs/database-program.ts';
import { createLoadFaults, type LoadFaults } from '../programs/left-out.ts';
import { databasePrograms } from '../programs/programs.ts';
import type { BackupRunRecord } from '../store.ts';
import { unsealed } from '../keys/keys.ts';
import type { RunContext } from './run-context.ts';
import type { BackupRuns } from './runs.ts';
import { decompressed, drain, measured, withinUnpackLimit, type Measure } from './streams.ts';
import type { Bytes } from './unpack/bytes.ts';

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
  const leavesOut = run.leftOut !== null;
  const isOurs = await isAsMade(ports, run, store, signal);
  const foreign = isOurs ? undefined : programs.foreign;
  if (foreign)
    say(
      'This installation did not make the object: it is loaded into a server without network first, by a ' +
        'login that may nothing else, and what that server dumps is restored.',
    );
  const first = async (program: DatabaseProgram | undefined): Promise<void> => {
    if (program) await ports.programs.text(server, program, options);
  };
  try {
    const { notes, bytes, end } = await readNotes(
      unsealed(store, run, measured(store.read(run.path, signal), read), await recipientsOf(ports, run)),
    );
    try {
      await first(programs.prepare?.(target, foreign ? undefined : notes));
      await first(foreign?.allow?.(target));
    } catch (error) {
      await end();
      throw error;
    }
    const unpacked = await unpackedOf({ run, store, isOurs, signal }, bytes);
    const loading = { ...options, onLine: faults.line, input: measured(unpacked, raw) };
    const load = foreign
      ? foreign.load(target)
      : programs.load(target, { hasRoles: notes !== undefined, isTemporary, leavesOut });
    const input = foreign ? cleaned(ports, foreign, run, { server, leavesOut, loading }) : loading.input;
    await drain(ports.programs.output(server, load, { ...loading, input })).catch((error: unknown) => {
      if (foreign || !leavesOut || !wentOn(error, faults)) throw error;
    });
    if (leavesOut) await record({ leftOut: faults.list() });
  } catch (error) {
    if (!signal.aborted) await explain(ports, run, store, signal);
    throw foreign ? ofAnother(run, error) : error;
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

/** Whom the run's object is encrypted for, as far as that is known. */
export async function recipientsOf({ runs }: ObjectPorts, run: BackupRunRecord): Promise<string[]> {
  return (await runs.ofObject(run.destinationId, run.path))?.recipients ?? [];
}

/** Dumped by the throw-away server that the object of others is loaded into. */
function cleaned(
  { programs }: LoadingPorts,
  foreign: ForeignPrograms,
  run: BackupRunRecord,
  { server, leavesOut, loading }: Cleaning,
): Bytes {
  const part = foreign.part(loading.input, {
    database: run.database,
    ofOthers: (names) => ofOthers(run, names),
    say: loading.onLine ?? (() => undefined),
  });
  const clean = foreign.clean(targetOf(server, run.database), { leavesOut });
  return programs.output(server, clean, { ...loading, input: part });
}

interface Cleaning {
  server: DatabaseServer;
  leavesOut: boolean;
  loading: ProgramOptions & { input: Bytes };
}

/** The object's bytes unpacked; those of an object made elsewhere only up to a limit. */
async function unpackedOf(
  { run, store, isOurs, signal }: Unpacking,
  packed: Bytes,
): Promise<AsyncIterable<Uint8Array>> {
  const unpacked = decompressed(packed);
  if (isOurs) return unpacked;
  const object = await store.find(run.path, signal);
  return object ? withinUnpackLimit(unpacked, object.bytes) : unpacked;
}

interface Unpacking extends Pick<Loading, 'store'> {
  run: BackupRunRecord;
  isOurs: boolean;
  signal: AbortSignal;
}

/**
 * Whether this installation made the object, and it is what was verified then: no statement of another one
 * is run before that is known. Fails when it is no longer the one that was stored.
 */
async function isAsMade(
  ports: ObjectPorts,
  run: BackupRunRecord,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<boolean> {
  const made = await ports.runs.ofObject(run.destinationId, run.path);
  if (made?.checksum == null) return false;
  const read: Measure = { bytes: 0, checksum: '' };
  await drain(measured(store.read(run.path, signal), read));
  if (read.checksum !== made.checksum) await explain(ports, run, store, signal);
  return true;
}

/** A login that owns one database is refused where a dump goes on in another. */
function ofAnother(run: BackupRunRecord, error: unknown): unknown {
  if (!(error instanceof ProgramFailed)) return error;
  const other = /ERROR 1044 .* to database '([^']+)'/.exec(error.message)?.[1];
  return other === undefined ? error : ofOthers(run, [other]);
}

/** Such a dump says itself which database it is of (`--databases`, `USE`). */
export function ofOthers({ path, database }: BackupRunRecord, others: readonly string[]): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `The object ${path} writes into ${others.join(', ')} and not into ${database}: its dump names its ` +
      `database. Restore it as ${others[0] ?? ''}, or make a dump without --databases ` +
      '(PostgreSQL: --create). Nothing was changed.',
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
  { what, disk, copies = 1 }: { what: string; disk: DiskRoom | undefined; copies?: number },
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
        // What others made is kept as a file, too, while it is loaded.
        needed: copies * (made ? Math.max(object.bytes, made.bytes ?? 0) : 3 * object.bytes),
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
  const isOurs = (await ports.runs.ofObject(run.destinationId, run.path)) !== undefined;
  const stored = measured(store.read(run.path, signal), read);
  const packed = unsealed(store, run, stored, await recipientsOf(ports, run));
  await drain(await unpackedOf({ run, store, isOurs, signal }, packed));
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
