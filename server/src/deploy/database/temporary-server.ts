/**
 * Temporary servers next to the running one of a database: restores and verifications load into them, and a
 * database can switch to the volume of one.
 */
import { createHash } from 'node:crypto';
import { restoreLabel } from '../../domain/names/labels.ts';
import { bringImage } from '../images/bring-image.ts';
import { composeDatabaseSpec } from './release-database.ts';
import type { DatabasePorts } from './database-context.ts';
import { resolveEnv } from '../../domain/variables/env.ts';
import { AppError } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { databaseRef, ownerLabels } from '../../domain/names/service-ref.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import type { DatabaseServer } from '../../modules/backup/database-source.ts';
import type { Beside, BesideServers } from '../../modules/backup/runs/restore.ts';
import { askServer, askUntilAnswered } from '../../modules/database/ask-server.ts';
import type { Databases } from '../../modules/database/database.ts';
import { databaseKind } from '../../modules/database/kinds.ts';
import { nameOf } from '../../modules/service/own-service.ts';
import { removeWhenFree } from '../../ports/engine/remove-when-free.ts';
import { deployAndWait } from '../deploy-and-wait.ts';
import type { Deployments } from '../../modules/deployment/deployment.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { Engine, ServiceSpec } from '../../ports/engine/engine.ts';
import type { Host, Hosts } from '../../ports/host/host.ts';
import type { Queue } from '../../ports/queue.ts';
import { waitUntil } from '../../ports/wait-until.ts';

export interface BesideParts {
  hosts: Hosts;
  databases: Databases;
  deployments: Deployments;
  databasePorts: DatabasePorts;
  liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
  databaseRuntime: Record<'start' | 'stop' | 'reload', (database: DatabaseRecord) => Promise<unknown>>;
  queue: Queue;
  clock: Clock;
}

const startLimitMs = 10 * 60_000;
const queryLimitMs = 60_000;
const stopLimitMs = 90_000;
const pollMs = 250;

export function createBesideServers(parts: BesideParts): BesideServers {
  const { databases } = parts;
  const found = async (databaseId: string): Promise<DatabaseRecord> => {
    const database = await databases.find(databaseId);
    if (!database)
      throw new AppError('PRECONDITION_FAILED', 'The database has been removed in the meantime.');
    return database;
  };
  return {
    volumeOf: async (databaseId) => (await found(databaseId)).dataVolume,
    isOn: async (databaseId, volume) => (await databases.find(databaseId))?.dataVolume === volume,
    async ownDatabase(databaseId) {
      const database = await found(databaseId);
      return databaseKind(database.kind).fields.includes('databaseName')
        ? databaseKind(database.kind).server.login(database).database
        : null;
    },
    running: async (databaseId) => runningServer(parts, await found(databaseId)),
    whileStarted: async (databaseId, work, { signal, say }) => {
      const database = await found(databaseId);
      if (!(await parts.liveSpec(database))) return false;
      const server = await startAgain(parts, database, { signal, say });
      if (!server) return false;
      try {
        await work(server);
        return true;
      } finally {
        await parts.databaseRuntime.stop(await found(databaseId));
        say('The database was stopped before, and is stopped again.');
      }
    },
    start: async (databaseId, beside, options) => start(parts, await found(databaseId), beside, options),
    changeOver: async (databaseId, beside, options) =>
      changeOver(parts, await found(databaseId), beside, options),
    ...createClearing(parts),
  };
}

/** A run leaves its things on the server of its database; when the database is gone, on any server. */
function createClearing({
  hosts,
  databases,
}: BesideParts): Pick<BesideServers, 'stop' | 'removeVolume' | 'removeContainers'> {
  async function engines(databaseId: string | null): Promise<Engine[]> {
    const database = databaseId === null ? undefined : await databases.find(databaseId);
    const found = database ? [await hosts.find(serverKeyOf(database))] : await hosts.all();
    return found.flatMap((host) => host?.engine ?? []);
  }
  return {
    async stop(databaseId, { service, isAlone }) {
      for (const engine of await engines(databaseId)) {
        await engine.removeService(service, { limitMs: stopLimitMs });
        if (isAlone) await engine.removeNetwork(service);
      }
    },
    async removeVolume(databaseId, { volume }) {
      for (const engine of await engines(databaseId)) await removeWhenFree(engine, volume);
    },
    async removeContainers(databaseId, label) {
      for (const engine of await engines(databaseId)) await engine.removeContainers(label);
    },
  };
}

async function runningServer(
  { hosts, liveSpec }: BesideParts,
  database: DatabaseRecord,
): Promise<DatabaseServer | undefined> {
  const spec = await liveSpec(database);
  if (!spec) return undefined;
  const { engine } = await hosts.of(serverKeyOf(database));
  const state = await engine.service(spec.name);
  return state && state.running > 0 ? serverOf(engine, database, spec) : undefined;
}

/** A stopped database's server; undefined when it does not start, which a restore may be the cure of. */
async function startAgain(
  parts: BesideParts,
  database: DatabaseRecord,
  { signal, say }: Telling,
): Promise<DatabaseServer | undefined> {
  const { engine } = await parts.hosts.of(serverKeyOf(database));
  try {
    // Its recovery may take longer than a start by hand waits.
    await parts.databaseRuntime.start(database).catch(() => untilRunning(engine, nameOf(database), signal));
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error;
    say(`The database does not start, and is restored into a new volume: ${error.message}`);
    return undefined;
  }
  return runningServer(parts, database);
}

interface Telling {
  signal: AbortSignal;
  say(line: string): void;
}

async function start(
  parts: BesideParts,
  database: DatabaseRecord,
  beside: Beside,
  { signal, say }: Telling,
): Promise<DatabaseServer> {
  const host = await parts.hosts.of(serverKeyOf(database));
  const { engine } = host;
  const spec = await besideSpec(parts, host, database, beside);
  if (database.liveDeploymentId === null) await bringFirst(parts, host, database, { signal, say });
  await engine.applyService(spec);
  say(`Starting ${spec.image} on the new volume ${beside.volume}.`);
  await untilRunning(engine, spec.name, signal);
  if (beside.isReplayed) return serverOf(engine, database, spec);
  const { server } = databaseKind(database.kind);
  const query = server.query({ ...database, replicaSets: database.replicaSets }, spec.name);
  const version = await askUntilAnswered(
    () => askServer(engine, spec.name, query, { signal, limitMs: queryLimitMs }),
    { understand: server.version, refusal: (words) => words },
    { signal, limitMs: queryLimitMs },
  );
  say(`It answers: version ${version}.`);
  return serverOf(engine, database, spec);
}

/** The image of a running database is there; that of one that never ran is pulled as its deployment would. */
async function bringFirst(
  { databasePorts }: BesideParts,
  { engine, key: serverKey, fetchImage }: Host,
  { containerImage: reference, organizationId }: DatabaseRecord,
  { signal, say }: Telling,
): Promise<void> {
  const { images, reachRegistry, records } = databasePorts;
  const auth = await records.registryAuth(reference, organizationId);
  await bringImage(
    { engine, serverKey, fetchImage, images, reachRegistry, log: { line: say }, signal },
    { reference, organizationId, auth, how: 'present' },
  );
}

async function changeOver(
  parts: BesideParts,
  database: DatabaseRecord,
  beside: Beside,
  { signal, say }: Telling,
): Promise<{ previousVolume: string }> {
  const { databases, clock } = parts;
  const { databaseId, dataVersion, containerImage } = database;
  // An attempt before a restart may have changed the record already.
  const isChanged = database.dataVolume === beside.volume;
  const previousVolume = isChanged
    ? (database.formerVolumes.at(-1)?.volumeName ?? beside.volume)
    : database.dataVolume;
  const others = isChanged ? database.formerVolumes.slice(0, -1) : database.formerVolumes;
  const target = others.find(({ volumeName }) => volumeName === beside.volume);
  const formerVolumes = others.filter((one) => one !== target);
  const left = isChanged ? database.formerVolumes.at(-1) : undefined;
  const before = { dataVersion, containerImage, ...(left && versionOf(left)) };
  const title = beside.isFormer ? `Back to ${beside.volume}` : `Restore to ${beside.volume}`;
  await databases.patch(databaseId, {
    dataVolume: beside.volume,
    ...(target && versionOf(target)),
    formerVolumes: [...formerVolumes, { volumeName: previousVolume, ...before, since: isoTime(clock) }],
  });
  const failure = await deploy(parts, database, { title, signal, say });
  if (failure === undefined) return { previousVolume };
  const again = await databases.find(databaseId);
  const refused = again && { ...versionOf(again), volumeName: beside.volume, since: isoTime(clock) };
  await databases.patch(databaseId, {
    dataVolume: previousVolume,
    ...before,
    formerVolumes: beside.isFormer && refused ? [...formerVolumes, refused] : formerVolumes,
  });
  say('Going back to the previous volume.');
  const fault = await deploy(parts, database, { title: `Back to ${previousVolume}`, signal, say });
  const outcome =
    fault === undefined
      ? 'The database is running on its former volume again.'
      : `Going back failed too: ${fault} Its data is in the volume ${previousVolume}; deploy it again.`;
  const what = beside.isFormer ? 'The former volume' : 'The restored data';
  throw new AppError('PRECONDITION_FAILED', `${what} was not accepted: ${failure} ${outcome}`);
}

const versionOf = <T extends Pick<DatabaseRecord, 'dataVersion' | 'containerImage'>>({
  dataVersion,
  containerImage,
}: T): Pick<T, 'dataVersion' | 'containerImage'> => ({ dataVersion, containerImage });

function serverOf(engine: Engine, database: DatabaseRecord, spec: ServiceSpec): DatabaseServer {
  const { kind, name, databasePassword, databaseRootPassword } = database;
  return {
    kind,
    name,
    service: spec.name,
    image: spec.image,
    settings: settingsOf(spec),
    network: spec.networks[0] ?? '',
    user: databaseKind(kind).server.login(database).user,
    password: databasePassword,
    rootPassword: databaseRootPassword ?? '',
    registryAuth: spec.registryAuth,
    engine,
  };
}

/**
 * The database as its record says, but on another volume, under another name, without its port and further
 * volumes. It has no owner label of the database, because it is not the database's service.
 */
async function besideSpec(
  { databasePorts, liveSpec }: BesideParts,
  { engine, networks, probePath }: Host,
  database: DatabaseRecord,
  beside: Beside,
): Promise<ServiceSpec> {
  const { records } = databasePorts;
  const [placement, blocks, live] = await Promise.all([
    records.placement(database.environmentId),
    records.envBlocks(database, [database.env]),
    liveSpec(database),
  ]);
  const image = live?.image ?? database.containerImage;
  const fresh = { ...database, appName: beside.service, dataVolume: beside.volume, externalPort: null };
  const alone = (): Promise<string> =>
    networks.ensureSealed(beside.service, { [restoreLabel]: database.databaseId });
  const context = {
    engine,
    networks: beside.isAlone ? { ...networks, ensureEnvironment: alone } : networks,
    probePath,
    database: fresh,
    placement,
    env: resolveEnv({ ...blocks, service: database.env }),
    records: {
      ...records,
      mounts: async () => filesOf(await records.mounts(database.databaseId)),
      sharesSocket: async () => false,
    },
  };
  const spec = await composeDatabaseSpec(context, image, beside.service);
  const { [ownerLabels.database]: _owner, ...labels } = spec.labels;
  return { ...spec, labels: { ...labels, [restoreLabel]: database.databaseId } };
}

/** Without names, networks and volumes, which say nothing of what a dump needs. */
function settingsOf({ env, command, args, files }: ServiceSpec): string {
  return createHash('sha256')
    .update(JSON.stringify([env, command, args, files]))
    .digest('hex');
}

/** Files that the args may name; scripts for a first start would fill what the object is loaded into. */
function filesOf<M extends { type: string; mountPath: string }>(mounts: readonly M[]): M[] {
  return mounts.filter(
    ({ type, mountPath }) => type === 'file' && !mountPath.startsWith('/docker-entrypoint-initdb.d'),
  );
}

async function untilRunning(engine: Engine, name: string, signal: AbortSignal): Promise<void> {
  let failed: readonly { error: string | null }[] = [];
  const end = await waitUntil(
    async () => {
      if (((await engine.service(name))?.running ?? 0) > 0) return 'running';
      failed = (await engine.tasks(name)).filter(({ state }) => state === 'failed' || state === 'rejected');
      return failed.length > 2 ? 'failed' : undefined;
    },
    { everyMs: pollMs, limitMs: startLimitMs, signal },
  );
  if (end === 'running') return;
  const lines: string[] = [];
  for await (const { text } of engine.serviceLogs(name, { tail: 10 })) lines.push(text);
  throw new AppError(
    'PRECONDITION_FAILED',
    `The server did not start (${failed[0]?.error ?? 'it was not healthy in time'}). Its ` +
      `last lines: ${lines.slice(-5).join(' / ')}`,
  );
}

/**
 * Deploys the database as its record says now and waits for the end; resolves with the reason of a failure.
 */
async function deploy(
  parts: BesideParts,
  { databaseId, organizationId }: DatabaseRecord,
  { title, signal, say }: { title: string; signal: AbortSignal; say(line: string): void },
): Promise<string | undefined> {
  const service = { ...databaseRef(databaseId), organizationId };
  return deployAndWait(parts, service, { kind: 'deploy', title, description: '' }, { signal, say });
}
