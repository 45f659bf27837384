/**
 * The service that receives the write-ahead log of one database: from the database's own image, through the
 * folder of its socket, with neither a key of a destination nor a right over its host.
 */
import { createHash } from 'node:crypto';
import type { DatabaseRecord } from '../../../db/tables.ts';
import { AppError } from '../../../domain/errors.ts';
import { recoveryLabels, socketFolder, socketMount } from '../../../domain/database-socket.ts';
import { environmentLabel, projectLabel } from '../../../domain/names/labels.ts';
import type { Engine, ServiceSpec } from '../../../ports/engine/engine.ts';
import { databaseKind } from '../../database/kinds.ts';
import { lastWords, runningContainer } from '../../database/ask-server.ts';
import { lookQuery, lookScript, receiveScript, walFolder } from './stream-scripts.ts';
import { parseLook, type WalLook } from './wal.ts';

const lookLimitMs = 60_000;
const limits = { memoryBytes: 128 * 1024 ** 2, nanoCpus: 500_000_000, pids: 64 };

/** Names of what belongs to one data volume: another volume is another log. */
export interface StreamNames {
  service: string;
  volume: string;
  slot: string;
}

export function streamNames({ databaseId, dataVolume }: DatabaseRecord): StreamNames {
  const mark = createHash('sha256').update(`${databaseId}/${dataVolume}`).digest('hex').slice(0, 24);
  return { service: `wal-${mark}`, volume: `berth-wal-${mark}`, slot: `berth_${mark}` };
}

export const sharesSocket = ({ mounts }: ServiceSpec): boolean =>
  mounts.some(({ target }) => target === socketFolder);

/** Variables of PostgreSQL's clients. */
export function clientEnvironment(database: DatabaseRecord): Record<string, string> {
  const login = databaseKind(database.kind).server.login(database);
  return {
    PGHOST: socketFolder,
    PGUSER: login.user,
    PGPASSWORD: login.password,
    PGDATABASE: login.database,
    PGCONNECT_TIMEOUT: '10',
    PGAPPNAME: 'berth',
  };
}

export function streamSpec(database: DatabaseRecord, live: ServiceSpec): ServiceSpec {
  const { service, volume, slot } = streamNames(database);
  const labels = recoveryLabels(database.organizationId);
  const place = [projectLabel, environmentLabel].flatMap((label) => {
    const value = live.labels[label];
    return value === undefined ? [] : [[label, value] as const];
  });
  const env = { ...clientEnvironment(database), SLOT: slot };
  return {
    name: service,
    image: live.image,
    labels: { ...labels, ...Object.fromEntries(place) },
    ...(live.defaults !== undefined && { defaults: live.defaults }),
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    command: ['sh', '-c', receiveScript],
    networks: live.networks,
    replicas: 1,
    limits,
    reservations: {},
    mounts: [{ type: 'volume', source: volume, target: walFolder, labels }, socketMount(database)],
    files: [],
    ports: [],
    updateOrder: 'stop-first',
    monitorMs: 1000,
    stopGracePeriodMs: 10_000,
    constraints: live.constraints,
    registryAuth: live.registryAuth,
  };
}

/** Ends the present segment where something was written since `seen`, and tells what is complete. */
export async function lookAt(
  engine: Engine,
  database: DatabaseRecord,
  seen: string,
  signal: AbortSignal,
): Promise<WalLook> {
  const { service, slot } = streamNames(database);
  const answer = await engine.exec(await runningContainer(engine, service), {
    argv: ['sh', '-c', lookScript],
    env: { ...clientEnvironment(database), QUERY: lookQuery, SEEN: seen, SLOT: slot },
    signal,
    limitMs: lookLimitMs,
  });
  if (answer.exitCode !== 0)
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The database does not answer the stream: ${lastWords(answer)}`,
    );
  return parseLook(answer.stdout);
}

/** The bytes of a complete segment, exactly as many as it has. */
export async function* readSegment(
  engine: Engine,
  database: DatabaseRecord,
  { file, bytes }: { file: string; bytes: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const container = await runningContainer(engine, streamNames(database).service);
  const program = await engine.interact(container, {
    argv: ['cat', `${walFolder}/${file}`],
    env: {},
    signal,
  });
  program.endInput();
  let read = 0;
  for await (const { stream, bytes: part } of program.output) {
    if (stream !== 'stdout') continue;
    read += part.length;
    if (read > bytes) break;
    yield part;
  }
  if (read !== bytes)
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The segment ${file} came with ${read} bytes of ${bytes}; it is read again.`,
    );
}

/** Removes segments that are stored. The newest one stays, since the stream goes on behind it. */
export async function removeSegments(
  engine: Engine,
  database: DatabaseRecord,
  files: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (files.length === 0) return;
  await engine.exec(await runningContainer(engine, streamNames(database).service), {
    argv: ['rm', '-f', '--', ...files.map((file) => `${walFolder}/${file}`)],
    env: {},
    signal,
    limitMs: lookLimitMs,
  });
}
