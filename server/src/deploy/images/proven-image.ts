/**
 * Whether a registry has given an image, or only its name. An engine fetches no content that it has already,
 * so whoever knows the id of another organization's image could have a registry of their own name it.
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

/** So many of the names under which others have it are asked for. */
const mostAsked = 10;

/**
 * An image that others have on this server, too, is this organization's when it has had it before, when the
 * installation shares it, or when the registry that gave it to another gives it to everybody; else FORBIDDEN.
 */
export async function requireProven(
  { engine, images, reachRegistry, signal }: ProofParts,
  claim: { organizationId: string; serverKey: string; reference: string },
  image: ImageState,
): Promise<void> {
  if (await images.hasHad(claim, image)) return;
  const own = repositoryOf(claim.reference);
  const elsewhere = [...image.tags, ...image.digests].filter((name) => repositoryOf(name) !== own);
  // Names come and go; what others were given is known, and what Berth built says for whom.
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
