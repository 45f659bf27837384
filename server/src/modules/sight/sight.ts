/**
 * Which things of the engine a caller sees, by the owner that their labels name (decisions 10): an
 * organization's own; those of nobody, and the platform's, only Owner and Admin of the installation's first
 * organization. Members see what belongs to the services they reach.
 */
import { managedLabel, organizationLabel } from '../../domain/names/labels.ts';
import { ownerLabels } from '../../domain/names/service-ref.ts';
import { memberReaches } from '../../domain/access/permissions.ts';
import type { Actor } from '../../procedure/context.ts';
import type { PlacementOfService, SightStore } from './store.ts';

export type Labels = Readonly<Record<string, string>>;
export type Sees = (labels: Labels) => boolean;
export type Sight = (actor: Pick<Actor, 'organizationId' | 'role' | 'grants'>) => Promise<Sees>;

/** Labels that name the service a thing belongs to. */
const serviceLabels = Object.values(ownerLabels);

export function createSight(
  store: SightStore,
  isFirstOrganization: (organizationId: string) => Promise<boolean>,
): Sight {
  return async ({ organizationId, role, grants }) => {
    const isMember = role === 'member';
    const runsTheServer = !isMember && (await isFirstOrganization(organizationId));
    // A service may have moved since its containers were made, so where it stands now counts.
    const places: ReadonlyMap<string, PlacementOfService> = isMember
      ? await store.placements(organizationId)
      : new Map();
    return (labels) => {
      const owner = labels[organizationLabel];
      if (owner === undefined) return runsTheServer;
      if (owner !== organizationId) return false;
      if (!isMember) return true;
      const serviceId = serviceOf(labels);
      const place = serviceId === undefined ? undefined : places.get(serviceId);
      return place !== undefined && memberReaches(grants, { organizationId, serviceId, ...place });
    };
  };
}

/** The platform's own, such as its proxy. */
export function isPlatform(labels: Labels): boolean {
  return labels[managedLabel] === 'true' && labels[organizationLabel] === undefined;
}

function serviceOf(labels: Labels): string | undefined {
  return serviceLabels.map((label) => labels[label]).find((id) => id !== undefined);
}
