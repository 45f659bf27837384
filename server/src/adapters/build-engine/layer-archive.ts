/** An image as the engine API's `POST /images/load` takes it: a tar archive of chosen layers. */
import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { tarEnd, tarHeader, tarPadding } from '../../domain/tar.ts';
import type { ImagePart } from './image-parts.ts';

export interface ImageArchive {
  /** The image's only tag. */
  tag: string;
  config: Buffer;
  /** Of all its layers, lowest first. */
  layers: readonly LayerEntry[];
}

export interface LayerEntry {
  /** As the configuration names it: the digest of its archive. */
  diffId: string;
  chainId: string;
  /** Undefined: the engine has it. */
  open?: () => Promise<ImagePart>;
}

/**
 * The chain id of each layer (OCI image specification, "Layer ChainID"): by it an engine knows a layer on top
 * of those below.
 */
export function chainIds(diffIds: readonly string[]): string[] {
  let chain: string | undefined;
  return diffIds.map((diffId) => {
    chain = chain === undefined ? diffId : digestOf(Buffer.from(`${chain} ${diffId}`));
    return chain;
  });
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The archive's first bytes, which are the same for every image: an empty folder that no engine looks at. */
export const archiveBeginning = (): Uint8Array => tarHeader('berth/', 0, { isFolder: true });

/** The rest of an archive of no image. */
export const emptyArchive = (): Uint8Array =>
  Buffer.concat([...entry('manifest.json', Buffer.from('[]')), tarEnd()]);

/**
 * The bytes of the archive after its beginning. Each layer is held against its digest on the way, so that
 * nobody gets a layer of the engine by its name alone: throws before the archive's end, and the engine reads
 * nothing of it then.
 */
export async function* imageArchive({ tag, config, layers }: ImageArchive): AsyncGenerator<Uint8Array> {
  const configName = `${digestOf(config).slice('sha256:'.length)}.json`;
  const manifest = [
    { Config: configName, RepoTags: [tag], Layers: layers.map(({ chainId }) => fileOf(chainId)) },
  ];
  yield* entry('manifest.json', Buffer.from(JSON.stringify(manifest)));
  yield* entry(configName, config);
  for (const { chainId, diffId, open } of layers) {
    if (open === undefined) continue;
    const { size, body } = await open();
    yield tarHeader(fileOf(chainId), size);
    yield* verified(body, { size, diffId });
    yield tarPadding(size);
  }
  yield tarEnd();
}

const fileOf = (chainId: string): string => `${chainId.slice('sha256:'.length)}.tar`;

function* entry(name: string, bytes: Buffer): Generator<Uint8Array> {
  yield tarHeader(name, bytes.length);
  yield bytes;
  yield tarPadding(bytes.length);
}

async function* verified(
  body: AsyncIterable<Uint8Array>,
  { size, diffId }: { size: number; diffId: string },
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    length += chunk.length;
    yield chunk;
  }
  if (length === size && `sha256:${hash.digest('hex')}` === diffId) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The builder returned ${length} bytes of the layer ${diffId}, which do not match that layer (${size} ` +
      'bytes); the image was not imported. Deploy again with a clean cache.',
  );
}
