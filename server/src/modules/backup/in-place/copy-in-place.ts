/**
 * Where a dump cannot be loaded safely beside other databases (its events would run, its definers act): it is
 * loaded into a server beside, and the tables and definitions are copied from there.
 */
import { AppError } from '../../../domain/errors.ts';
import { targetOf, type DatabaseServer, type ProgramOptions, type Programs } from '../database-source.ts';
import type { CopyPrograms, InPlacePrograms } from '../programs/database-program.ts';
import type { RunContext } from '../runs/run-context.ts';
import { drain } from '../runs/streams.ts';
import { inPlaceNames, type InPlacePorts } from './restore-in-place.ts';

/** Character set and order of a database. */
export type Encoding = [charset: string, collation: string];

export interface CopyPorts {
  programs: Programs;
  /** A server beside with the object in it, looked into; its database has the encoding of the present one. */
  fill(encoding: Encoding | undefined): Promise<DatabaseServer>;
}

/** Why the server of an earlier version cannot be restored inside; empty when it can. */
export async function hindranceOf(
  programs: Programs,
  { run, signal, say }: RunContext,
  server: DatabaseServer,
  beside: CopyPrograms,
): Promise<string> {
  const options: ProgramOptions = { backupRunId: run.backupRunId, signal, onLine: say };
  const reason = await programs.text(server, beside.hindrance(targetOf(server, run.database)), options);
  return reason === ''
    ? ''
    : `The database cannot be restored inside its running server. ${reason} From MariaDB 10.6 and MySQL ` +
        '8.0 on, a server exchanges all tables of a database safely. The whole server changes over to a ' +
        'new volume instead: what is written to its other databases meanwhile, and accounts added by hand, ' +
        'stay in the former one.';
}

export function copyPorts(
  { programs, fill }: CopyPorts,
  { run, signal, say }: RunContext,
  server: DatabaseServer,
  beside: CopyPrograms,
): InPlacePorts {
  const options: ProgramOptions = { backupRunId: run.backupRunId, signal, onLine: say };
  const [target, names] = [targetOf(server, run.database), inPlaceNames(run)];
  return {
    programs,
    async find() {
      const text = await programs.text(server, beside.encoding(target), options);
      const [charset, collation] = text.split(' ');
      const filled = await fill(
        charset !== undefined && collation !== undefined ? [charset, collation] : undefined,
      );
      const from = targetOf(filled, run.database);
      return {
        step: 'copy',
        async load(database) {
          const definitions = programs.output(filled, beside.definitions(from), options);
          await drain(
            programs.output(server, beside.keep(target, names), { ...options, input: definitions }),
          );
          await programs.text(filled, beside.bare(from), options);
          const tables = programs.output(filled, beside.tables(from), options);
          await drain(programs.output(server, beside.fill(target, names), { ...options, input: tables }));
          const [wanted, found] = [
            await programs.text(filled, beside.names(from), options),
            await programs.text(server, beside.names(targetOf(server, database)), options),
          ];
          if (wanted !== found)
            throw new AppError(
              'PRECONDITION_FAILED',
              'Not all tables of the restored state could be copied into the running server. Restore ' +
                'again. Nothing was changed.',
            );
          return `tables of ${filled.service}`;
        },
      };
    },
    // Done in the server beside.
    check: async () => undefined,
  };
}

/** Brings a change that was broken off to an end, and leaves the state that was put back where it is. */
export async function settle(
  programs: Programs,
  server: DatabaseServer,
  inPlace: InPlacePrograms,
  run: RunContext['run'],
): Promise<boolean> {
  const options: ProgramOptions = {
    backupRunId: run.backupRunId,
    signal: AbortSignal.timeout(120_000),
    onLine: () => undefined,
  };
  const target = targetOf(server, run.database);
  const names = { fresh: run.path, former: inPlaceNames(run).former, keepsFresh: true } as const;
  await programs.text(server, inPlace.clear(target, names), options);
  return (await programs.text(server, inPlace.has(target, names.former), options)) === '1';
}
