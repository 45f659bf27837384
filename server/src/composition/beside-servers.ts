/** Servers of databases beside their running ones: what restores and trials load into, and how a database changes over to their volume. */
import { composeDatabaseSpec } from '../deploy/database/release-database.ts';
import type { DatabasePorts } from '../deploy/database/database-context.ts';
import { resolveEnv } from '../domain/env.ts';
import { AppError } from '../domain/errors.ts';
import { databaseRef, ownerLabels } from '../domain/service-ref.ts';
import type { DatabaseRecord } from '../db/tables.ts';
import { hasBackups, noBackups } from '../modules/backup/contract-kinds.ts';
import type { DatabaseServer } from '../modules/backup/database-source.ts';
import type { Beside, BesideServers } from '../modules/backup/restore.ts';
import { askServer, askUntilAnswered } from '../modules/database/ask-server.ts';
import type { Databases } from '../modules/database/database.ts';
import { databaseKind } from '../modules/database/kinds.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import { isoTime, type Clock } from '../ports/clock.ts';
import type { Engine, ServiceSpec } from '../ports/engine.ts';
import type { Queue } from '../ports/queue.ts';

export interface BesideParts {
  engine: Engine;
  databases: Databases;
  deployments: Deployments;
  databasePorts: DatabasePorts;
  liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
  queue: Queue;
  clock: Clock;
}

const startLimitMs = 10 * 60_000;
const queryLimitMs = 60_000;
const stopLimitMs = 90_000;
const pollMs = 250;
const besideLabel = 'berth.restore';

export function createBesideServers(parts: BesideParts): BesideServers {
  const { engine, databases, clock, liveSpec } = parts;
  async function found(databaseId: string): Promise<DatabaseRecord> {
    const database = await databases.find(databaseId);
    if (!database)
      throw new AppError('PRECONDITION_FAILED', 'The database is gone; it was removed meanwhile.');
    return database;
  }
  return {
    volumeOf: async (databaseId) => (await found(databaseId)).dataVolume,
    isOn: async (databaseId, volume) => (await databases.find(databaseId))?.dataVolume === volume,
    async ownDatabase(databaseId) {
      const database = await found(databaseId);
      return databaseKind(database.kind).fields.includes('databaseName')
        ? databaseKind(database.kind).server.login(database).database
        : null;
    },
    async running(databaseId) {
      const database = await found(databaseId);
      const spec = await liveSpec(database);
      const state = spec && (await engine.service(spec.name));
      return spec && state && state.running > 0 ? serverOf(database, spec) : undefined;
    },
    async start(databaseId, beside, { signal, say }) {
      const database = await found(databaseId);
      const spec = await besideSpec(parts, database, beside);
      await engine.applyService(spec);
      say(`Starting ${spec.image} on the new volume ${beside.volume}.`);
      await untilRunning(parts, spec.name, signal);
      const { server } = databaseKind(database.kind);
      const query = server.query({ ...database, replicaSets: database.replicaSets }, spec.name);
      const version = await askUntilAnswered(
        () => askServer(engine, spec.name, query, { signal, limitMs: queryLimitMs }),
        server.version,
        { signal, limitMs: queryLimitMs },
      );
      say(`It answers: version ${version}.`);
      return serverOf(database, spec);
    },
    stop: ({ service }) => engine.removeService(service, { limitMs: stopLimitMs }),
    removeVolume: ({ volume }) => removeWhenFree(engine, volume),
    async changeOver(databaseId, beside, { signal, say }) {
      const database = await found(databaseId);
      const { dataVersion, containerImage } = database;
      // After a restart in the middle the record may have changed already.
      const isChanged = database.dataVolume === beside.volume;
      const previousVolume = isChanged
        ? (database.formerVolumes.at(-1)?.volumeName ?? beside.volume)
        : database.dataVolume;
      const formerVolumes = isChanged ? database.formerVolumes.slice(0, -1) : database.formerVolumes;
      const title = `Restore to ${beside.volume}`;
      await databases.patch(databaseId, {
        dataVolume: beside.volume,
        formerVolumes: [
          ...formerVolumes,
          { volumeName: previousVolume, dataVersion, containerImage, since: isoTime(clock) },
        ],
      });
      const failure = await deploy(parts, database, { title, signal, say });
      if (failure === undefined) return { previousVolume };
      await databases.patch(databaseId, { dataVolume: previousVolume, formerVolumes });
      say('Going back to the volume before.');
      const again = await deploy(parts, database, { title: `Back to ${previousVolume}`, signal, say });
      throw new AppError(
        'PRECONDITION_FAILED',
        `The restored data was not taken: ${failure} ${again === undefined ? 'The database runs on its former volume again.' : `The way back failed too: ${again} Its data is in the volume ${previousVolume}; deploy it again.`}`,
      );
    },
  };
}

/** A container that was told to stop still uses its volume until it has. */
async function removeWhenFree(engine: Engine, volume: string): Promise<void> {
  const end = Date.now() + stopLimitMs;
  for (;;) {
    try {
      return await engine.removeVolume(volume);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'CONFLICT') || Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function serverOf(database: DatabaseRecord, spec: ServiceSpec): DatabaseServer {
  const { kind, name, databasePassword, databaseRootPassword } = database;
  if (!hasBackups(kind)) throw new AppError('BAD_REQUEST', noBackups(kind));
  return {
    kind,
    name,
    service: spec.name,
    image: spec.image,
    network: spec.networks[0] ?? '',
    user: databaseKind(kind).server.login(database).user,
    password: databasePassword,
    rootPassword: databaseRootPassword ?? '',
    registryAuth: spec.registryAuth,
  };
}

/** As the record says, on another volume and under another name, with no port and no files or volumes of the database's own besides. It bears no label of the database, whose service it is not. */
async function besideSpec(
  { engine, databasePorts, liveSpec }: BesideParts,
  database: DatabaseRecord,
  beside: Beside,
): Promise<ServiceSpec> {
  const { records } = databasePorts;
  const [placement, blocks, live] = await Promise.all([
    records.placement(database.environmentId),
    records.envBlocks(database.environmentId),
    liveSpec(database),
  ]);
  const image = live?.image ?? database.containerImage;
  const fresh = { ...database, appName: beside.service, dataVolume: beside.volume, externalPort: null };
  const context = {
    ...databasePorts,
    engine,
    database: fresh,
    placement,
    env: resolveEnv({ ...blocks, service: database.env }),
    records: { ...records, mounts: async () => [] },
  };
  const spec = await composeDatabaseSpec(context, image, beside.service);
  const { [ownerLabels.database]: _owner, ...labels } = spec.labels;
  return { ...spec, labels: { ...labels, [besideLabel]: database.databaseId } };
}

async function untilRunning({ engine }: BesideParts, name: string, signal: AbortSignal): Promise<void> {
  const end = Date.now() + startLimitMs;
  for (;;) {
    signal.throwIfAborted();
    if (((await engine.service(name))?.running ?? 0) > 0) return;
    const failed = (await engine.tasks(name)).filter(
      ({ state }) => state === 'failed' || state === 'rejected',
    );
    if (failed.length > 2 || Date.now() > end) {
      const lines: string[] = [];
      for await (const { text } of engine.serviceLogs(name, { tail: 10 })) lines.push(text);
      throw new AppError(
        'PRECONDITION_FAILED',
        `The server beside did not start (${failed[0]?.error ?? 'it was not healthy in time'}). Its last lines: ${lines.slice(-5).join(' / ')}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Deploys the database as its record says now and waits for the end; gives the reason of a failure. */
async function deploy(
  { deployments, queue }: BesideParts,
  { databaseId, organizationId }: DatabaseRecord,
  { title, signal, say }: { title: string; signal: AbortSignal; say(line: string): void },
): Promise<string | undefined> {
  const { deploymentId } = await deployments.accept(databaseRef(databaseId), {
    kind: 'deploy',
    title,
    description: '',
  });
  queue.wake();
  say(`The database changes over; deployment ${deploymentId} has the log of it.`);
  for (;;) {
    signal.throwIfAborted();
    const { status, errorMessage } = await deployments.one(deploymentId, organizationId);
    if (status === 'done') return undefined;
    if (status === 'error' || status === 'cancelled') return errorMessage ?? status;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
