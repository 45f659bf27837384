/**
 * A restore inside the running server: the object comes into a new database and is looked into; then both
 * change places at once. Other databases, roles and settings of the server stay as they are.
 */
import { targetOf, type DatabaseServer, type ProgramOptions, type Programs } from '../database-source.ts';
import type { BackupRunRecord } from '../store.ts';
import type { InPlaceNames, InPlacePrograms } from '../programs/database-program.ts';
import type { RunContext } from '../runs/run-context.ts';
import { changeOverStep } from '../runs/runs.ts';

export interface InPlacePorts {
  programs: Programs;
  /** Finds the object, and loads it into the database of this name; resolves with what it read, in words. */
  find(): Promise<{ step: 'load' | 'copy'; load(database: string): Promise<string> }>;
  /** Looks into what was loaded. */
  check(database: string): Promise<void>;
}

/** The same in every attempt, so that a later one finds them. */
export function inPlaceNames({ backupRunId }: Pick<BackupRunRecord, 'backupRunId'>): InPlaceNames {
  const mark = backupRunId.slice(0, 16).toLowerCase();
  return { fresh: `berth_restoring_${mark}`, former: `berth_before_${mark}` };
}

export async function restoreInPlace(
  ports: InPlacePorts,
  context: RunContext,
  server: DatabaseServer,
  inPlace: InPlacePrograms,
): Promise<void> {
  const { run, signal, say } = context;
  const names = inPlaceNames(run);
  const target = targetOf(server, run.database);
  context.hide([server.password, server.rootPassword]);
  const options: ProgramOptions = { backupRunId: run.backupRunId, signal, onLine: say };
  const has = async (name: string): Promise<boolean> =>
    (await ports.programs.text(server, inPlace.has(target, name), options)) === '1';
  if (await has(names.former)) {
    say('The restored database was taking its name before Berth was restarted.');
    // The change may have been broken off before connections were let in again, or before it was complete.
    await ports.programs.text(server, inPlace.clear(target, names), options);
    if (await has(names.former)) return;
  }
  const object = await ports.find();
  try {
    await context.step(object.step, async () => {
      await ports.programs.text(server, inPlace.create(target, names), options);
      return { value: undefined, detail: await object.load(names.fresh) };
    });
    await ports.check(names.fresh);
    const hadOne = await has(run.database);
    await context.step(changeOverStep, async () => {
      // Known before the change, so that a crash in it forgets no database.
      if (hadOne) await context.record({ previousDatabase: names.former });
      await ports.programs.text(server, inPlace.change(target, names), options);
      return {
        value: undefined,
        detail: hadOne ? `the previous state is kept in the database ${names.former}` : 'it is new',
      };
    });
  } catch (error) {
    if (signal.aborted && !(signal.reason instanceof Error && 'code' in signal.reason)) throw error;
    if (!(await clearInPlace(ports.programs, run, server, inPlace)))
      await context.record({ previousDatabase: null });
    throw error;
  }
}

/**
 * Removes the new database of a restore that failed, or that was ended, when it is still there, and lets
 * connections to the present one again. Resolves with whether there is a database with the state before.
 */
export async function clearInPlace(
  programs: Programs,
  run: BackupRunRecord,
  server: DatabaseServer,
  inPlace: InPlacePrograms,
): Promise<boolean> {
  const options: ProgramOptions = {
    backupRunId: run.backupRunId,
    signal: AbortSignal.timeout(clearLimitMs),
    onLine: () => undefined,
  };
  const [target, names] = [targetOf(server, run.database), inPlaceNames(run)];
  await programs.text(server, inPlace.clear(target, names), options);
  return (await programs.text(server, inPlace.has(target, names.former), options)) === '1';
}

const clearLimitMs = 120_000;
