/** Fills a server beside with a dump of the running original, which goes from the one to the other. */
import { AppError } from '../../../domain/errors.ts';
import { targetOf, type DatabaseServer, type ProgramOptions } from '../database-source.ts';
import type { DatabasePrograms } from '../programs/database-program.ts';
import { databasePrograms } from '../programs/programs.ts';
import { namesOf } from '../runs/carry-over.ts';
import { idOf, startBeside, type Beside, type RestoringPorts } from '../runs/restore.ts';
import type { RunContext } from '../runs/run-context.ts';
import { drain, measured, type Measure } from '../runs/streams.ts';
import type { BranchRecord } from '../store.ts';

export async function fillByCopy(
  ports: RestoringPorts,
  context: RunContext,
  { sourceId, sourceName, target }: Pick<BranchRecord, 'sourceId' | 'sourceName'> & { target: Beside },
): Promise<DatabaseServer> {
  const source = sourceId === null ? undefined : await ports.beside.running(sourceId);
  if (!source)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${sourceName} is not running, so it cannot be copied. Start it, or fill from its newest backup.`,
    );
  context.hide([source.password, source.rootPassword]);
  const server = await startBeside(ports, context, target);
  await context.step('load', async () => {
    let bytes = 0;
    for (const database of await databasesOf(ports, context, source))
      bytes += (await copy(ports, context, { source, server, database })).bytes;
    return { value: undefined, detail: `${bytes} bytes of ${sourceName}` };
  });
  return server;
}

/** A server whose record names no database has those that its programs made. */
async function databasesOf(
  { beside, programs }: RestoringPorts,
  { run, signal }: RunContext,
  source: DatabaseServer,
): Promise<string[]> {
  const { list }: DatabasePrograms = databasePrograms[source.kind];
  if (list === undefined || (await beside.ownDatabase(idOf(run))) !== null) return [run.database];
  return namesOf(programs, source, { backupRunId: run.backupRunId, signal });
}

interface Copied {
  source: DatabaseServer;
  server: DatabaseServer;
  database: string;
}

async function copy(
  { beside, programs }: RestoringPorts,
  { run, signal, say }: RunContext,
  { source, server, database }: Copied,
): Promise<Measure> {
  const { backupRunId } = run;
  const options: ProgramOptions = { backupRunId, signal, onLine: say };
  const { create, dump, load, notes, prepare }: DatabasePrograms = databasePrograms[server.kind];
  const [from, to] = [targetOf(source, database), targetOf(server, database)];
  if (create && database !== (await beside.ownDatabase(idOf(run))))
    await programs.text(server, create(to), options);
  const noted = notes && (await programs.text(source, notes(from), options));
  const preparing = prepare?.(to, noted);
  if (preparing) await programs.text(server, preparing, options);
  const read: Measure = { bytes: 0, checksum: '' };
  const input = measured(programs.output(source, dump(from), options), read);
  const loading = load(to, { hasRoles: noted !== undefined, isTemporary: true });
  await drain(programs.output(server, loading, { ...options, input }));
  return read;
}
