/** Pushes the image to the application's registry, so that other servers can pull it. */
import type { ApplicationRecord, DeploymentRecord } from '../../db/tables.ts';
import { registryOf } from '../../domain/names/image-reference.ts';
import type { DeployContext, DeployRecords, Stage } from '../context.ts';

/** What publishing needs of a deployment's context. */
export interface PublishContext
  extends Pick<DeployContext, 'images' | 'reachRegistry' | 'save' | 'serverKey' | 'signal'> {
  application: Pick<ApplicationRecord, 'organizationId' | 'registryId' | 'appName'>;
  deployment: Pick<DeploymentRecord, 'deploymentId' | 'image'>;
  engine: Pick<DeployContext['engine'], 'image' | 'pushImage' | 'tagImage'>;
  log: Pick<DeployContext['log'], 'line'>;
  records: Pick<DeployRecords, 'registry'>;
}

export const publish: Stage = {
  name: 'publish',
  resume: 'here',
  holdsBuildSlot: true,
  sentence: () => 'Pushing the image to the registry',
  run: publishImage,
};

/** Does nothing without a registry or a built image; the deployment's image is the pushed one afterwards. */
export async function publishImage(context: PublishContext): Promise<void> {
  const { application, engine, deployment, images, log, serverKey, signal } = context;
  const { organizationId } = application;
  if (application.registryId === null || !deployment.image) return;
  const { auth, repository } = await context.records.registry(application.registryId, organizationId);
  const target = `${repository}${application.appName.toLowerCase()}:${deployment.deploymentId}`;
  // Another's image by this name is never pushed, or kept as this organization's.
  images.requireReference(target, 'registryUrl');
  await engine.tagImage(deployment.image, target);
  await context.reachRegistry(registryOf(target), { organizationId }, () =>
    engine.pushImage(target, { auth, signal, onLine: log.line }),
  );
  const pushed = await engine.image(target);
  if (pushed) await images.keep({ organizationId, serverKey, reference: target }, pushed);
  await context.save({ image: target });
}
