/** Images between the host's engine and a builder's: base images in, built ones out, layer by layer. */
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { Delivered } from '../../ports/engine/build-engine.ts';
import type { EngineClient } from '../engine/client/engine-client.ts';
import { parseImageReference } from '../engine/client/image-reference.ts';
import { layersOf, loadImage, saveImage, type LayeredImage } from '../engine/images/image-load.ts';
import { chainIds, digestOf, imageArchive } from './layer-archive.ts';
import { imagePart } from './image-parts.ts';

export interface Ends {
  /** The engine that has base images, or takes a built one. */
  host: { client: EngineClient; socket: string };
  builder: { client: EngineClient; socket: string; partsSocket: string };
}

const largestConfig = 8 * 1024 * 1024;
/** Only what is changed; everything else stays as it is. */
const configuration = z.looseObject({
  config: z.looseObject({ Labels: z.record(z.string(), z.string()).nullish() }).nullish(),
});

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

/**
 * Hands the image over under its tag. `presentLayers` are chain ids of layers that the host's engine has and
 * this organization may have; where it has lost one in the meantime, all are sent.
 */
export async function deliverImage(
  ends: Ends,
  { image, labels }: { image: string; labels: Readonly<Record<string, string>> },
  presentLayers: Promise<ReadonlySet<string>>,
  signal: AbortSignal,
): Promise<Delivered> {
  const { host, builder } = ends;
  const [present, { built, config }] = await Promise.all([
    presentLayers,
    builtImage(builder, { image, labels }, signal),
  ]);
  const chains = chainIds(built.diffIds);
  const send = async (left: ReadonlySet<string>): Promise<Delivered> => {
    const delivered = { layers: chains.length, sent: 0, bytes: 0 };
    const layers = built.diffIds.map((diffId, index) => {
      const chainId = chains[index] ?? '';
      const open = async () => {
        const part = await imagePart(builder.partsSocket, 'layer', chainId, signal);
        delivered.sent += 1;
        delivered.bytes += part.size;
        return part;
      };
      return { diffId, chainId, ...(left.has(chainId) ? {} : { open }) };
    });
    await loadImage(host.socket, imageArchive({ tag: image, config, layers }), signal);
    return delivered;
  };
  const delivered = await send(present).catch(async (error: unknown) => {
    signal.throwIfAborted();
    if (present.size === 0) throw error;
    return send(new Set());
  });
  const taken = await layersOf(host.client, image);
  if (taken?.id !== digestOf(config))
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The engine has ${taken?.id ?? 'nothing'} under ${image}, not the image that was built ` +
        `(${digestOf(config)}); deploy again.`,
    );
  return delivered;
}

async function builtImage(
  { client, partsSocket }: Ends['builder'],
  { image, labels }: { image: string; labels: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<{ built: LayeredImage; config: Buffer }> {
  const built = await layersOf(client, image);
  if (built === undefined)
    throw new AppError('PRECONDITION_FAILED', `The build ended without an image ${image}.`);
  return { built, config: labelled(await configOf(partsSocket, built.id, signal), labels) };
}

async function configOf(socket: string, id: string, signal: AbortSignal): Promise<Buffer> {
  const { size, body } = await imagePart(socket, 'config', id, signal);
  if (size > largestConfig)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The image's configuration has ${size} bytes; at most ${largestConfig} are accepted.`,
    );
  return buffer(body);
}

/** The labels belong to Berth, whatever a frontend wrote into the image. */
export function labelled(config: Buffer, labels: Readonly<Record<string, string>>): Buffer {
  const read = configuration.parse(JSON.parse(config.toString('utf8')));
  const own = read.config?.Labels ?? {};
  if (Object.entries(labels).every(([name, value]) => own[name] === value)) return config;
  const changed = { ...read, config: { ...read.config, Labels: { ...own, ...labels } } };
  return Buffer.from(JSON.stringify(changed));
}
