/** Pushes the image to the application's registry, so that other servers can pull it. */
import type { DeployContext, Stage } from '../context.ts';

export const publish: Stage = {
  name: 'publish',
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
    await engine.pushImage(target, { auth, signal, onLine: log.line });
    await context.save({ image: target });
  },
};
