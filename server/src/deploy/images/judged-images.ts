/**
 * The last wall before another organization's image: an engine is asked for no service of an image that the
 * organization may not run, whichever way of deploying it came by.
 */
import { organizationLabel } from '../../domain/names/labels.ts';
import { AppError } from '../../domain/errors.ts';
import { ownerOfLabels, type DeployedKind, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { ImageAccess, ReleasedImages } from '../../modules/image/image.ts';
import type { Engine, ServiceSpec } from '../../ports/engine/engine.ts';
import type { Judge } from './judged-engine.ts';

export interface ImageJudgeParts {
  images: Pick<ImageAccess, 'mayRun'>;
  engine: Pick<Engine, 'image'>;
  serverKey: string;
  store: ReleasedImages;
  /** What a release that has ended well runs; none when it is not known. */
  released(kind: DeployedKind, deploymentId: string): Promise<ServiceSpec[]>;
}

type Asked = Pick<ServiceSpec, 'image' | 'labels' | 'release'>;

export function createImageJudge({ images, engine, serverKey, store, released }: ImageJudgeParts): Judge {
  /** What runs already keeps running, and comes back after a restart, until it is deployed again. */
  async function isLive(
    { image, release }: Asked,
    service: ServiceRef | undefined,
    organizationId: string,
  ): Promise<boolean> {
    if (service) {
      const live = (await store.service(service))?.liveDeploymentId;
      const specs = live ? await released(service.kind, live) : [];
      return specs.some((one) => one.image === image && one.release === release);
    }
    // A server beside a database, into which a backup is restored, runs the database's own image.
    for (const deploymentId of await store.liveDatabases(organizationId))
      if ((await released('database', deploymentId)).some((one) => one.image === image)) return true;
    return false;
  }

  return async (spec) => {
    const service = ownerOfLabels(spec.labels);
    const known = service && (await store.service(service));
    const organizationId = known?.organizationId ?? spec.labels[organizationLabel];
    // Without an owner it is the platform's own, which only Berth itself makes.
    if (organizationId === undefined) return;
    const image = await engine.image(spec.image);
    const claim = { organizationId, serverKey, reference: spec.image, service };
    if (image && (await images.mayRun(claim, image))) return;
    if (await isLive(spec, service, organizationId)) return;
    throw new AppError(
      'FORBIDDEN',
      `The image ${spec.image} may not be run by this organization on this server: its registry did not ` +
        'serve it to this organization, Berth did not build it for the organization, and the setting ' +
        'sharedImages does not name it. Deploy again to ask the registry.',
    );
  };
}
