/** Images between the host's engine and a builder's: base images in, built ones out, layer by layer. */
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../domain/errors.ts';
import type { Delivered } from '../../ports/engine/build-engine.ts';
import type { EngineClient } from '../engine/client/engine-client.ts';
import { parseImageReference } from '../engine/client/image-reference.ts';
import { layersOf, loadImage, saveImage, type LayeredImage } from '../engine/images/image-load.ts';
import { chainIds, digestOf, imageArchive, type LayerEntry } from './layer-archive.ts';
import type { EarlyIntake } from './early-intake.ts';
import { imagePart, type ImagePart } from './image-parts.ts';
import { mostLayers, readImageConfig, type ImageConfig } from './image-config.ts';
import { removeImage } from '../engine/images/images.ts';

export interface Ends {
  /** The engine that has base images, or takes a built one. */
  host: { client: EngineClient; socket: string };
  builder: { client: EngineClient; socket: string; partsSocket: string };
}

const largestConfig = 8 * 1024 * 1024;

/** Brings an image to the builder unless it has exactly it; gives the chain ids of its layers. */
export async function bringImage(
  { host, builder }: Ends,
  reference: string,
  signal: AbortSignal,
): Promise<string[]> {
  const tagged = taggedName(reference);
  if (tagged === undefined) return [];
  const [image, there] = await Promise.all([layersOf(host.client, tagged), layersOf(builder.client, tagged)]);
  if (image === undefined) return [];
  if (there?.id !== image.id)
    await loadImage(builder.socket, await saveImage(host.client, tagged, signal), signal);
  return chainIds(image.diffIds);
}

/** Chain ids of the layers that an engine has of these images. */
export async function chainsOf(client: EngineClient, references: Iterable<string>): Promise<string[]> {
  const tagged = [...references].flatMap((reference) => taggedName(reference) ?? []);
  const images = await Promise.all(tagged.map((reference) => layersOf(client, reference)));
  return images.flatMap((image) => chainIds(image?.diffIds ?? []));
}

/** A name without a tag would mean every tag. Digests are a registry's affair: undefined. */
function taggedName(reference: string): string | undefined {
  const { repository, tag } = parseImageReference(reference);
  return tag.includes(':') ? undefined : `${repository}:${tag}`;
}

/** What was made ready for the delivery while the build ran. */
export interface Intended {
  /** Of the host's engine. */
  intake: EarlyIntake;
  /** Chain ids of layers that the host's engine has and this organization may have. */
  presentLayers: Promise<ReadonlySet<string>>;
}

/** Hands the image over under its tag. Where the host's engine has lost a layer meanwhile, all are sent. */
export async function deliverImage(
  { host, builder }: Ends,
  { image, labels }: { image: string; labels: Readonly<Record<string, string>> },
  { intake, presentLayers }: Intended,
  signal: AbortSignal,
): Promise<Delivered> {
  // The engine gets ready while the image is looked up.
  intake.open();
  const over = new AbortController();
  const parts = { socket: builder.partsSocket, signal: AbortSignal.any([signal, over.signal]) };
  try {
    const [present, built] = await Promise.all([presentLayers, builtImage(builder.client, image)]);
    const reading = configOf(parts, built).then((config) => config.labelled(labels));
    const send = async (left: ReadonlySet<string>): Promise<Delivered> => {
      const { delivered, layers } = layersToSend(parts, built.diffIds, left);
      await intake.take().take(imageArchive({ tag: image, config: await reading, layers }), signal);
      return delivered;
    };
    const delivered = await send(present).catch(async (error: unknown) => {
      signal.throwIfAborted();
      if (present.size === 0) throw error;
      return send(new Set());
    });
    await requireTaken(host.client, image, { id: digestOf(await reading), diffIds: built.diffIds });
    return delivered;
  } finally {
    intake.close();
    over.abort();
  }
}

/** Throws, and takes the tag away, where the engine has another image under it. */
async function requireTaken(client: EngineClient, image: string, wanted: LayeredImage): Promise<void> {
  const taken = await layersOf(client, image);
  if (taken?.id === wanted.id && isDeepStrictEqual(taken.diffIds, wanted.diffIds)) return;
  await removeImage(client, image);
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    `The engine had ${taken?.id ?? 'nothing'} under ${image}, not the image that was built ` +
      `(${wanted.id}), or other layers of it; deploy again.`,
  );
}

async function builtImage(client: EngineClient, image: string): Promise<LayeredImage> {
  const built = await layersOf(client, image);
  if (built === undefined)
    throw new AppError('PRECONDITION_FAILED', `The build ended without an image ${image}.`);
  if (built.diffIds.length > mostLayers)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The image ${image} has ${built.diffIds.length} layers; at most ${mostLayers} are taken.`,
    );
  return built;
}

/** Where parts of images come from. */
interface Parts {
  socket: string;
  signal: AbortSignal;
}

/** All layers of the image; those that are not left out can be opened, and count as sent then. */
function layersToSend(
  parts: Parts,
  diffIds: readonly string[],
  left: ReadonlySet<string>,
): { delivered: Delivered; layers: LayerEntry[] } {
  const chains = chainIds(diffIds);
  const delivered = { layers: chains.length, sent: 0, bytes: 0 };
  const ask = askedAhead(
    parts,
    chains.filter((chainId) => !left.has(chainId)),
  );
  const open = async (chainId: string): Promise<ImagePart> => {
    const part = await ask(chainId);
    delivered.sent += 1;
    delivered.bytes += part.size;
    return part;
  };
  const layers = diffIds.map((diffId, index) => {
    const chainId = chains[index] ?? '';
    return { diffId, chainId, ...(left.has(chainId) ? {} : { open: () => open(chainId) }) };
  });
  return { delivered, layers };
}

/** Asks for the first of these layers, and for each next one when the one before it is to be read. */
function askedAhead(
  { socket, signal }: Parts,
  chains: readonly string[],
): (chainId: string) => Promise<ImagePart> {
  const asked = new Map<string, Promise<ImagePart>>();
  const ask = (chainId: string): Promise<ImagePart> => {
    const part = asked.get(chainId) ?? imagePart(socket, 'layer', chainId, signal);
    // Whoever reads it sees the failure.
    part.catch(() => undefined);
    asked.set(chainId, part);
    return part;
  };
  const askAt = (index: number): void => {
    const chainId = chains[index];
    if (chainId !== undefined) void ask(chainId);
  };
  askAt(0);
  return (chainId) => {
    const part = ask(chainId);
    askAt(chains.indexOf(chainId) + 1);
    return part;
  };
}

/** The engine takes the layers that it names, so they must be those that are held to their digests. */
async function configOf({ socket, signal }: Parts, { id, diffIds }: LayeredImage): Promise<ImageConfig> {
  const { size, body } = await imagePart(socket, 'config', id, signal);
  if (size > largestConfig)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The image's configuration has ${size} bytes; at most ${largestConfig} are accepted.`,
    );
  const config = readImageConfig(await buffer(body));
  if (isDeepStrictEqual(config.diffIds, diffIds)) return config;
  throw new AppError(
    'PRECONDITION_FAILED',
    'The configuration of the image that was built names other layers than the image has, so the image ' +
      'was not imported. Deploy again with a clean cache.',
  );
}
