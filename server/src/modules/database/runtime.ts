/** What a database's server does by hand: start, stop, reload, another port, another password, show its output, go. */
import { AppError } from '../../domain/errors.ts';
import { statusAfter } from '../../domain/lifecycle.ts';
import { databaseRef } from '../../domain/service-ref.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import type { Engine, LogLine, ServiceSpec } from '../../ports/engine.ts';
import {
  awaitEnded,
  awaitRunning,
  nameOf,
  ownService,
  removeFromEngine,
  serviceOutput,
  type OutputOptions,
  type OwnedService,
} from '../service/own-service.ts';
import type { Turns } from '../service/turns.ts';
import type { Databases } from './database.ts';

export interface DatabaseRuntime {
  /** Back to its server on its data; PRECONDITION_FAILED before any release. */
  start(database: DatabaseRecord): Promise<DatabaseRecord>;
  stop(database: DatabaseRecord): Promise<DatabaseRecord>;
  /** A new container with the current settings and the live image; PRECONDITION_FAILED with the reason when it does not become healthy. */
  reload(database: DatabaseRecord): Promise<DatabaseRecord>;
  /** Gives the running server the port that the record names; nothing to do for one that does not run. CONFLICT when the server has no such port free. */
  applyPort(database: DatabaseRecord): Promise<void>;
  /** Removes its services under any name it had, and its volumes. */
  remove(database: DatabaseRecord): Promise<void>;
  removeVolume(volumeName: string): Promise<void>;
  readLogs(database: DatabaseRecord, options: OutputOptions): Promise<LogLine[]>;
  followLogs(
    database: DatabaseRecord,
    options: { tail: number; since?: string | undefined; signal: AbortSignal },
  ): AsyncIterable<LogLine>;
}

export interface DatabaseRuntimeOptions {
  engine: Engine;
  databases: Databases;
  turns: Turns;
  /** What the engine should run of it; undefined before the first release. */
  liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
  /** The live image with the settings as they are now. `keep` stores them as the live release's and gives what takes that back. */
  currentSpec(database: DatabaseRecord): Promise<{ spec: ServiceSpec; keep(): Promise<() => Promise<void>> }>;
  /** Gives the running service this specification and waits for it. */
  releaseNow(spec: ServiceSpec): Promise<void>;
  /** Whether a deployment of it is under way, which takes the record as it is then. */
  isWorking(database: DatabaseRecord): Promise<boolean>;
}

/** Longer than a server may take for its last writes. */
const removalLimitMs = 90_000;
const takenWords = /address already in use|port is already allocated|host-mode port already in use/i;

const owned = (database: DatabaseRecord): OwnedService => ({
  ...database,
  ...databaseRef(database.databaseId),
});

export function createDatabaseRuntime(options: DatabaseRuntimeOptions): DatabaseRuntime {
  const { engine, databases, turns } = options;
  const output = serviceOutput(engine);

  async function settle(
    database: DatabaseRecord,
    event: 'started' | 'stopped',
    isStopped: boolean,
  ): Promise<DatabaseRecord> {
    const changed = { isStopped, applicationStatus: statusAfter(event, database.applicationStatus) };
    await databases.patch(database.databaseId, changed);
    return { ...database, ...changed };
  }
  async function requireLive(database: DatabaseRecord): Promise<ServiceSpec> {
    const spec = await options.liveSpec(database);
    if (!spec)
      throw new AppError('PRECONDITION_FAILED', `${database.name} has not been deployed yet: deploy first.`);
    return spec;
  }

  return {
    start: (database) =>
      turns.take(database.databaseId, async () => {
        const spec = await requireLive(database);
        const present = await ownService(engine, owned(database));
        if (present?.specDigest === engine.specDigest(spec))
          await engine.scaleService(spec.name, spec.replicas);
        else await engine.applyService(spec);
        await awaitRunning(engine, spec.name, spec.replicas, `${database.kind}.readLogs`);
        return settle(database, 'started', false);
      }),
    stop: (database) =>
      turns.take(database.databaseId, async () => {
        if (await ownService(engine, owned(database))) {
          await engine.scaleService(nameOf(database), 0);
          await awaitEnded(engine, nameOf(database), `${database.kind}.readLogs`);
        }
        return settle(database, 'stopped', true);
      }),
    reload: (database) =>
      turns.take(database.databaseId, async () => {
        await requireLive(database);
        const { spec, keep } = await options.currentSpec(database);
        // Stored first: whatever ends Berth here, the reconciler goes on to what was asked for.
        const takeBack = await keep();
        try {
          await options.releaseNow(spec);
        } catch (error) {
          if (error instanceof AppError && error.code === 'PRECONDITION_FAILED') await takeBack();
          throw error;
        }
        return settle(database, 'started', false);
      }),
    applyPort: (database) =>
      turns.take(database.databaseId, async () => {
        const spec = await options.liveSpec(database);
        if (!spec || database.isStopped || (await options.isWorking(database))) return;
        try {
          await options.releaseNow(spec);
        } catch (error) {
          if (!(error instanceof AppError) || !takenWords.test(error.message)) throw error;
          throw portTaken(database.externalPort, error);
        }
      }),
    async remove(database) {
      await removeFromEngine(engine, databaseRef(database.databaseId), {
        deleteVolumes: true,
        limitMs: removalLimitMs,
      });
    },
    removeVolume: (volumeName) => engine.removeVolume(volumeName),
    readLogs: (database, wanted) => output.readLogs(owned(database), wanted),
    followLogs: (database, wanted) => output.followLogs(owned(database), wanted),
  };
}

/** The holder is no service of Berth's, else the records would have told it. */
export function portTaken(port: number | null, cause?: unknown): AppError {
  const holder = 'another program of the server';
  return new AppError(
    'CONFLICT',
    `Port ${port ?? ''}/tcp is already in use by ${holder}. Choose another one, or end that program.`,
    { cause, issues: [{ path: 'externalPort', message: `is taken by ${holder}` }] },
  );
}
