/** An image as the engine API's `POST /images/load` takes it: a tar archive of chosen layers. */
import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
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
export const archiveBeginning = (): Uint8Array => tarHeader('berth/', 0, 'folder');

/** The rest of an archive of no image. */
export const emptyArchive = (): Uint8Array =>
  Buffer.concat([...entry('manifest.json', Buffer.from('[]')), archiveEnd()]);

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
    yield padding(size);
  }
  yield archiveEnd();
}

const blockSize = 512;
const archiveEnd = (): Buffer => Buffer.alloc(2 * blockSize);
const fileOf = (chainId: string): string => `${chainId.slice('sha256:'.length)}.tar`;

function* entry(name: string, bytes: Buffer): Generator<Uint8Array> {
  yield tarHeader(name, bytes.length);
  yield bytes;
  yield padding(bytes.length);
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

/** A header of POSIX ustar; a size beyond 8 GiB in GNU's base-256 form. */
export function tarHeader(name: string, size: number, kind: 'file' | 'folder' = 'file'): Buffer {
  const header = Buffer.alloc(blockSize);
  header.write(name, 0, 100, 'latin1');
  header.write(kind === 'file' ? '0000644\0' : '0000755\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  if (size < 8 ** 11) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  else {
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write('00000000000\0', 136, 'latin1');
  header.write(`        ${kind === 'file' ? 0 : 5}`, 148, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function padding(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
}
