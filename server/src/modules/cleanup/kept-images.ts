/**
 * Which images of a service a clean-up keeps: those that the stage after a release keeps, too
 * (deploy/stages/prune.ts).
 */
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import type { CleanupPorts } from './cleanup.ts';

interface ReleasedService {
  liveDeploymentId: string | null;
}

export interface KeptImagesParts {
  stores: {
    applications: { find(where: { applicationId: string }): Promise<ReleasedService | undefined> };
    composes: { find(where: { composeId: string }): Promise<unknown> };
    previewDeployments: {
      find(where: { previewDeploymentId: string }): Promise<ReleasedService | undefined>;
    };
  };
  deployments: {
    /** Newest first. */
    all(service: ServiceRef): Promise<{ status: string; image: string | null }[]>;
    live(service: ReleasedService): Promise<{ status: string; image: string | null } | undefined>;
    isWorking(service: ServiceRef): Promise<boolean>;
  };
  settings: { get(): Promise<{ keptImages: number }> };
}

/** Undefined keeps every image of the service; an empty set keeps none, since the service is gone. */
export function keptImagesOf({ stores, deployments, settings }: KeptImagesParts): CleanupPorts['keptImages'] {
  return async (service) => {
    const { kind, serviceId } = service;
    // Databases run images that Berth did not build.
    if (kind === 'database') return undefined;
    // Their deployments prune their images by themselves (deploy/compose/settle.ts).
    if (kind === 'compose')
      return (await stores.composes.find({ composeId: serviceId })) ? undefined : new Set();
    const record =
      kind === 'application'
        ? await stores.applications.find({ applicationId: serviceId })
        : await stores.previewDeployments.find({ previewDeploymentId: serviceId });
    if (!record) return new Set();
    if (await deployments.isWorking(service)) return undefined;
    const live = await deployments.live(record);
    const released = (await deployments.all(service)).filter(({ status }) => status === 'done');
    const images = [...new Set([live, ...released].flatMap((one) => one?.image ?? []))];
    // Nothing was released yet, but an image that was built may still be released.
    if (images.length === 0) return undefined;
    return new Set(images.slice(0, (await settings.get()).keptImages));
  };
}
