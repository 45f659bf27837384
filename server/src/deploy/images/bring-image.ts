/** Brings an image that somebody else made to a server, for an organization that may have it. */
import { AppError } from '../../domain/errors.ts';
import { isPlatformImage, registryOf } from '../../domain/names/image-reference.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import type { ImageAccess, RegistryRefusal } from '../../modules/image/image.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';
import type { ImageState } from '../../ports/engine/engine-image.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import type { DeployContext } from '../context.ts';
import { requireProven } from './proven-image.ts';

export interface BringParts extends Pick<DeployContext, 'signal' | 'reachRegistry'> {
  log: Pick<DeployContext['log'], 'line'>;
  engine: Pick<Engine, 'image' | 'pullImage' | 'askRegistry' | 'removeImage'>;
  images: ImageAccess;
  serverKey: string;
  /** From Berth's own machine (ports/host.ts). */
  fetchImage?: Host['fetchImage'];
}

export interface WantedImage {
  reference: string;
  organizationId: string;
  service?: ServiceRef | undefined;
  auth: RegistryAuth | undefined;
  /**
   * `newest`: what the registry has now. `present`: what is here already, if the registry would give it.
   * `local`: only what is here. `again`: what ran before; no registry is asked where the records tell.
   */
  how: 'newest' | 'present' | 'local' | 'again';
}

/**
 * The registry decides, asked with the organization's sign-in. Only when it cannot be asked the image that is
 * here will do, and only if this organization had it from there before. Throws an AppError with what was
 * said, the same whether others have the image here or not.
 */
export async function bringImage(parts: BringParts, wanted: WantedImage): Promise<void> {
  const { engine, images, log, serverKey, fetchImage, signal } = parts;
  const { reference, organizationId, service, how } = wanted;
  images.requireReference(reference, 'the image');
  if (fetchImage && !(await engine.image(reference)) && (await images.isListed(reference)))
    if (await fetchImage(reference, signal)) log.line(`Copied ${reference} from Berth's own machine.`);
  const claim = { organizationId, serverKey, reference, service };
  const local = await engine.image(reference);
  if (local && (await images.isShared(reference, local)))
    return log.line(`Using ${reference} of this server, which the installation shares.`);
  if (how === 'again' && local && (await images.mayRun(claim, local))) return;
  const refused = await fromRegistry(parts, wanted, local);
  const present = await engine.image(reference);
  if (refused === undefined) {
    if (!present) return;
    if (!(await images.mayRun(claim, present))) await requireProven(parts, claim, present);
    await images.keep(claim, present);
    return;
  }
  if (!present || !(await images.mayKeep(claim, present, refused.why))) throw refusal(reference, refused);
  log.line(
    `The image ${reference} could not be pulled (${refused.error.message}). Using the one that is already ` +
      'on this server.',
  );
}

interface Refused {
  why: RegistryRefusal;
  error: AppError;
}

/** Undefined when the registry gives the image, and it is here. */
async function fromRegistry(
  { engine, images, log, signal, reachRegistry, serverKey }: BringParts,
  { reference, organizationId, service, auth, how }: WantedImage,
  local: ImageState | undefined,
): Promise<Refused | undefined> {
  const isOwn =
    local !== undefined && (await images.mayRun({ organizationId, serverKey, reference, service }, local));
  let said: unknown;
  /** Gives whether the image is here then. */
  const work = async (): Promise<boolean> => {
    if (how === 'local' || (local && how !== 'newest')) {
      const digest = await engine.askRegistry(reference, { auth, signal });
      // Another version under this name than the organization had, or would be given, is others' alone.
      if (local && (isOwn || local.digests.some((known) => known.endsWith(`@${digest}`)))) return true;
      if (how === 'local') return false;
    }
    await engine.pullImage(reference, { auth, signal, onLine: log.line });
    return true;
  };
  try {
    const isHere = await reachRegistry(registryOf(reference), { organizationId }, () =>
      work().catch((error: unknown) => {
        said = error;
        throw error;
      }),
    );
    return isHere ? undefined : { why: 'refused', error: notHere(reference) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    // The way to the registry may have its own words for a network that the organization must not explore.
    const cause = said instanceof AppError ? said : error;
    return { error, why: cause.code === 'SERVICE_UNAVAILABLE' ? 'unreachable' : 'refused' };
  }
}

const notHere = (reference: string): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    `The image ${reference} is not on this server, and pull_policy says never.`,
  );

const waysOut =
  "An image from your own registry needs that registry's user name and password; an image that is in no " +
  "registry can be used if the installation's Owner names it in the setting sharedImages.";

function refusal(reference: string, { why, error }: Refused): AppError {
  if (isPlatformImage(reference)) return error;
  const words = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  const sentence =
    why === 'refused'
      ? `${words} Only images that their registry serves to this organization are used: check the name ` +
        `and the tag ${reference}. ${waysOut}`
      : `${words} The registry cannot be asked, and this organization has not pulled ${reference} from ` +
        `it to this server before. Deploy again when it can be reached. ${waysOut}`;
  return new AppError(error.code, sentence, { cause: error });
}
