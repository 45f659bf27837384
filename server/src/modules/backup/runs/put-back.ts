/**
 * What a restore, an upgrade or a move replaced is put back: the former volume, or the former database inside
 * the server. What is replaced by it is kept in the same way, so that this can be undone as well.
 */
import type { DatabaseRecord } from '../../../db/tables.ts';
import { AppError } from '../../../domain/errors.ts';
import { backupRunLabel } from '../../../domain/names/labels.ts';
import { formerServerKey, serverKeyOf } from '../../../domain/names/server-key.ts';
import { firstVolume } from '../../../domain/names/restored-volumes.ts';
import { targetOf, type DatabaseServer, type ProgramOptions } from '../database-source.ts';
import { settle } from '../in-place/copy-in-place.ts';
import { inPlaceNames } from '../in-place/restore-in-place.ts';
import type { DatabasePrograms } from '../programs/database-program.ts';
import { databasePrograms } from '../programs/programs.ts';
import type { BackupRunRecord } from '../store.ts';
import { mountsVolume, refOf, volumeNow, type VolumeServices } from '../volumes/volume-service.ts';
import { changeOverTo, type BesideServers } from './restore.ts';
import type { LoadingPorts } from './load-object.ts';
import type { RunContext } from './run-context.ts';
import type { RunOperation } from './runner.ts';
import { changeOverStep, type BackupRuns } from './runs.ts';

export interface PutBackPorts extends Pick<LoadingPorts, 'programs'> {
  runs: BackupRuns;
  beside: BesideServers;
  services: VolumeServices;
}

/** `path` of the run is the volume or database that is put back; `database` is empty for a volume. */
export function createPutBack(ports: PutBackPorts): RunOperation {
  return {
    // Of volumes nothing was made: both are kept, whichever is used.
    tidy: (run) => tidy(ports, run),
    async run(context) {
      const { run } = context;
      if (run.databaseId === null) await volumeOfService(ports, context);
      else if (run.database === '') await volumeOfDatabase(ports, context, run.databaseId);
      else await database(ports, context, run.databaseId);
      await forget(ports, run);
    },
  };
}

/** An exchange of databases that was broken off is finished, or taken back. */
async function tidy({ beside, programs, runs }: PutBackPorts, run: BackupRunRecord): Promise<void> {
  const { databaseId, backupRunId } = run;
  if (databaseId === null || run.database === '') return;
  await beside.removeContainers(databaseId, `${backupRunLabel}=${backupRunId}`);
  const server = await beside.running(databaseId);
  if (!server) return;
  const { inPlace }: DatabasePrograms = databasePrograms[server.kind];
  if (!inPlace?.beside || (await settle(programs, server, inPlace, run))) return;
  if (run.previousDatabase !== null) await runs.record(backupRunId, { previousDatabase: null });
}

/** A volume that a move left on another server is out of reach there. */
export function requireFormerVolume(database: DatabaseRecord, volumeName: string): void {
  const former = database.formerVolumes.find((one) => one.volumeName === volumeName);
  if (!former)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${volumeName} is not one of the former volumes of this database. cleanup.formerVolumes lists them.`,
    );
  if (formerServerKey(database, former) !== serverKeyOf(database))
    throw new AppError(
      'PRECONDITION_FAILED',
      `${volumeName} is on the server where the database was before. Move the database back there ` +
        '(moveToServer), which takes the data of now along, or restore a backup.',
    );
}

async function volumeOfDatabase(
  { beside }: PutBackPorts,
  context: RunContext,
  databaseId: string,
): Promise<void> {
  const { run } = context;
  const target = { service: '', volume: run.path, isFormer: true };
  if (!(await beside.isOn(databaseId, run.path)))
    // Known before the change, so that a crash in it forgets no volume.
    await context.record({ previousVolume: await beside.volumeOf(databaseId) });
  await changeOverTo(beside, context, { databaseId, target, kept: 'what it had' });
}

async function database(ports: PutBackPorts, context: RunContext, databaseId: string): Promise<void> {
  const { signal, say } = context;
  const work = (server: DatabaseServer): Promise<void> => exchange(ports, context, server);
  const running = await ports.beside.running(databaseId);
  if (running) return work(running);
  if (!(await ports.beside.whileStarted(databaseId, work, { signal, say })))
    throw new AppError(
      'PRECONDITION_FAILED',
      'The database does not start, so nothing inside it can be put back. Restore a backup instead.',
    );
}

/** Exchanges both databases of the running server. */
async function exchange(
  { programs }: PutBackPorts,
  context: RunContext,
  server: DatabaseServer,
): Promise<void> {
  const { run, signal, say } = context;
  const { inPlace }: DatabasePrograms = databasePrograms[server.kind];
  if (!inPlace) throw new AppError('PRECONDITION_FAILED', 'This kind of database is restored as a volume.');
  context.hide([server.password, server.rootPassword]);
  const options: ProgramOptions = { backupRunId: run.backupRunId, signal, onLine: say };
  const target = targetOf(server, run.database);
  const names = { fresh: run.path, former: inPlaceNames(run).former };
  const has = async (name: string): Promise<boolean> =>
    (await programs.text(server, inPlace.has(target, name), options)) === '1';
  await context.step(changeOverStep, async () => {
    const isDone = !(await has(run.path)) && (await has(names.former));
    if (!isDone && !(await has(run.path)))
      throw new AppError(
        'PRECONDITION_FAILED',
        `The server has no database ${run.path} any more. Restore a backup instead.`,
      );
    await context.record({ previousDatabase: names.former });
    // The change may have been broken off before connections were let in again.
    await programs.text(
      server,
      isDone ? inPlace.clear(target, names) : inPlace.change(target, names),
      options,
    );
    return { value: undefined, detail: `what it had is kept in the database ${names.former}` };
  });
}

async function volumeOfService({ services }: PutBackPorts, context: RunContext): Promise<void> {
  const { run, signal, say } = context;
  const [ref, volumeName] = [refOf(run), run.volumeName ?? ''];
  const service = await services.find(ref);
  if (!service) throw new AppError('PRECONDITION_FAILED', 'The service has been removed in the meantime.');
  const present = volumeNow(service, volumeName);
  const { engine } = await services.live(ref);
  // A service that was never deployed has none yet, and no former state then.
  if (present !== run.path && (await engine.hasVolume(present)))
    await context.record({ previousVolume: present });
  const nameOf = (volume: string): string | null => (volume === firstVolume(ref, volumeName) ? null : volume);
  await context.step(changeOverStep, async () => {
    await services.change(ref, volumeName, nameOf(run.path));
    const title = `Back to the volume ${run.path}`;
    const failure = await services.releaseAgain(ref, title, { signal, say });
    const isUsed = (await services.specs(ref)).some((spec) => mountsVolume(spec, run.path));
    if (failure !== undefined && !isUsed) {
      await services.change(ref, volumeName, nameOf(present));
      await context.record({ previousVolume: null });
      throw new AppError(
        'PRECONDITION_FAILED',
        `The former volume was not accepted: ${failure} ${service.name} has its present volume again.`,
      );
    }
    return { value: undefined, detail: `runs on ${run.path}; what it had is kept in ${present}` };
  });
}

/** What is used again is no former state of any restore. */
async function forget({ runs }: PutBackPorts, run: BackupRunRecord): Promise<void> {
  const { organizationId, databaseId, applicationId, composeId } = run;
  const all =
    databaseId === null
      ? await runs.ofService({ databaseId, applicationId, composeId }, organizationId)
      : await runs.ofDatabase(databaseId, organizationId);
  for (const { backupRunId, previousVolume, previousDatabase } of all) {
    if (backupRunId === run.backupRunId) continue;
    if (previousVolume === run.path) await runs.record(backupRunId, { previousVolume: null });
    if (previousDatabase === run.path) await runs.record(backupRunId, { previousDatabase: null });
  }
}
