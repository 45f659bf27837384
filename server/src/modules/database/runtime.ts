/**
 * What a database's server does by hand: start, stop, reload, another port, another password, show its
 * output, go.
 */
import { AppError } from '../../domain/errors.ts';
import { statusAfter } from '../../domain/states/lifecycle.ts';
import { formerServerKey, serverKeyOf } from '../../domain/names/server-key.ts';
import { databaseRef } from '../../domain/names/service-ref.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import type { Engine, LogLine, ServiceSpec } from '../../ports/engine/engine.ts';
import type { Host, Hosts } from '../../ports/host/host.ts';
import {
  awaitEnded,
  awaitRunning,
  followOutput,
  nameOf,
  ownService,
  readOutput,
  removeFromEngine,
  type Removal,
  type FollowOptions,
  type OutputOptions,
  type OwnedService,
} from '../service/own-service.ts';
import type { Turns } from '../service/turns.ts';
import type { Databases } from './database.ts';
import { notDeployedYet } from '../../domain/not-deployed.ts';

export interface DatabaseRuntime {
  /** Back to its server on its data; PRECONDITION_FAILED before any release. */
  start(database: DatabaseRecord): Promise<DatabaseRecord>;
  stop(database: DatabaseRecord): Promise<DatabaseRecord>;
  /**
   * A new container with the current settings and the live image; PRECONDITION_FAILED with the reason when it
   * does not become healthy.
   */
  reload(database: DatabaseRecord): Promise<DatabaseRecord>;
  /**
   * Gives the running server the port that the record names; nothing to do for one that does not run.
   * CONFLICT when the server has no such port free.
   */
  applyPort(database: DatabaseRecord): Promise<void>;
  /** Removes its services under any name it had, and its volumes. */
  remove(database: DatabaseRecord, removal?: Pick<Removal, 'stays'>): Promise<void>;
  removeVolume(database: DatabaseRecord, volumeName: string): Promise<void>;
  readLogs(database: DatabaseRecord, options: OutputOptions): Promise<LogLine[]>;
  followLogs(database: DatabaseRecord, options: FollowOptions): AsyncIterable<LogLine>;
}

export interface DatabaseRuntimeOptions {
  hosts: Hosts;
  databases: Databases;
  turns: Turns;
  /** What the engine should run of it; undefined before the first release. */
  liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
  /**
   * The live image with the settings as they are now. `keep` stores them as the live release's and gives what
   * takes that back.
   */
  currentSpec(
    database: DatabaseRecord,
    host: Host,
  ): Promise<{ spec: ServiceSpec; keep(): Promise<() => Promise<void>> }>;
  /** Gives the running service this specification and waits for it. */
  releaseNow(host: Host, spec: ServiceSpec): Promise<void>;
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
  const { hosts, turns } = options;
  const inTurn =
    <T>(work: (options: DatabaseRuntimeOptions, database: DatabaseRecord) => Promise<T>) =>
    (database: DatabaseRecord): Promise<T> =>
      turns.take(database.databaseId, () => work(options, database));
  const presentEngine = async (database: DatabaseRecord): Promise<Engine | undefined> =>
    (await hosts.find(serverKeyOf(database)))?.engine;

  return {
    start: inTurn(start),
    stop: inTurn(stop),
    reload: inTurn(reload),
    applyPort: inTurn(applyPort),
    async remove(database, removal = {}) {
      const engine = await presentEngine(database);
      if (!engine) return;
      // First: one that cannot be removed now refuses the whole removal, and nothing is forgotten.
      await removeElsewhere(options, database);
      await removeFromEngine(engine, databaseRef(database.databaseId), {
        deleteVolumes: true,
        async stays(reason) {
          await settle(options, database, 'stopped');
          await removal.stays?.(reason);
        },
        limitMs: removalLimitMs,
      });
    },
    async removeVolume(database, volumeName) {
      const former = database.formerVolumes.find((one) => one.volumeName === volumeName);
      await (await hosts.find(formerServerKey(database, former)))?.engine.removeVolume(volumeName);
    },
    readLogs: async (database, wanted) => readOutput(await presentEngine(database), owned(database), wanted),
    async *followLogs(database, wanted) {
      yield* followOutput(await presentEngine(database), owned(database), wanted);
    },
  };
}

/** Former volumes that a move has left on other servers. */
async function removeElsewhere({ hosts }: DatabaseRuntimeOptions, database: DatabaseRecord): Promise<void> {
  for (const former of database.formerVolumes) {
    const key = formerServerKey(database, former);
    if (key !== serverKeyOf(database)) await (await hosts.find(key))?.engine.removeVolume(former.volumeName);
  }
}

async function start(options: DatabaseRuntimeOptions, database: DatabaseRecord): Promise<DatabaseRecord> {
  const spec = await requireLive(options, database);
  const { engine } = await hostOf(options, database);
  const present = await ownService(engine, owned(database));
  if (present?.specDigest === engine.specDigest(spec)) await engine.scaleService(spec.name, spec.replicas);
  else await engine.applyService(spec);
  await awaitRunning(engine, spec.name, spec.replicas, `${database.kind}.readLogs`);
  return settle(options, database, 'started');
}

async function stop(options: DatabaseRuntimeOptions, database: DatabaseRecord): Promise<DatabaseRecord> {
  const host = await options.hosts.find(serverKeyOf(database));
  if (host && (await ownService(host.engine, owned(database)))) {
    await host.engine.scaleService(nameOf(database), 0);
    await awaitEnded(host.engine, nameOf(database), `${database.kind}.readLogs`);
  }
  return settle(options, database, 'stopped');
}

async function reload(options: DatabaseRuntimeOptions, database: DatabaseRecord): Promise<DatabaseRecord> {
  await requireLive(options, database);
  const host = await hostOf(options, database);
  const { spec, keep } = await options.currentSpec(database, host);
  // Stored first: whatever ends Berth here, the reconciler goes on to what was asked for.
  const takeBack = await keep();
  try {
    await options.releaseNow(host, spec);
  } catch (error) {
    if (error instanceof AppError && error.code === 'PRECONDITION_FAILED') await takeBack();
    throw error;
  }
  return settle(options, database, 'started');
}

async function applyPort(options: DatabaseRuntimeOptions, database: DatabaseRecord): Promise<void> {
  const spec = await options.liveSpec(database);
  if (!spec || database.isStopped || (await options.isWorking(database))) return;
  try {
    await options.releaseNow(await hostOf(options, database), spec);
  } catch (error) {
    if (!(error instanceof AppError) || !takenWords.test(error.message)) throw error;
    throw portTaken(database.externalPort, error);
  }
}

function hostOf({ hosts }: DatabaseRuntimeOptions, database: DatabaseRecord): Promise<Host> {
  return hosts.of(serverKeyOf(database));
}

async function requireLive(
  { liveSpec }: DatabaseRuntimeOptions,
  database: DatabaseRecord,
): Promise<ServiceSpec> {
  const spec = await liveSpec(database);
  if (!spec) throw notDeployedYet(database.name);
  return spec;
}

async function settle(
  { databases }: DatabaseRuntimeOptions,
  database: DatabaseRecord,
  event: 'started' | 'stopped',
): Promise<DatabaseRecord> {
  const changed = {
    isStopped: event === 'stopped',
    applicationStatus: statusAfter(event, database.applicationStatus),
  };
  await databases.patch(database.databaseId, changed);
  return { ...database, ...changed };
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
