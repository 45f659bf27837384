import { expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { createDeploymentDesk } from '../../../../test/store/deployment-desk.ts';
import { endedOrWaiting } from '../../../../test/store/at-once.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { applicationRef, serviceKey } from '../../domain/names/service-ref.ts';

eachDatabase('two changes of the status of a service at once', ({ open }) => {
  it('leave no service working when its last deployment has ended', async () => {
    const database = await open();
    const { owner } = await createPeople(database);
    const { environmentId } = await createPlace(database, owner, 'shop');
    const { applications, deployments, services, stores } = createDeploymentDesk(database);
    const { applicationId } = await applications.create({
      organizationId: owner.organizationId,
      environmentId,
      name: 'web',
    });
    const service = applicationRef(applicationId);
    const deployment = await deployments.accept(service, { kind: 'rollback', title: '', description: '' });
    // A worker has its job.
    await stores.jobs.update({ serviceKey: serviceKey(service) }, { state: 'running' });
    await deployments.begin(deployment.deploymentId);
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const { find, patch } = services.application;
    services.application = {
      find,
      // Held by whoever has counted a deployment that still runs.
      async patch(applicationId, change) {
        if (change.status === 'running') {
          reached.resolve();
          await gate.promise;
        }
        await patch(applicationId, change);
      },
    };
    const cleaning = deployments.cancelQueued(service, async () => false);
    await reached.promise;
    const finishing = deployments.finish(deployment, { status: 'done', healthyAt: '', patch: {} });
    await endedOrWaiting(database, finishing);
    gate.resolve();
    await Promise.all([cleaning, finishing]);
    expect((await find(applicationId))?.status).toBe('done');
  });
});
