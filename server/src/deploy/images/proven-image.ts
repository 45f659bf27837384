/**
 * Decides whether an organization received an image from a registry or only knows its id. An engine does not
 * download content that it already has, so a registry of one's own could name another organization's image.
 */
import { organizationLabel } from '../../domain/names/labels.ts';
import { AppError } from '../../domain/errors.ts';
import { familiarName, imageName, registryOf } from '../../domain/names/image-reference.ts';
import type { ImageAccess } from '../../modules/image/image.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { ImageState } from '../../ports/engine/engine-image.ts';
import type { DeployContext } from '../context.ts';

export interface ProofParts extends Pick<DeployContext, 'signal' | 'reachRegistry'> {
  engine: Pick<Engine, 'askRegistry' | 'removeImage'>;
  images: Pick<ImageAccess, 'isShared' | 'hasHad' | 'givenAs'>;
}

/** Number of names, under which other organizations have the image, that are tried at their registries. */
const mostAsked = 10;

/**
 * Throws FORBIDDEN for an image that other organizations have on this server, unless this organization has
 * had it before, the installation shares it, or the registry that gave it to another gives it to everybody.
 */
export async function requireProven(
  { engine, images, reachRegistry, signal }: ProofParts,
  claim: { organizationId: string; serverKey: string; reference: string },
  image: ImageState,
): Promise<void> {
  if (await images.hasHad(claim, image)) return;
  const own = repositoryOf(claim.reference);
  const elsewhere = [...image.tags, ...image.digests].filter((name) => repositoryOf(name) !== own);
  // The names on the engine can change, so the stored pulls and the labels of built images count as well.
  const given = new Set((await images.givenAs(claim, image)).map(repositoryOf));
  const isTheirs = given.size > 0 || image.labels[organizationLabel] !== undefined;
  if ((elsewhere.length === 0 && !isTheirs) || given.has(own)) return;
  for (const name of elsewhere) if (await images.isShared(name, image)) return;
  const proven = image.digests.filter((name) => given.has(repositoryOf(name))).slice(0, mostAsked);
  for (const name of proven) {
    const { organizationId } = claim;
    const digest = await reachRegistry(registryOf(name), { organizationId }, () =>
      engine.askRegistry(name, { auth: undefined, signal }),
    ).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof AppError) return undefined;
      throw error;
    });
    if (digest !== undefined && name.endsWith(`@${digest}`)) return;
  }
  await engine.removeImage(claim.reference);
  throw new AppError(
    'FORBIDDEN',
    `The image ${claim.reference} is already on this server under the name of another source, so its ` +
      'registry was not asked for its content, and it is not shared with everybody. Build it with a label ' +
      "of your own and push that; or have the installation's Owner name it in the setting sharedImages.",
  );
}

const repositoryOf = (reference: string): string => familiarName(imageName(reference));
