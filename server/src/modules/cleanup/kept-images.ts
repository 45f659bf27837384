/** Which images of a service a clean-up leaves, counted as the stage that tidies up after a release does. */
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import type { CleanupPorts } from './cleanup.ts';

interface Released {
  liveDeploymentId: string | null;
}

export interface KeptImagesParts {
  stores: {
    applications: { find(where: { applicationId: string }): Promise<Released | undefined> };
    composes: { find(where: { composeId: string }): Promise<unknown> };
    previewDeployments: { find(where: { previewDeploymentId: string }): Promise<Released | undefined> };
  };
  deployments: {
    /** Newest first. */
    all(service: ServiceRef): Promise<{ status: string; image: string | null }[]>;
    live(service: Released): Promise<{ status: string; image: string | null } | undefined>;
    isWorking(service: ServiceRef): Promise<boolean>;
  };
  settings: { get(): Promise<{ keptImages: number }> };
}

export function keptImagesOf({ stores, deployments, settings }: KeptImagesParts): CleanupPorts['keptImages'] {
  return async (service) => {
    const { kind, serviceId } = service;
    if (kind === 'database') return undefined;
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
    // Nothing was ever released: what was built may still be.
    return images.length === 0 ? undefined : new Set(images.slice(0, (await settings.get()).keptImages));
  };
}
