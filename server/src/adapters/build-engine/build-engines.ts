/** The builders of one host: one for each organization, started when needed and stopped when not. */
import { builderLabel, installationLabel } from '../../domain/names/labels.ts';
import { request } from 'node:http';
import { join } from 'node:path';
import { isImageReference, isPlatformImage } from '../../domain/names/image-reference.ts';
import { builderImage } from '../../domain/names/platform-images.ts';
import { AppError } from '../../domain/errors.ts';
import type { BuildEngine, BuildEngines, BuilderWalls } from '../../ports/engine/build-engine.ts';
import type { ImageState } from '../../ports/engine/engine-image.ts';
import type { BuildLimiter, BuildLimits, ImageIntake } from '../../ports/engine/builder.ts';
import type { BuilderFolders } from '../../ports/host/host-connection.ts';
import { createEngineClient, ownedBy, type EngineClient } from '../engine/client/engine-client.ts';
import { findImage, imageIds, listImages, removeImage } from '../engine/images/images.ts';
import { missingPlatformImage } from '../engine/images/platform-image.ts';
import { layersOf } from '../engine/images/image-load.ts';
import { listVolumes, removeVolume } from '../engine/volumes.ts';
import { engineSocketName, heldFolderOf, localBuilderFolders, partsSocketName } from './builder-folders.ts';
import {
  builderName,
  buildersOf,
  ensureBuilder,
  limitAgain,
  limitBuilder,
  removeBuilder,
  stopBuilder,
} from './builder-container.ts';
import { organizationOf } from './container-spec.ts';
import { createBaseChoice, type BaseChoice } from './base-choice.ts';
import { createIdle, type Idle } from './idle.ts';
import { createEarlyIntake } from './early-intake.ts';
import { bringImage, chainsOf, deliverImage, type Ends } from './image-transfer.ts';
import { holdSocket } from './held-socket.ts';
import { chainIds } from './layer-archive.ts';
import { oneAtATime, type OneAtATime } from '../../domain/time/one-at-a-time.ts';

export interface BuildEnginesOptions {
  /** Id of the installation that the builders belong to. */
  installation: string;
  /** Unix socket of the host's engine, a path of this machine. */
  engineSocket: string;
  /** As sentences name another server. */
  serverName?: string | undefined;
  /** Folder for the builders' sockets as this machine sees it, and as the host does. */
  folder: string;
  hostFolder: string;
  /** Makes the builders' folders; absent: they are folders of this machine. */
  folders?: BuilderFolders | undefined;
  /** Brings an image from elsewhere where the host's engine lacks it, if it can. */
  fetchImage?: ((reference: string, signal: AbortSignal) => Promise<boolean>) | undefined;
  limiterOf(socket: string): BuildLimiter;
  wallsOf(organizationId: string): Promise<BuilderWalls>;
  /** Whether an image of the host's engine may be used by everybody. */
  isShared(reference: string): Promise<boolean>;
  /**
   * Whether a build of the organization may begin from the image that the host's engine has under this name;
   * false: a registry is asked for it. Throws AppError with the reason when it must not be built from at all.
   */
  mayBuildFrom(
    claim: { organizationId: string; reference: string },
    image: ImageState | undefined,
  ): Promise<boolean>;
  image?: string;
  /** Milliseconds after the last build (default ten minutes). */
  idleMs?: number;
}

const defaultIdleMs = 10 * 60_000;
/** So many of an organization's newest images tell which layers the host's engine has of it. */
const imagesLookedAt = 5;

/** Of an answer of a builder, in which steps of a build may have got out of their container. */
const mostCharacters = 4 * 1024 * 1024;

/** What is known of an organization's builder. */
interface Builder {
  organizationId: string;
  /** That its container sees, and writes. */
  folder: string;
  /** That it does not reach: the sockets of that one, held. */
  heldFolder: string;
  socket: string;
  client: EngineClient;
  limiter: BuildLimiter;
  idle: Idle;
  running: Set<BuildLimits>;
  /** What is done to the container, one after another. */
  inTurn: OneAtATime;
  /** By reference, images that are brought to it. */
  bringing: Map<string, Promise<unknown>>;
  bases: BaseChoice;
}

export function createBuildEngines(options: BuildEnginesOptions): BuildEngines {
  const engine = ownedBy(createEngineClient(options.engineSocket, options.serverName), options.installation);
  const builders = new Map<string, Builder>();
  function builderOf(organizationId: string): Builder {
    const builder = builders.get(organizationId) ?? newBuilder(engine, options, organizationId);
    builders.set(organizationId, builder);
    return builder;
  }
  return {
    async lend(organizationId, { limits: asked, deliverTo, signal }) {
      const builder = builderOf(organizationId);
      const limits = { ...asked };
      builder.running.add(limits);
      builder.idle.take();
      try {
        const need = { limits: builder.running, signal };
        const id = await builder.inTurn(() => start(engine, options, builder, need));
        return lent(engine, options, builder, { id, limits, deliverTo });
      } catch (error) {
        builder.running.delete(limits);
        builder.idle.giveBack();
        signal.throwIfAborted();
        throw withoutEngine(error);
      }
    },
    async getReady(organizationId, { limits, signal }) {
      const builder = builderOf(organizationId);
      if (builder.idle.isAwaited()) return;
      builder.idle.take();
      const limited = () => (builder.running.size > 0 ? builder.running : [limits]);
      try {
        await builder.inTurn(() => start(engine, options, builder, { limits: limited(), signal }));
      } finally {
        builder.idle.giveBack();
      }
    },
    tidy: (organizations) =>
      tidy(engine, options, organizations, (organizationId) => {
        const { idle } = builderOf(organizationId);
        idle.take();
        idle.giveBack();
      }),
    async remove(organizationId) {
      const builder = builderOf(organizationId);
      await builder.inTurn(async () => {
        await removeBuilder(engine, organizationId);
        await removeCache(engine, options, organizationId);
      });
      builders.delete(organizationId);
    },
  };
}

/** Removes the builders of organizations that are gone, and tells of those that stay. */
async function tidy(
  engine: EngineClient,
  options: BuildEnginesOptions,
  organizations: ReadonlySet<string>,
  onStays: (organizationId: string) => void,
): Promise<void> {
  for (const { organizationId, isLabelled } of await buildersOf(engine)) {
    if (organizations.has(organizationId)) onStays(organizationId);
    else if (isLabelled) await removeBuilder(engine, organizationId);
  }
  for (const name of await listVolumes(engine, `${installationLabel}=${engine.installation}`)) {
    const organizationId = organizationOf(engine, name);
    if (organizationId !== undefined && !organizations.has(organizationId))
      await removeCache(engine, options, organizationId);
  }
}

async function removeCache(
  engine: EngineClient,
  options: BuildEnginesOptions,
  organizationId: string,
): Promise<void> {
  for (const name of await listVolumes(engine, `${builderLabel}=${organizationId}`))
    if (organizationOf(engine, name) === organizationId) await removeVolume(engine, name);
  await foldersOf(options).remove(folderOf(organizationId));
}

function newBuilder(
  engine: EngineClient,
  { folder, folders, limiterOf, isShared, idleMs = defaultIdleMs }: BuildEnginesOptions,
  organizationId: string,
): Builder {
  const seen = join(folder, folderOf(organizationId));
  // Those of another server are this machine's own already, which nobody there can replace.
  const heldFolder = folders === undefined ? heldFolderOf(folder, folderOf(organizationId)) : seen;
  const socket = join(heldFolder, engineSocketName);
  const client = createEngineClient(socket, 'of the builder', undefined, mostCharacters);
  const builder: Builder = {
    organizationId,
    folder: seen,
    heldFolder,
    socket,
    client,
    limiter: limiterOf(socket),
    idle: createIdle(idleMs, () => builder.inTurn(() => stopUnused(engine, builder))),
    running: new Set(),
    inTurn: oneAtATime(),
    bringing: new Map(),
    bases: createBaseChoice({ host: engine, builder: client, isShared }),
  };
  return builder;
}

function withoutEngine(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') return error;
  const sentence =
    'The container engine does not answer, so nothing can be built; start it and deploy again.';
  return new AppError(error.code, sentence, { cause: error });
}

async function stopUnused(engine: EngineClient, builder: Builder): Promise<void> {
  if (builder.idle.users() === 0) await stopBuilder(engine, builder.organizationId);
}

/** Gives the id of the container, which runs and has the limits of its builds. */
async function start(
  engine: EngineClient,
  options: BuildEnginesOptions,
  { organizationId, folder, heldFolder, socket, idle }: Builder,
  { limits, signal }: { limits: Iterable<BuildLimits>; signal: AbortSignal },
): Promise<string> {
  const { image = builderImage, hostFolder, wallsOf, fetchImage } = options;
  // On a server each is a way there and back.
  const [name, walls] = await Promise.all([
    builderName(engine, organizationId),
    wallsOf(organizationId),
    foldersOf(options).make(folderOf(organizationId)),
    fetchImage?.(image, signal),
  ]);
  const own = join(hostFolder, folderOf(organizationId));
  const container = { name, organizationId, image, hostFolder: own, walls };
  const use = { isInUse: idle.users() > 1, limits, signal };
  const hold = async (socketName: string): Promise<boolean> =>
    heldFolder === folder || holdSocket(join(folder, socketName), join(heldFolder, socketName));
  const present = await ensureBuilder(
    engine,
    container,
    use,
    async () => (await hold(engineSocketName)) && (await answers(socket)) && hold(partsSocketName),
  );
  await limitBuilder(engine, present, limits);
  return present.id;
}

/** A build's part of a builder. */
interface Lent {
  builder: Builder;
  ends: Ends;
  /** By reference, the chain ids of the layers of images that were brought for it. */
  brought: Map<string, string[]>;
  /** Whether one of them is the organization's own. */
  hasOwn: boolean;
}

interface Lending {
  /** Of the container. */
  id: string;
  limits: BuildLimits;
  deliverTo: ImageIntake | undefined;
}

function lent(
  engine: EngineClient,
  options: BuildEnginesOptions,
  builder: Builder,
  { id, limits, deliverTo: to }: Lending,
): BuildEngine {
  const { client, socket, organizationId, running } = builder;
  const host = { client: engine, socket: options.engineSocket };
  const target = to ? { client: createEngineClient(to.socket, to.name), socket: to.socket } : host;
  const from = { client, socket, partsSocket: join(builder.heldFolder, partsSocketName) };
  const part: Lent = { builder, ends: { host, builder: from }, brought: new Map(), hasOwn: false };
  const built: string[] = [];
  const intake = createEarlyIntake(target.socket);
  let present: Promise<ReadonlySet<string>> | undefined;
  const look = (): Promise<ReadonlySet<string>> => {
    const { brought } = part;
    const shared = to ? chainsOf(target.client, brought.keys()) : [...brought.values()].flat();
    return layersThere(target.client, organizationId, shared);
  };
  return {
    socket,
    limiter: builder.limiter,
    baseFor: (image, signal) => builder.bases.choose(image, signal),
    async bring(references, signal) {
      // Whatever else a Dockerfile names is no image of an engine's; the builder says so.
      for (const reference of references.filter(isImageReference))
        await bringOne(options, part, reference, signal);
    },
    prepareDelivery() {
      intake.open();
      // Where the engine loses a layer meanwhile, all are sent.
      present ??= look();
      present.catch(() => undefined);
    },
    async deliver({ name, labels }, signal) {
      built.push(name);
      const there = present?.catch(look) ?? look();
      const ends = { host: target, builder: from };
      return deliverImage(ends, { image: name, labels }, { intake, presentLayers: there }, signal);
    },
    async giveBack() {
      intake.close();
      running.delete(limits);
      // Their layers stay in the cache; nobody can begin from them by their names.
      for (const name of built) await removeImage(client, name).catch(() => undefined);
      if (part.hasOwn) await builder.inTurn(() => forgetOwn(builder)).catch(() => undefined);
      builder.idle.giveBack();
      // Memory that is in use cannot be taken away; the next build sets it anew.
      if (running.size > 0)
        await builder.inTurn(() => limitAgain(engine, id, running)).catch(() => undefined);
    },
  };
}

async function bringOne(
  { isShared, mayBuildFrom, fetchImage }: BuildEnginesOptions,
  part: Lent,
  reference: string,
  signal: AbortSignal,
): Promise<void> {
  const { builder, ends } = part;
  const isForAll = await isShared(reference);
  if (!isForAll) {
    const image = await findImage(ends.host.client, reference);
    if (!(await mayBuildFrom({ organizationId: builder.organizationId, reference }, image)))
      return refusePull(reference);
    part.hasOwn = true;
  }
  // One after another for each image; the second finds it there. Builds that need no image go on.
  const before = builder.bringing.get(reference) ?? Promise.resolve();
  const chains = before.then(async () => {
    if (isForAll) await fetchImage?.(reference, signal);
    return bringImage(ends, reference, signal);
  });
  builder.bringing.set(
    reference,
    chains.catch(() => undefined),
  );
  const found = await chains;
  if (found.length === 0) refusePull(reference);
  part.brought.set(reference, found);
}

/** What is not brought, the builder pulls: of set-up's own names anybody could own it at a registry. */
function refusePull(reference: string): void {
  if (isPlatformImage(reference)) throw missingPlatformImage(reference);
}

/**
 * Takes the names of images that were brought from the builder, unless other builds may begin from them now:
 * the organization's images come and go with its deployments.
 */
async function forgetOwn({ client, organizationId, running }: Builder): Promise<void> {
  if (running.size > 0) return;
  for (const { tags } of await listImages(client, `berth.organization=${organizationId}`))
    for (const tag of tags) await removeImage(client, tag);
}

/** Chain ids of layers that the engine has and this organization may have. */
async function layersThere(
  engine: EngineClient,
  organizationId: string,
  shared: readonly string[] | Promise<readonly string[]>,
): Promise<ReadonlySet<string>> {
  const all = await Promise.all([shared, presentLayers(engine, organizationId)]);
  return new Set(all.flat());
}

/** Chain ids of layers that the host's engine has of the organization's own images. */
async function presentLayers(engine: EngineClient, organizationId: string): Promise<string[]> {
  const ids = await imageIds(engine, `berth.organization=${organizationId}`);
  const layered = await Promise.all(ids.slice(0, imagesLookedAt).map((id) => layersOf(engine, id)));
  return layered.flatMap((one) => chainIds(one?.diffIds ?? []));
}

const foldersOf = ({ folders, folder }: Pick<BuildEnginesOptions, 'folders' | 'folder'>): BuilderFolders =>
  folders ?? localBuilderFolders(folder);

/** An id as the name of a folder. */
function folderOf(organizationId: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,60}$/.test(organizationId)) return organizationId;
  throw new AppError('BAD_REQUEST', `"${organizationId.slice(0, 100)}" is not an organization's id.`);
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ socketPath, path: '/_ping', timeout: 2000 }, (response) => {
      // A word is all that is asked for.
      response.destroy();
      resolve(response.statusCode === 200);
    });
    call.on('error', () => resolve(false));
    call.on('timeout', () => call.destroy());
    call.end();
  });
}
