/**
 * Who may run which image of a server. All organizations' images lie in the one store of an engine, which
 * gives each of them to whoever names it; so what is there already says nothing.
 */
import { organizationLabel } from '../../domain/names/labels.ts';
import { AppError } from '../../domain/errors.ts';
import {
  builtPrefix,
  builtRepository,
  familiarName,
  imageName,
  isNamed,
  parseImageReference,
} from '../../domain/names/image-reference.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import { isSharedBy } from '../../domain/names/shared-images.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { ImageState } from '../../ports/engine/engine-image.ts';

export type PullRecord = TableRecord<'image_pull'>;
export type PullKey = Pick<PullRecord, 'organizationId' | 'serverKey' | 'reference'>;

/** What organizations have exchanged with registries. */
export interface ImagePulls {
  pull(key: PullKey): Promise<PullRecord | undefined>;
  /** In place of what was kept under the same reference. */
  keepPull(record: PullRecord): Promise<void>;
  /** Who has exchanged this very content, under which reference. */
  pullsOf(serverKey: string, imageId: string): Promise<PullRecord[]>;
}

/** An organization wants to run, on a server, what this reference names. */
export interface ImageClaim extends PullKey {
  /** For which of its services. */
  service?: ServiceRef | undefined;
}

/** `refused`: a registry said no, or has no such image. `unreachable`: none could be asked. */
export type RegistryRefusal = 'refused' | 'unreachable';

export interface ImageAccess {
  /** BAD_REQUEST naming `field` for an id, for what Berth built, and for what no engine takes. */
  requireReference(reference: string, field?: string): void;
  /** The installation shares this very image, so that no registry is asked. */
  isShared(reference: string, image: ImageState): Promise<boolean>;
  /** Whether the setting names it, on whichever server it is. */
  isListed(reference: string): Promise<boolean>;
  /**
   * Without a registry's word of now: an image that is shared, that Berth built for the organization, or that
   * the organization got from a registry under this very reference, with this very content.
   */
  mayRun(claim: ImageClaim, image: ImageState): Promise<boolean>;
  /**
   * Whether a build may begin from the image that the server has: one that Berth built for the organization.
   * Any other comes from its registry. FORBIDDEN for a name of Berth's own images that is not this
   * organization's, whether there is such an image or not.
   */
  mayBuildFrom(claim: PullKey, image: ImageState | undefined): Promise<boolean>;
  /** After a registry did not give the image: whether the one that is here may be used. */
  mayKeep(claim: ImageClaim, image: ImageState, why: RegistryRefusal): Promise<boolean>;
  /** The organization had this very image from somewhere before, or Berth built it for it. */
  hasHad(claim: Omit<PullKey, 'reference'>, image: Pick<ImageState, 'id' | 'labels'>): Promise<boolean>;
  /** References under which registries gave this very image to organizations. */
  givenAs(on: Pick<PullKey, 'serverKey'>, image: Pick<ImageState, 'id'>): Promise<string[]>;
  /** The organization got this image from a registry, or gave it to one, under this reference. */
  keep(claim: ImageClaim, image: Pick<ImageState, 'id'>): Promise<void>;
}

/** Services as they are released. */
export interface ReleasedImages {
  service(ref: ServiceRef): Promise<ReleasedService | undefined>;
  /** Live releases of the organization's databases. */
  liveDatabases(organizationId: string): Promise<string[]>;
}

export interface ReleasedService {
  organizationId: string;
  liveDeploymentId: string | null;
}

export interface ImageAccessParts {
  store: ImagePulls;
  /** The setting `sharedImages`. */
  shared(): Promise<readonly string[]>;
  clock: Clock;
}

export function createImageAccess({ store, shared, clock }: ImageAccessParts): ImageAccess {
  const isShared: ImageAccess['isShared'] = async (reference, image) =>
    isNamed(reference, image) && isSharedBy(await shared(), reference);
  const mayRun: ImageAccess['mayRun'] = async (claim, image) => {
    if (!isNamed(claim.reference, image)) return false;
    if (imageName(claim.reference).startsWith(builtPrefix)) return isBuiltFor(claim, image);
    if (await isShared(claim.reference, image)) return true;
    return (await store.pull(claim))?.imageId === image.id;
  };
  return {
    requireReference: (reference, field) => void parseImageReference(reference, field),
    isShared,
    isListed: async (reference) => isSharedBy(await shared(), reference),
    mayRun,
    async mayBuildFrom(claim, image) {
      if (image && isLabelledFor(claim, image) && (await mayRun(claim, image))) return true;
      if (familiarName(imageName(claim.reference)).startsWith(builtPrefix)) throw notBuiltFor(claim);
      return false;
    },
    mayKeep: async (claim, image, why) => why === 'unreachable' && mayRun(claim, image),
    hasHad: async (claim, image) =>
      isLabelledFor(claim, image) ||
      (await store.pullsOf(claim.serverKey, image.id)).some(
        ({ organizationId }) => organizationId === claim.organizationId,
      ),
    givenAs: async ({ serverKey }, { id }) =>
      (await store.pullsOf(serverKey, id)).map(({ reference }) => reference),
    keep: ({ organizationId, serverKey, reference }, { id }) =>
      store.keepPull({ organizationId, serverKey, reference, imageId: id, pulledAt: isoTime(clock) }),
  };
}

const isLabelledFor = (
  { organizationId }: Pick<PullKey, 'organizationId'>,
  { labels }: Pick<ImageState, 'labels'>,
): boolean => labels[organizationLabel] === organizationId;

const notBuiltFor = ({ reference }: PullKey): AppError =>
  new AppError(
    'FORBIDDEN',
    `The Dockerfile names ${reference}, which is not an image that Berth built for this organization and ` +
      'still keeps on the server that builds (setting keptImages). Name the image of a kept deployment of ' +
      "this organization's applications, or push the image to a registry and name it there.",
  );

/** Its name tells the service that it was built for, its label the organization. */
function isBuiltFor(claim: ImageClaim, image: ImageState): boolean {
  const { reference, service } = claim;
  if (isLabelledFor(claim, image)) return true;
  if (service === undefined) return false;
  const [name, own] = [imageName(reference), builtRepository(service.serviceId)];
  return name === own || name.startsWith(`${own}/`);
}
