/** Images of one engine that another lacks, without a registry between them. */
import { createEngineClient } from '../client/engine-client.ts';
import { layersOf, loadImage, saveImage } from './image-load.ts';
import { parseImageReference } from '../client/image-reference.ts';

export interface ImageFetchOptions {
  /** Unix sockets of the engines, paths of this machine. */
  from: string;
  to: string;
  /** As sentences name the server of `to`. */
  serverName: string | undefined;
}

/**
 * Gives whether the image is there in the end. One that the server has stays as it is; a digest is a
 * registry's affair. Of several who ask for one image at once, one brings it.
 */
export function createImageFetch({ from, to, serverName }: ImageFetchOptions) {
  const source = createEngineClient(from);
  const target = createEngineClient(to, serverName);
  const coming = new Map<string, Promise<boolean>>();
  async function bring(reference: string, signal: AbortSignal): Promise<boolean> {
    if ((await layersOf(target, reference)) !== undefined) return true;
    if ((await layersOf(source, reference)) === undefined) return false;
    await loadImage(to, await saveImage(source, reference, signal), signal);
    return true;
  }
  return (given: string, signal: AbortSignal): Promise<boolean> => {
    const { repository, tag } = parseImageReference(given);
    const reference = `${repository}:${tag}`;
    if (tag.includes(':')) return Promise.resolve(false);
    const present = coming.get(reference) ?? bring(reference, signal);
    coming.set(reference, present);
    return present.finally(() => coming.delete(reference));
  };
}
