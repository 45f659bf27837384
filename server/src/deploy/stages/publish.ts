/** Pushes the image to the application's registry, so that other servers can pull it. */
import { registryOf } from '../../domain/image-reference.ts';
import type { DeployContext, Stage } from '../context.ts';

export const publish: Stage = {
  name: 'publish',
  resume: 'here',
  holdsBuildSlot: true,
  sentence: () => 'Pushing the image to the registry',
  async run(context: DeployContext) {
    const { application, engine, deployment, log, signal } = context;
    if (application.registryId === null || !deployment.image) return;
    const { auth, repository } = await context.records.registry(
      application.registryId,
      application.organizationId,
    );
    const target = `${repository}${application.appName.toLowerCase()}:${deployment.deploymentId}`;
    await engine.tagImage(deployment.image, target);
    await context.reachRegistry(registryOf(target), { organizationId: application.organizationId }, () =>
      engine.pushImage(target, { auth, signal, onLine: log.line }),
    );
    await context.save({ image: target });
  },
};
