/** Facts of deployments and upgrades; those of backups and certificates stand in their own tests. */
import { expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { createDeploymentDesk } from '../../../../test/store/deployment-desk.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import type { Fact } from '../../domain/states/fact.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';
import { createSettingsStore } from '../settings/store.ts';
import { tellUpgrade } from './upgrade.ts';

eachDatabase('facts', ({ open }) => {
  it('leave a deployment once, when it ends, and none that was cancelled', async () => {
    const database = await open();
    const { owner } = await createPeople(database);
    const { environmentId } = await createPlace(database, owner, 'shop');
    const told: Fact[] = [];
    const { applications, deployments } = createDeploymentDesk(database, {
      tell: async (fact) => void told.push(fact),
    });
    const { organizationId } = owner;
    const { applicationId } = await applications.create({ organizationId, environmentId, name: 'web' });
    const service = applicationRef(applicationId);
    const ended = async (
      outcome: Parameters<typeof deployments.finish>[1],
      errorMessage: string | null = null,
    ): Promise<void> => {
      const deployment = await deployments.accept(service, {
        kind: 'rollback',
        title: 'Back',
        description: '',
      });
      await deployments.begin(deployment.deploymentId);
      await deployments.finish({ ...deployment, errorMessage }, outcome);
      await deployments.finish({ ...deployment, errorMessage }, outcome);
    };
    await ended({ status: 'done', healthyAt: '', patch: {} });
    await ended({ status: 'error', reason: 'exit code 1', event: 'deployFailed' });
    await ended({ status: 'cancelled', reason: 'by hand' });
    await ended({ status: 'done', healthyAt: '', patch: {} }, 'The post-release command failed.');
    const subject = { type: 'application', id: applicationId, name: 'web' };
    const done = {
      event: 'deploymentDone',
      organizationId,
      subject,
      sentence: 'web: “Back” is deployed and healthy.',
    };
    expect(told).toEqual([
      done,
      { event: 'deploymentFailed', organizationId, subject, sentence: 'web: “Back” failed: exit code 1' },
      done,
      {
        event: 'deploymentFailed',
        organizationId,
        subject,
        sentence: 'web: “Back” is deployed, but: The post-release command failed.',
      },
    ]);
  });

  it('tell of an upgrade once, and not of the first start', async () => {
    const settings = createSettingsStore(await open());
    const told: string[] = [];
    const start = (version: string): Promise<void> =>
      tellUpgrade({
        version,
        former: async () => {
          const { started } = await settings.all();
          return typeof started === 'string' ? started : undefined;
        },
        note: (one) => settings.put('started', one),
        organization: async () => 'first',
        transaction: settings.transaction,
        tell: async ({ sentence }) => void told.push(sentence),
      });
    for (const version of ['1.0.0', '1.0.0', '1.1.0', '1.1.0']) await start(version);
    expect(told).toEqual(['Berth runs version 1.1.0 now; before it was 1.0.0.']);
  });
});
