/**
 * The watch of disks that services write to. No engine limits a volume, or what a container writes into
 * itself: where less of a disk is free than has to stay free, the service that wrote most since then is
 * stopped. Logs and builds have other limits.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { taskLabel } from '../../domain/names/labels.ts';
import { localServer } from '../../domain/names/server-key.ts';
import {
  isSameService,
  ownerLabels,
  ownerOfLabels,
  serviceKey,
  type DeployedKind,
  type ServiceRef,
} from '../../domain/names/service-ref.ts';
import type { TableRecord } from '../../db/tables.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';

export type DiskWriter = TableRecord<'disk_writer'>;

export interface WatchedMachine extends Pick<Host, 'key' | 'whySilent' | 'freeBytes'> {
  engine: Pick<Engine, 'info' | 'diskUsage' | 'containers' | 'leavingContainers' | 'killContainer'>;
}

export interface DiskWriterStore {
  keepWriter(writer: DiskWriter): Promise<void>;
  /** Every compose service on Berth's machine. */
  composes(): Promise<{ composeId: string }[]>;
}

export interface DiskWriterParts {
  store: DiskWriterStore;
  hosts: { all(): Promise<readonly WatchedMachine[]> };
  /** Free bytes on the disk of a folder of Berth's machine. */
  freeBytes(folder: string): Promise<number>;
  /** Folder of Berth's data. */
  dataFolder: string;
  /** Bytes of the folders that a compose service has beside its file on Berth's machine. */
  folderBytes(composeId: string): Promise<number>;
  /** Bytes that have to stay free (setting minFreeDisk). */
  minFreeDisk(): Promise<number>;
  /** Stops the service as a person would. */
  stop(service: ServiceRef): Promise<void>;
  clock: Clock;
  log: { warn(message: string, fields?: object): void; fault(error: unknown, where: string): unknown };
  /** Time that a container has to end before it is killed; 10 s unless given. */
  graceMs?: number;
}

export interface DiskWriters {
  /** To be called each 10 s. */
  look(): Promise<void>;
}

/** Less may be anybody's. */
export const leastGrowth = 32 * 1024 ** 2;
const usualGraceMs = 10_000;
/** Between two looks at the disk of a server, each of which goes over its connection. */
const serverLookMs = 60_000;

/** What each service has on a machine's disk. */
interface Measured {
  at: string;
  bytes: Map<string, { service: ServiceRef; bytes: number }>;
}

interface Watch {
  lookedAt: number;
  /** From when the disk was nearly full. */
  before: Measured | undefined;
}

export function createDiskWriters(parts: DiskWriterParts): DiskWriters {
  const { hosts, clock, log } = parts;
  const watches = new Map<string, Watch>();
  return {
    async look() {
      const kept = await parts.minFreeDisk();
      const all = await hosts.all();
      const present = new Set(all.map(({ key }) => key));
      for (const key of watches.keys()) if (!present.has(key)) watches.delete(key);
      await Promise.all(
        all.map(async (host) => {
          const watch = watches.get(host.key) ?? { lookedAt: -Infinity, before: undefined };
          watches.set(host.key, watch);
          if (host.key !== localServer && clock.now() - watch.lookedAt < serverLookMs) return;
          watch.lookedAt = clock.now();
          await lookAt(parts, host, watch, kept).catch((error: unknown) => {
            // A server that cannot be reached has another alarm.
            if (!(error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE'))
              log.fault(error, `disk of ${host.key}`);
          });
        }),
      );
    },
  };
}

async function lookAt(
  parts: DiskWriterParts,
  host: WatchedMachine,
  watch: Watch,
  kept: number,
): Promise<void> {
  const { free, folders } = await freeOn(parts, host, kept);
  if (free >= 2 * kept) {
    watch.before = undefined;
    return;
  }
  const { before } = watch;
  if (before === undefined || free < kept) watch.before = await measure(parts, host);
  if (before === undefined || watch.before === undefined || free >= kept) return;
  const writer = largestGrowth(before, watch.before, folders);
  if (writer === undefined) return;
  const { service, grownBytes } = writer;
  parts.log.warn('Stops a service that fills the disk', { ...service, grownBytes, free, kept });
  await end(parts, host, service);
  // Afterwards, since whoever reads what is kept forgets a service that is not stopped.
  await parts.store.keepWriter({
    ...service,
    serverKey: host.key,
    grownBytes,
    freeBytes: free,
    keptBytes: kept,
    since: before.at,
    stoppedAt: isoTime(parts.clock),
  });
}

interface Free {
  free: number;
  /** Only the folders of compose services stand on the disk that is full. */
  folders: boolean;
}

/** The disk with the engine's data; of Berth's machine, also the one with Berth's data. */
async function freeOn(parts: DiskWriterParts, host: WatchedMachine, kept: number): Promise<Free> {
  const ofEngine = async (freeBytes: (folder: string) => Promise<number>): Promise<number> =>
    freeBytes((await host.engine.info()).rootDirectory);
  if (host.key !== localServer) {
    const isSilent = host.freeBytes === undefined || host.whySilent?.() !== undefined;
    return {
      free: isSilent ? Infinity : await ofEngine((folder) => freeThere(host, folder)),
      folders: false,
    };
  }
  const free = await ofEngine(parts.freeBytes);
  const ofData = await parts.freeBytes(parts.dataFolder);
  return ofData < kept && free >= kept ? { free: ofData, folders: true } : { free, folders: false };
}

const freeThere = async ({ freeBytes }: WatchedMachine, folder: string): Promise<number> =>
  freeBytes === undefined ? Infinity : freeBytes(folder);

async function measure(
  { store, folderBytes, clock }: DiskWriterParts,
  host: WatchedMachine,
): Promise<Measured> {
  const measured: Measured = { at: isoTime(clock), bytes: new Map() };
  const add = (service: ServiceRef | undefined, place: string, more: number): void => {
    if (service === undefined) return;
    const key = `${place} ${serviceKey(service)}`;
    measured.bytes.set(key, { service, bytes: (measured.bytes.get(key)?.bytes ?? 0) + more });
  };
  const { containers, volumes } = await host.engine.diskUsage();
  for (const { labels, sizeBytes } of [...containers, ...volumes])
    add(ownerOfLabels(labels), 'engine', sizeBytes ?? 0);
  if (host.key === localServer)
    for (const { composeId } of await store.composes())
      add({ kind: 'compose', serviceId: composeId }, 'folder', await folderBytes(composeId));
  return measured;
}

function largestGrowth(
  before: Measured,
  now: Measured,
  folders: boolean,
): { service: ServiceRef; grownBytes: number } | undefined {
  const grown = new Map<string, { service: ServiceRef; grownBytes: number }>();
  for (const [key, { service, bytes }] of now.bytes) {
    if (folders && !key.startsWith('folder ')) continue;
    const more = Math.max(0, bytes - (before.bytes.get(key)?.bytes ?? 0));
    const present = grown.get(serviceKey(service))?.grownBytes ?? 0;
    grown.set(serviceKey(service), { service, grownBytes: present + more });
  }
  const [first] = [...grown.values()].toSorted((left, right) => right.grownBytes - left.grownBytes);
  return first !== undefined && first.grownBytes >= leastGrowth ? first : undefined;
}

/** Kinds whose data may suffer when they are killed have the grace period that they were released with. */
const isKilled: Readonly<Record<DeployedKind, boolean>> = {
  application: true,
  compose: true,
  previewDeployment: true,
  database: false,
};

async function end(parts: DiskWriterParts, host: WatchedMachine, service: ServiceRef): Promise<void> {
  const { stop, graceMs = usualGraceMs } = parts;
  const ended = new AbortController();
  const killing = isKilled[service.kind] ? killAfter(host, service, graceMs, ended.signal) : undefined;
  try {
    await stop(service);
  } finally {
    ended.abort();
    await killing;
    await endCommands(host, service);
  }
}

/** One-off commands write to the same volumes, and do not end with their service. */
async function endCommands({ engine }: WatchedMachine, { kind, serviceId }: ServiceRef): Promise<void> {
  const running = (await engine.containers(`${ownerLabels[kind]}=${serviceId}`)).filter(
    ({ labels, state }) => state === 'running' && Boolean(labels[taskLabel]),
  );
  await Promise.all(running.map(({ id }) => engine.killContainer(id)));
}

async function killAfter(
  { engine }: WatchedMachine,
  service: ServiceRef,
  graceMs: number,
  ended: AbortSignal,
): Promise<void> {
  await sleep(graceMs, undefined, { signal: ended }).catch(() => undefined);
  if (ended.aborted) return;
  const leaving = (await engine.leavingContainers()).filter(({ labels }) =>
    isSameService(ownerOfLabels(labels), service),
  );
  await Promise.all(leaving.map(({ id }) => engine.killContainer(id)));
}
