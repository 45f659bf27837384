/**
 * Disk that organizations take of servers: volumes, what containers write, and images, each with all its
 * layers, since whose a shared layer is cannot be told. Engines limit no volume, so that a service which runs
 * goes on writing; but nothing is built or released that would take more.
 */
import { AppError } from '../../domain/errors.ts';
import { isBuiltHere } from '../../domain/builds/built-image.ts';
import { deploymentLabel, organizationLabel } from '../../domain/names/labels.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { TableRecord } from '../../db/tables.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { DiskUsage } from '../../ports/engine/engine-disk.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Quotas } from '../quota/quota.ts';

export interface MeasuredServer {
  key: string;
  engine: Pick<Engine, 'diskUsage' | 'removeImage'>;
}

export interface DiskQuotas {
  /** Measures the server and writes down what each organization takes of it. */
  measure(server: MeasuredServer): Promise<void>;
  /**
   * CONFLICT when the organization takes more disk than it may, measured now where it has such a limit.
   * Images of its own that nothing needs are removed before that, and `image` with them when it is refused.
   */
  requireRoom(organizationId: string, server: MeasuredServer, image?: string): Promise<void>;
}

type Pull = TableRecord<'image_pull'>;

export interface DiskStore {
  organizations(): Promise<string[]>;
  /** What organizations have exchanged with registries, on this server. */
  pulls(serverKey: string): Promise<Pull[]>;
  /** In place of what was measured there before. */
  keep(serverKey: string, bytes: ReadonlyMap<string, number>, measuredAt: string): Promise<void>;
  /** Every compose service on Berth's own machine, and whose it is. */
  composes(): Promise<{ composeId: string; organizationId: string }[]>;
  /** Whether the deployment has ended well, or goes on. */
  isOfUse(deploymentId: string): Promise<boolean>;
  /** Images of the organization's live releases. */
  liveImages(organizationId: string): Promise<ReadonlySet<string>>;
}

export interface DiskParts {
  store: DiskStore;
  /** Bytes of the folders that a compose service has beside its file on Berth's own machine. */
  folderBytes(composeId: string): Promise<number>;
  quotas: Pick<Quotas, 'diskLimit' | 'requireDisk'>;
  clock: Clock;
}

type Image = DiskUsage['images'][number];

/** A deployment that has just pulled it is about to release it. */
const justPulledMs = 15 * 60_000;

export function createDiskQuotas(parts: DiskParts): DiskQuotas {
  const { store, quotas, clock } = parts;
  async function measure({ key, engine }: MeasuredServer): Promise<Seen> {
    const [usage, pulls] = [await engine.diskUsage(), await store.pulls(key)];
    const bytes = bytesOf(usage, pulls, new Set(await store.organizations()));
    for (const [organizationId, more] of await boundFolders(parts, key))
      bytes.set(organizationId, (bytes.get(organizationId) ?? 0) + more);
    await store.keep(key, bytes, isoTime(clock));
    return { usage, pulls };
  }
  async function refusalOf(
    organizationId: string,
    server: MeasuredServer,
  ): Promise<{ seen: Seen; error: AppError } | undefined> {
    const seen = await measure(server);
    return quotas.requireDisk(organizationId).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof AppError && error.code === 'CONFLICT') return { seen, error };
        throw error;
      },
    );
  }
  return {
    measure: async (server) => void (await measure(server)),
    async requireRoom(organizationId, server, image) {
      if ((await quotas.diskLimit(organizationId)) === null) return;
      const first = await refusalOf(organizationId, server);
      if (!first) return;
      const released = ({ tags }: Image): boolean => image !== undefined && tags.includes(image);
      const idle = await idleImages(parts, organizationId, first.seen, released);
      for (const one of idle) if (!released(one)) await remove(server, one, first.seen);
      const second = await refusalOf(organizationId, server);
      if (!second) return;
      for (const one of idle) if (released(one)) await remove(server, one, second.seen);
      // As it is shown from now on.
      await measure(server);
      throw second.error;
    },
  };
}

/** What compose services write into folders of their repository (`./data`), by organization. */
async function boundFolders(
  { store, folderBytes }: DiskParts,
  serverKey: string,
): Promise<[organizationId: string, bytes: number][]> {
  if (serverKey !== localServer) return [];
  const all: [string, number][] = [];
  for (const { composeId, organizationId } of await store.composes())
    all.push([organizationId, await folderBytes(composeId)]);
  return all;
}

interface Seen {
  usage: DiskUsage;
  pulls: Pull[];
}

/** Whose an image is: of whom it was built for, else of everybody who got it from a registry. */
function ownersOf(image: Image, pulls: readonly Pull[]): Set<string> {
  const builtFor = isBuiltHere(image) ? image.labels[organizationLabel] : undefined;
  const gotIt = pulls.filter(({ imageId }) => imageId === image.id);
  return new Set(builtFor === undefined ? gotIt.map(({ organizationId }) => organizationId) : [builtFor]);
}

function bytesOf(
  { images, containers, volumes }: DiskUsage,
  pulls: readonly Pull[],
  organizations: ReadonlySet<string>,
): Map<string, number> {
  const bytes = new Map<string, number>();
  const add = (organizationId: string | undefined, more: number): void => {
    if (organizationId !== undefined && organizations.has(organizationId))
      bytes.set(organizationId, (bytes.get(organizationId) ?? 0) + more);
  };
  for (const { labels, sizeBytes } of [...containers, ...volumes])
    add(labels[organizationLabel], sizeBytes ?? 0);
  for (const image of images) for (const owner of ownersOf(image, pulls)) add(owner, image.wholeBytes);
  return bytes;
}

/**
 * Images of this organization alone, of which no container is, and which no release has or is about to have
 * but the one that is judged.
 */
async function idleImages(
  { store, clock }: DiskParts,
  organizationId: string,
  { usage, pulls }: Seen,
  released: (image: Image) => boolean,
): Promise<Image[]> {
  const live = await store.liveImages(organizationId);
  const isAwaited = async (image: Image): Promise<boolean> => {
    const deploymentId = isBuiltHere(image) ? image.labels[deploymentLabel] : undefined;
    if (deploymentId !== undefined) return store.isOfUse(deploymentId);
    const since = clock.now() - justPulledMs;
    return pulls.some(({ imageId, pulledAt }) => imageId === image.id && Date.parse(pulledAt) > since);
  };
  const found: Image[] = [];
  for (const image of usage.images) {
    const owners = ownersOf(image, pulls);
    const isOwn = owners.size === 1 && owners.has(organizationId);
    if (!isOwn || image.containers > 0 || image.tags.some((tag) => live.has(tag))) continue;
    if (released(image) || !(await isAwaited(image))) found.push(image);
  }
  return found;
}

/** Names that others gave to what was pulled stay. */
async function remove({ engine }: MeasuredServer, image: Image, { pulls }: Seen): Promise<void> {
  const references = isBuiltHere(image)
    ? image.tags
    : pulls.filter(({ imageId }) => imageId === image.id).map(({ reference }) => reference);
  for (const reference of references) await engine.removeImage(reference);
}
