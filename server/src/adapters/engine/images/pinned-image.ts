import { familiarName, isPlatformImage } from '../../../domain/names/image-reference.ts';
import { imageAnswer } from '../services/answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { isAbsent } from '../client/engine-error.ts';
import { imagePath, parseImageReference } from '../client/image-reference.ts';
import { missingPlatformImage } from './platform-image.ts';

/**
 * The reference under which a service gets exactly the image that this node has now. Swarm pulls a plain name
 * before every start of a task, also one that Berth made here: a stranger who owns that name at the default
 * registry would then choose what runs. So an image that was pulled or pushed is named by its digest, and one
 * that no registry knows by its id; neither is pulled when it is here (measured on 20.10). An image that is
 * not here keeps its name, and is pulled; one that only set-up makes is not: PRECONDITION_FAILED.
 */
export async function pinImage(
  client: EngineClient,
  reference: string,
  isOwnImage = isPlatformImage,
): Promise<string> {
  if (reference.includes('@') || reference.startsWith('sha256:')) return reference;
  try {
    const image = await client.call(
      { method: 'GET', path: `${imagePath(reference)}/json`, doing: `reading the image ${reference}` },
      imageAnswer,
    );
    return pinnedReference(reference, image.Id, image.RepoDigests ?? []);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    if (isOwnImage(reference)) throw missingPlatformImage(reference);
    return reference;
  }
}

/**
 * `repoDigests` are `<repository>@<digest>`, as the engine lists them for an image it exchanged with a
 * registry.
 */
export function pinnedReference(reference: string, id: string, repoDigests: readonly string[]): string {
  const repository = familiarName(parseImageReference(reference).repository);
  const known = repoDigests.find(
    (digest) => familiarName(digest.slice(0, digest.indexOf('@'))) === repository,
  );
  return known === undefined ? id : `${reference}${known.slice(known.indexOf('@'))}`;
}
