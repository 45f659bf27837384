/**
 * Moves the data of a database to a server of a newer major version. Both servers run side by side, with no
 * client connected, until the new one has all data.
 */
import { withoutSocket } from '../../domain/database-socket.ts';
import { AppError } from '../../domain/errors.ts';
import type { DatabaseRecord, DeploymentRecord } from '../../db/tables.ts';
import { askServer, lastWords } from '../../modules/database/ask-server.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { Stage } from '../context.ts';
import { watchRelease } from '../release/release-watch.ts';
import type { DatabaseContext } from './database-context.ts';
import { withPort } from './database-spec.ts';
import { composeDatabaseSpec } from './release-database.ts';

const startLimitMs = 11 * 60_000;
const copyLimitMs = 12 * 3_600_000;
const removalLimitMs = 90_000;
const unreached = { externalPort: null } as const;

/** The record after the upgrade: the new image on a new volume. */
export function upgradedRecord(
  database: DatabaseRecord,
  { deploymentId, image }: DeploymentRecord,
): DatabaseRecord {
  const dataVolume = `berth-data-${database.databaseId}-${deploymentId.slice(0, 8)}`;
  return database.dataVolume === dataVolume
    ? database
    : { ...database, containerImage: image ?? database.containerImage, dataVolume, dataVersion: null };
}

/** Names of the two servers of an upgrade, the same in each attempt, so that a later one finds them. */
function namesOf({ former, deployment }: DatabaseContext): { source: string; target: string; main: string } {
  const name = (end: string): string =>
    `${former.appName.slice(0, 40)}-${end}-${deployment.deploymentId.slice(0, 8).toLowerCase()}`.replaceAll(
      /[^a-zA-Z0-9-]/g,
      'x',
    );
  return { source: name('from'), target: name('to'), main: former.releasedAppName ?? former.appName };
}

/** From here on no client can write, so the copy is complete. */
export const standBeside: Stage<DatabaseContext> = {
  name: 'beside',
  resume: 'start',
  holdsBuildSlot: false,
  sentence: ({ database, former }) =>
    `Closing the database and starting ${former.containerImage} and ${database.containerImage} side by side`,
  async run(context) {
    const { database, deployment, engine, former, records } = context;
    const { source, target, main } = namesOf(context);
    const live = await records.liveSpec(former);
    if (!live)
      throw new AppError(
        'PRECONDITION_FAILED',
        `${former.name} has not been deployed yet: there is no data to move. Set its image and deploy.`,
      );
    for (const name of [source, target, main]) await engine.removeService(name, { limitMs: removalLimitMs });
    await engine.removeVolume(database.dataVolume);
    const composed = await composeDatabaseSpec(context, database.containerImage, deployment.deploymentId);
    const both = [
      { ...live, name: source },
      { ...composed, name: target },
    ].map((spec) => ({ ...withPort(withoutSocket(spec), { ...former, ...unreached }), replicas: 1 }));
    const started = [];
    for (const spec of both) started.push({ spec, ...(await engine.applyService(spec)) });
    await Promise.all(started.map((one) => awaitAlone(context, one)));
  },
  undo: undoUpgrade,
};

async function awaitAlone(
  { engine, clock, signal }: DatabaseContext,
  { spec, generation }: { spec: ServiceSpec; generation: string },
): Promise<void> {
  const outcome = await watchRelease({
    engine,
    clock,
    signal,
    serviceName: spec.name,
    generation,
    expectedReplicas: 1,
    monitorMs: spec.monitorMs,
    limitMs: startLimitMs,
    onEvent: () => undefined,
  });
  if (outcome.kind === 'failed' || outcome.kind === 'rolled-back')
    throw new AppError('PRECONDITION_FAILED', `${spec.image} did not start: ${outcome.reason}`);
}

export const copyData: Stage<DatabaseContext> = {
  name: 'copy',
  resume: 'start',
  holdsBuildSlot: false,
  sentence: () => 'Copying the data and comparing both servers',
  async run(context) {
    const { engine, former, kind, log, signal } = context;
    const names = namesOf(context);
    const result = await askServer(engine, names.source, kind.server.copyTo(former, names), {
      signal,
      limitMs: copyLimitMs,
    });
    if (result.exitCode !== 0)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The data could not be copied into ${context.database.containerImage}: ${lastWords(result)}`,
      );
    log.line(`Copied and verified: ${result.stdout.trim().split('\n').at(-1) ?? ''}.`);
  },
};

/**
 * Gives the database the volume of the new server, which answers by now. The former volume stays until a
 * person removes it.
 */
export const switchVolume: Stage<DatabaseContext> = {
  name: 'switch',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: ({ former }) => `Keeping the former data in the volume ${former.dataVolume}`,
  async run({ clock, database, former, records }) {
    if (former.dataVolume === database.dataVolume) return;
    const kept = {
      volumeName: former.dataVolume,
      dataVersion: former.dataVersion,
      containerImage: former.containerImage,
      since: new Date(clock.now()).toISOString(),
    };
    await records.patch(database.databaseId, {
      containerImage: database.containerImage,
      dataVolume: database.dataVolume,
      formerVolumes: [...former.formerVolumes, kept],
    });
  },
};

/** After a failure, starts the old server on the old volume again and removes the new one. */
async function undoUpgrade(context: DatabaseContext): Promise<void> {
  const { database, engine, former, log, records } = context;
  if (database.dataVolume === former.dataVolume) return;
  const { source, target, main } = namesOf(context);
  for (const name of [source, target, database.appName, main])
    await engine.removeService(name, { limitMs: removalLimitMs });
  const live = await records.liveSpec(former);
  if (live) await engine.applyService({ ...live, replicas: former.isStopped ? 0 : live.replicas });
  await engine.removeVolume(database.dataVolume);
  log.line(`The database keeps running as ${former.containerImage} with its former data.`);
}
