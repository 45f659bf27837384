/**
 * Moves a database to another server. It is stopped, its volume is copied file by file and compared, and a
 * server on the copy must answer; then the record changes. The former volume stays until a person removes it.
 * A failure before the record has changed leaves the database where it was.
 */
import type { FormerVolume } from '../../db/stored-types.ts';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { databaseRef, isSameService, ownerOfLabels, ownerLabels } from '../../domain/names/service-ref.ts';
import { moveLabel, organizationLabel } from '../../domain/names/labels.ts';
import { serverIdOf } from '../../domain/names/server-key.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import { volumePrograms } from '../../modules/backup/backup.ts';
import { awaitEnded, nameOf } from '../../modules/service/own-service.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';
import { removeWhenFree } from '../../ports/engine/remove-when-free.ts';
import type { Stage } from '../context.ts';
import type { DatabaseContext } from '../database/database-context.ts';
import { limitedBytes } from '../../domain/text/limited-bytes.ts';

export interface MoveDatabaseContext extends DatabaseContext {
  /** Key of the server that it comes from. */
  from: string;
  /** The server that it comes from; waits for it when it cannot be reached. */
  formerHost(): Promise<Host>;
  /** The same without waiting, to undo the move. */
  formerHostNow(): Promise<Host>;
  /** How sentences name the server that it moves to. */
  hostName: string;
}

const removalLimitMs = 90_000;

/** The record after the move: the running image, on a new volume of the other server. */
export function movedRecord(
  database: DatabaseRecord,
  { deploymentId, moveTo }: { deploymentId: string; moveTo: string },
  live: ServiceSpec | undefined,
): DatabaseRecord {
  const dataVolume = volumeOf(database.databaseId, deploymentId);
  const containerImage = live?.image ?? database.containerImage;
  return { ...database, serverId: serverIdOf(moveTo), dataVolume, containerImage };
}

const volumeOf = (databaseId: string, deploymentId: string): string =>
  `berth-data-${databaseId}-${deploymentId.slice(0, 8)}`;

/** From here on no client can write, so the copy is complete. */
export const transferData: Stage<MoveDatabaseContext> = {
  name: 'transfer',
  resume: 'start',
  holdsBuildSlot: false,
  sentence: ({ hostName }) => `Closing the database and copying its data to ${hostName}`,
  async run(context) {
    const { database, engine, former, log, records, signal } = context;
    const here = await context.formerHost();
    const live = await records.liveSpec(former);
    if (!live)
      throw new AppError('PRECONDITION_FAILED', `${former.name} no longer has a release: deploy first.`);
    await removeLeftThere(context);
    await here.engine.removeContainers(programLabel(context));
    if (await here.engine.service(live.name)) {
      await here.engine.scaleService(live.name, 0);
      await awaitEnded(here.engine, live.name, `${former.kind}.readLogs`);
    }
    const [from, to] = [
      programsOf(context, { volume: former.dataVolume, live, probePath: here.probePath }),
      programsOf(context, { volume: database.dataVolume, live, probePath: context.probePath }),
    ];
    const onLine = (line: string): void => log.line(`  ${line}`);
    const copied = { bytes: 0 };
    const archive = here.engine.programOutput(from.read, { signal, onLine });
    const input = counted(archive, copied);
    for await (const _chunk of engine.programOutput(to.write, { signal, input, onLine }));
    const [sent, taken] = await Promise.all([
      textOf(here.engine.programOutput(from.digest, { signal, onLine })),
      textOf(engine.programOutput(to.digest, { signal, onLine })),
    ]);
    if (sent !== taken || sent === '')
      throw new AppError(
        'PRECONDITION_FAILED',
        `The copy is not equal to the data: its files have the SHA-256 ${taken}, those of the data ${sent}.`,
      );
    log.line(`Copied ${copied.bytes} bytes; the files of both have the SHA-256 ${sent}.`);
  },
  async undo(context) {
    const { database, former, hostName, log, records } = context;
    if (await isMoved(context)) return;
    const here = await context.formerHostNow();
    await here.engine.removeContainers(programLabel(context));
    const live = await records.liveSpec(former);
    if (live) await here.engine.applyService({ ...live, replicas: former.isStopped ? 0 : live.replicas });
    log.line(`The database runs on where it was, on the volume ${former.dataVolume}.`);
    try {
      await removeLeftThere(context);
    } catch (error) {
      log.line(
        `What was copied to ${hostName} could not be removed: ${sentenceOf(error)} Remove the service ` +
          `${database.appName} and the volume ${database.dataVolume} there by hand.`,
      );
    }
  },
};

const programLabel = ({ deployment }: MoveDatabaseContext): string =>
  `${moveLabel}=${deployment.deploymentId}`;

/** Removes what an interrupted or failed attempt has left on the new server. */
async function removeLeftThere(context: MoveDatabaseContext): Promise<void> {
  const { database, engine } = context;
  await engine.removeContainers(programLabel(context));
  const owner = databaseRef(database.databaseId);
  for (const { name, labels } of await engine.services())
    if (isSameService(ownerOfLabels(labels), owner))
      await engine.removeService(name, { limitMs: removalLimitMs });
  await removeWhenFree(engine, database.dataVolume);
}

/** Runs Berth's own programs in the image of the database, which both servers have. */
function programsOf(
  { database, deployment }: MoveDatabaseContext,
  { volume, live, probePath }: { volume: string; live: ServiceSpec; probePath: string },
): ReturnType<typeof volumePrograms> {
  const { databaseId, organizationId } = database;
  const { deploymentId } = deployment;
  const { read, write, digest } = volumePrograms(
    { ref: databaseRef(databaseId), organizationId },
    { probePath },
    { runId: deploymentId, volume, image: live },
  );
  const labels = { [moveLabel]: deploymentId, [organizationLabel]: organizationId };
  return { read: { ...read, labels }, write: { ...write, labels }, digest: { ...digest, labels } };
}

async function* counted(
  output: AsyncIterable<Uint8Array>,
  count: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of output) {
    count.bytes += chunk.length;
    yield chunk;
  }
}

async function textOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  return (
    (await limitedBytes(output, 64 * 1024, 'The digest of a volume')).toString().trim().split(/\s/)[0] ?? ''
  );
}

/** From here on the records say that it is on the new server. */
export const switchDatabase: Stage<MoveDatabaseContext> = {
  name: 'switch',
  resume: 'here',
  holdsBuildSlot: false,
  sentence: ({ former, hostName }) =>
    `The database is on ${hostName} now; its former data stays in the volume ${former.dataVolume}`,
  async run({ clock, database, former, records }) {
    if (former.dataVolume === database.dataVolume) return;
    const { databaseId, dataVolume, serverId, containerImage } = database;
    const kept: FormerVolume = {
      volumeName: former.dataVolume,
      dataVersion: former.dataVersion,
      containerImage,
      since: new Date(clock.now()).toISOString(),
    };
    // Earlier former volumes stay on the server that it leaves.
    const formerVolumes = [...former.formerVolumes, kept].map((one) => ({
      serverId: former.serverId,
      ...one,
    }));
    await records.patch(databaseId, {
      serverId,
      dataVolume,
      formerVolumes,
      releasedAppName: database.appName,
    });
  },
};

export const leaveFormer: Stage<MoveDatabaseContext> = {
  name: 'leave',
  resume: 'here',
  holdsBuildSlot: false,
  sentence: () => 'Removing its server where it was',
  async run(context) {
    const { database, hostName, log, signal } = context;
    try {
      const { engine, name } = await context.formerHost();
      const label = ownerLabels.database;
      for (const service of await engine.services())
        if (service.labels[label] === database.databaseId) {
          await engine.removeService(service.name, { limitMs: removalLimitMs });
          log.line(`Removed ${service.name} from ${name}.`);
        }
    } catch (error) {
      signal.throwIfAborted();
      log.line(
        `The database runs on ${hostName}, but its service could not be removed where it was: ` +
          `${sentenceOf(error)} Remove the service ${nameOf(database)} there by hand.`,
      );
    }
    log.line(
      `Services on other servers do not reach it as ${database.appName} any more: give them its new address.`,
    );
  },
};

async function isMoved({ database, records }: MoveDatabaseContext): Promise<boolean> {
  return (await records.find(database.databaseId))?.dataVolume === database.dataVolume;
}
