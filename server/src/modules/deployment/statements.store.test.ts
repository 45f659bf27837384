/** What deployments cost the database: whoever deploys waits for it, and so does everybody behind them. */
import { expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { statementsOf } from '../../../../test/http/statements-of.ts';
import { composeWorlds, harmless } from '../../../../test/http/worlds/compose-world.ts';
import { createDeploymentDesk } from '../../../../test/store/deployment-desk.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';

eachDatabase('the statements of a deployment', (test, dialect) => {
  /** PostgreSQL locks the row of the service first. */
  const lock = dialect === 'postgres' ? 1 : 0;
  const { begin, create } = composeWorlds(test);

  it('are as few as its records and events need', async () => {
    const database = await test.open();
    const { owner } = await createPeople(database);
    const { environmentId } = await createPlace(database, owner, 'shop');
    const { applications, deployments } = createDeploymentDesk(database);
    const { applicationId } = await applications.create({
      organizationId: owner.organizationId,
      environmentId,
      name: 'web',
    });
    const counted = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
      const before = database.statements.count;
      const value = await work();
      return [value, database.statements.count - before];
    };
    const [deployment, accepted] = await counted(() =>
      deployments.accept(applicationRef(applicationId), { kind: 'rollback', title: '', description: '' }),
    );
    const { deploymentId } = deployment;
    const stages = [{ name: 'build', startedAt: '', finishedAt: null }];
    const [, begun] = await counted(() => deployments.begin(deploymentId));
    const [, staged] = await counted(() => deployments.record(deploymentId, { stage: 'build', stages }));
    const [, finished] = await counted(() =>
      deployments.finish(deployment, { status: 'done', healthyAt: '', patch: {} }),
    );
    // Service, deployment, its place, job, status, pushes that wait; position and event of each step besides.
    expect({ accepted, begun, staged, finished }).toEqual({
      accepted: 5 + 2 + lock,
      begun: 3 + 2,
      staged: 2 + 2,
      finished: 7 + 2 + lock,
    });
  });

  it('are no more with who asks, where it stands, the quota and the audit', async () => {
    const world = await begin();
    const composeId = await create(world);
    await world.owner.mutate('compose.update', { composeId, composeFile: harmless });
    const asked = await statementsOf(world.database, () =>
      world.owner.mutate('compose.deploy', { composeId }),
    );
    expect(asked).toBe(12 + lock);
  });
});
