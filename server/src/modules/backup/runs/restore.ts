/**
 * A restore goes beside and then changes over: a new volume with a server of its own, loaded and looked into,
 * before the running database hears of it. A trial is the same without the change.
 */
import { backupRunLabel } from '../../../domain/names/labels.ts';
import { AppError } from '../../../domain/errors.ts';
import type { DiskRoom } from '../../../domain/resources/free-disk.ts';
import { isoTime, type Clock } from '../../../ports/clock.ts';
import { targetOf, type DatabaseServer, type ProgramOptions } from '../database-source.ts';
import type { CopyPrograms, DatabasePrograms, InPlacePrograms } from '../programs/database-program.ts';
import { databasePrograms } from '../programs/programs.ts';
import type { RunContext } from './run-context.ts';
import { copyPorts, hindranceOf, type Encoding } from '../in-place/copy-in-place.ts';
import { clearInPlace, restoreInPlace, type InPlacePorts } from '../in-place/restore-in-place.ts';
import type { RunOperation } from './runner.ts';
import { changeOverStep } from './runs.ts';
import type { BackupRunRecord } from '../store.ts';
import { checkLoaded, findObject, loadObject, ofOthers, type LoadingPorts } from './load-object.ts';
import { carryOver, namesOf } from './carry-over.ts';

/** Servers of a database beside its running one. */
export interface BesideServers {
  /**
   * Starts a server of the database's record on a new volume, under a name of its own on the same network;
   * gives it when it answers.
   */
  start(
    databaseId: string,
    beside: Beside,
    options: { signal: AbortSignal; say(line: string): void },
  ): Promise<DatabaseServer>;
  /** Ends the server in good order, with a network of its own; an absent one is no error. */
  stop(databaseId: string | null, beside: Beside): Promise<void>;
  removeVolume(databaseId: string | null, beside: Beside): Promise<void>;
  /** Ends the containers of ours that bear the label. */
  removeContainers(databaseId: string | null, label: string): Promise<void>;
  /**
   * The database runs on this volume from now on, once it answers there; gives the volume it left. When it
   * does not answer, it is back on that one, and this fails with the reason.
   */
  changeOver(
    databaseId: string,
    beside: Beside,
    options: { signal: AbortSignal; say(line: string): void },
  ): Promise<{ previousVolume: string }>;
  volumeOf(databaseId: string): Promise<string>;
  /** Whether the database uses this volume; one that is gone uses none. */
  isOn(databaseId: string, volume: string): Promise<boolean>;
  /** The database's running server; undefined when it does not run. */
  running(databaseId: string): Promise<DatabaseServer | undefined>;
  /**
   * Starts a stopped database for as long as the work takes, and stops it again; false, without the work,
   * when it never ran or does not start.
   */
  whileStarted(
    databaseId: string,
    work: (server: DatabaseServer) => Promise<void>,
    options: { signal: AbortSignal; say(line: string): void },
  ): Promise<boolean>;
  /** Name of the database that its record makes at the first start. */
  ownDatabase(databaseId: string): Promise<string | null>;
}

/** Names of one restore's own things; the same in every attempt, so that a later one finds them. */
export interface Beside {
  service: string;
  volume: string;
  /** The volume is one that the database had before. */
  isFormer?: boolean;
  /** The volume is filled, and its server replays a log before it takes questions. */
  isReplayed?: boolean;
  /** Its server is on a network of its own, where nobody else reaches it. */
  isAlone?: boolean;
}

export interface RestoringPorts extends LoadingPorts {
  clock: Clock;
  beside: BesideServers;
  /** The disk of the database's volumes; undefined where nobody can tell. */
  disk(databaseId: string): Promise<DiskRoom | undefined>;
}

export function besideOf({ backupRunId, databaseId }: BackupRunRecord): Beside {
  const mark = backupRunId.slice(0, 12).toLowerCase();
  return {
    service: `restore-${mark}-${backupRunId.slice(12, 18).toLowerCase()}`,
    volume: `${databaseId ?? 'none'}-${backupRunId}`,
  };
}

export function createRestoring(ports: RestoringPorts): {
  restore: RunOperation;
  verification: RunOperation;
} {
  const tidy = async (run: BackupRunRecord): Promise<void> => {
    const { databaseId } = run;
    await ports.beside.removeContainers(databaseId, `${backupRunLabel}=${run.backupRunId}`);
    await tidyInPlace(ports, run);
    const beside = besideOf(run);
    await ports.beside.stop(databaseId, beside);
    const isInUse = databaseId !== null && (await ports.beside.isOn(databaseId, beside.volume));
    if (isInUse) return;
    await ports.beside.removeVolume(databaseId, beside);
    if (run.previousVolume !== null) await ports.runs.record(run.backupRunId, { previousVolume: null });
  };
  return {
    restore: { tidy, run: (context) => restore(ports, context) },
    verification: {
      tidy,
      async run(context) {
        await fill(ports, context);
        await context.step('tidy', async () => {
          await tidy(context.run);
          return { value: undefined };
        });
        await noteRestored(ports, context.run);
      },
    },
  };
}

/** The object tells from now on when it was last restored on trial. */
async function noteRestored({ runs, clock }: RestoringPorts, run: BackupRunRecord): Promise<void> {
  const made = await runs.ofObject(run.destinationId, run.path);
  if (made) await runs.record(made.backupRunId, { restoredAt: isoTime(clock) });
}

/** What a restore inside the running server left there. */
async function tidyInPlace({ beside, programs, runs }: RestoringPorts, run: BackupRunRecord): Promise<void> {
  const { databaseId, backupRunId, operation } = run;
  if (databaseId === null || operation !== 'restore') return;
  if (await beside.isOn(databaseId, besideOf(run).volume)) return;
  const server = await beside.running(databaseId);
  const inPlace = server && inPlaceOf(server);
  if (!inPlace || (await clearInPlace(programs, run, server, inPlace))) return;
  if (run.previousDatabase !== null) await runs.record(backupRunId, { previousDatabase: null });
}

function inPlaceOf({ kind }: DatabaseServer): InPlacePrograms | undefined {
  const { inPlace }: DatabasePrograms = databasePrograms[kind];
  return inPlace;
}

/** A stopped database is started for it, so that the others of its server come along, and stopped again. */
async function restore(ports: RestoringPorts, context: RunContext): Promise<void> {
  const { run, signal, say } = context;
  const databaseId = idOf(run);
  // A change over that an attempt before a restart began is brought to its end.
  if (await ports.beside.isOn(databaseId, besideOf(run).volume)) return restoreBeside(ports, context);
  const work = (server: DatabaseServer): Promise<void> => {
    const inPlace = inPlaceOf(server);
    if (!inPlace) return restoreBeside(ports, context);
    return inPlace.beside
      ? restoreByCopy(ports, context, server, { ...inPlace, beside: inPlace.beside })
      : restoreInPlace(inPlacePorts(ports, context, server), context, server, inPlace);
  };
  const running = await ports.beside.running(databaseId);
  if (running) return work(running);
  if (!(await ports.beside.whileStarted(databaseId, work, { signal, say })))
    await restoreBeside(ports, context);
}

function inPlacePorts(ports: RestoringPorts, context: RunContext, server: DatabaseServer): InPlacePorts {
  return {
    programs: ports.programs,
    async find() {
      const disk = await ports.disk(idOf(context.run));
      const store = await findObject(ports, context, { what: 'the restored database', disk });
      return {
        step: 'load',
        load: (database) => loadObject(ports, context, { server, store, database, isTemporary: false }),
      };
    },
    check: (database) => checkLoaded(ports, context, server, database),
  };
}

/** Into a server beside, and from there into the running one. */
async function restoreByCopy(
  ports: RestoringPorts,
  context: RunContext,
  server: DatabaseServer,
  inPlace: InPlacePrograms & { beside: CopyPrograms },
): Promise<void> {
  const { run, say } = context;
  const hindrance = await hindranceOf(ports.programs, context, server, inPlace.beside);
  if (hindrance !== '') {
    say(hindrance);
    return restoreBeside(ports, context);
  }
  const fillBeside = (encoding: Encoding | undefined): Promise<DatabaseServer> =>
    fill(ports, context, { copies: 2, encoding });
  const copy = copyPorts({ programs: ports.programs, fill: fillBeside }, context, server, inPlace.beside);
  await restoreInPlace(copy, context, server, inPlace);
  await ports.beside.stop(run.databaseId, besideOf(run));
  await ports.beside.removeVolume(run.databaseId, besideOf(run));
}

/** Into a new volume, which the database changes over to. */
async function restoreBeside(ports: RestoringPorts, context: RunContext): Promise<void> {
  const { run, say } = context;
  const databaseId = idOf(run);
  const beside = besideOf(run);
  if (await ports.beside.isOn(databaseId, beside.volume)) {
    say(
      'The restored volume was complete and the switch to it had begun before Berth was restarted; ' +
        'continuing there.',
    );
  } else {
    const server = await fill(ports, context);
    await carryOver(ports.programs, context, {
      fresh: server,
      present: await ports.beside.running(databaseId),
    });
    // Known before the change, so that a crash in it forgets no volume.
    await context.record({ previousVolume: await ports.beside.volumeOf(databaseId) });
  }
  await changeOverTo(ports.beside, context, { databaseId, target: beside, kept: 'the previous state' });
}

interface ChangingOver {
  databaseId: string;
  target: Beside;
  /** What is kept, in words. */
  kept: string;
}

/** The step after which the database runs on another volume; one that was refused leaves no former volume. */
export async function changeOverTo(
  beside: Pick<BesideServers, 'stop' | 'changeOver'>,
  { signal, say, step, record }: RunContext,
  { databaseId, target, kept }: ChangingOver,
): Promise<void> {
  await step(changeOverStep, async () => {
    if (target.isFormer !== true) await beside.stop(databaseId, target);
    try {
      const { previousVolume } = await beside.changeOver(databaseId, target, { signal, say });
      return { value: undefined, detail: `runs on ${target.volume}; ${kept} is kept in ${previousVolume}` };
    } catch (error) {
      if (!signal.aborted) await record({ previousVolume: null });
      throw error;
    }
  });
}

interface Filling {
  beside?: Beside;
  /** How often the data will stand on the disk besides the present. */
  copies?: number;
  encoding?: Encoding | undefined;
}

/** The step that starts an empty server beside. */
export function startBeside(
  { beside: servers }: Pick<RestoringPorts, 'beside'>,
  context: RunContext,
  beside: Beside,
): Promise<DatabaseServer> {
  const { run, signal, say } = context;
  return context.step('beside', async () => {
    const started = await servers.start(idOf(run), beside, { signal, say });
    context.hide([started.password, started.rootPassword]);
    return { value: started, detail: `${started.image} as ${started.service}` };
  });
}

/** A server beside with the object in it, looked into. */
export async function fill(
  ports: RestoringPorts,
  context: RunContext,
  { beside = besideOf(context.run), copies = 1, encoding }: Filling = {},
): Promise<DatabaseServer> {
  const { run, signal, say } = context;
  const databaseId = idOf(run);
  const store = await findObject(ports, context, {
    what: 'the restored database',
    disk: await ports.disk(databaseId),
    copies,
  });
  const server = await startBeside(ports, context, beside);
  const options: ProgramOptions = { backupRunId: run.backupRunId, signal, onLine: say };
  const programs: DatabasePrograms = databasePrograms[server.kind];
  const target = targetOf(server, run.database);
  await context.step('load', async () => {
    const { create, inPlace } = programs;
    if (create && run.database !== (await ports.beside.ownDatabase(databaseId)))
      await ports.programs.text(server, create(target), options);
    if (encoding && inPlace?.beside)
      await ports.programs.text(server, inPlace.beside.encode(target, encoding), options);
    const names = programs.mayNameOthers ? await namesOf(ports.programs, server, options) : [];
    const detail = await loadObject(ports, context, {
      server,
      store,
      database: run.database,
      isTemporary: true,
    });
    if (programs.mayNameOthers) {
      const others = (await namesOf(ports.programs, server, options)).filter(
        (name) => !names.includes(name) && name !== run.database,
      );
      if (others.length > 0) throw ofOthers(run, others);
    }
    return { value: undefined, detail };
  });
  await checkLoaded(ports, context, server, run.database);
  return server;
}

export function idOf({ databaseId }: BackupRunRecord): string {
  if (databaseId === null)
    throw new AppError('PRECONDITION_FAILED', 'The database of this run no longer exists.');
  return databaseId;
}
