/** Images between the host's engine and a builder's: base images in, built ones out, layer by layer. */
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { EngineClient } from '../engine/client/engine-client.ts';
import { parseImageReference } from '../engine/client/image-reference.ts';
import { layersOf, loadImage, saveImage } from '../engine/images/image-load.ts';
import { chainIds, digestOf, imageArchive } from './layer-archive.ts';
import { imagePart } from './image-parts.ts';

export interface Ends {
  /** Of the host. */
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
  const { repository, tag } = parseImageReference(reference);
  // A name without a tag would mean every tag. Digests are a registry's affair.
  const tagged = `${repository}:${tag}`;
  const image = tag.includes(':') ? undefined : await layersOf(host.client, tagged);
  if (image === undefined) return [];
  const there = await layersOf(builder.client, tagged);
  if (there?.id !== image.id)
    await loadImage(builder.socket, await saveImage(host.client, tagged, signal), signal);
  return chainIds(image.diffIds);
}

/**
 * Hands the image over under its tag. `present` are chain ids of layers that the host's engine has and this
 * organization may have; where it has lost one in the meantime, all are sent.
 */
export async function deliverImage(
  ends: Ends,
  { image, labels }: { image: string; labels: Readonly<Record<string, string>> },
  present: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const { host, builder } = ends;
  const built = await layersOf(builder.client, image);
  if (built === undefined)
    throw new AppError('PRECONDITION_FAILED', `The build ended without an image ${image}.`);
  const config = labelled(await configOf(builder.partsSocket, built.id, signal), labels);
  const chains = chainIds(built.diffIds);
  const send = (left: ReadonlySet<string>): Promise<void> => {
    const layers = built.diffIds.map((diffId, index) => {
      const chainId = chains[index] ?? '';
      const open = () => imagePart(builder.partsSocket, 'layer', chainId, signal);
      return { diffId, chainId, ...(left.has(chainId) ? {} : { open }) };
    });
    return loadImage(host.socket, imageArchive({ tag: image, config, layers }), signal);
  };
  await send(present).catch(async (error: unknown) => {
    signal.throwIfAborted();
    if (present.size === 0) throw error;
    await send(new Set());
  });
  const taken = await layersOf(host.client, image);
  if (taken?.id !== digestOf(config))
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The engine has ${taken?.id ?? 'nothing'} under ${image}, not the image that was built ` +
        `(${digestOf(config)}); deploy again.`,
    );
}

async function configOf(socket: string, id: string, signal: AbortSignal): Promise<Buffer> {
  const { size, body } = await imagePart(socket, 'config', id, signal);
  if (size > largestConfig)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The image's configuration has ${size} bytes; at most ${largestConfig} are taken over.`,
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
