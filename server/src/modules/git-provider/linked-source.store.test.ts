import { expect, it } from 'vitest';
import { worlds } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createPreviewDesk, type PreviewDesk } from '../../../../test/store/preview-desk.ts';
import type { Database } from '../../db/database.ts';
import { linkedSource } from './linked-source.ts';

const nobody = { applicationId: null, composeId: null, previewDeploymentId: null };

eachDatabase('sources at git hosts', (test) => {
  const createWorld = worlds(test);

  it('name the project and the environment of what is deployed, and nobody where no link is', async () => {
    const desks: PreviewDesk[] = [];
    const { place, people } = await createWorld((database: Database) => {
      desks.push(createPreviewDesk(database));
      return [];
    });
    const [desk] = desks;
    if (!desk) throw new Error('The desk was not made.');
    const { applicationId } = place;
    const { organizationId } = people.owner;
    const linked = linkedSource(desk.stores);
    expect(await linked({ ...nobody, applicationId })).toBeUndefined();
    await desk.insertLink({ gitProviderId: 'link', organizationId, provider: 'github' });
    await desk.applications.patch(applicationId, {
      sourceType: 'github',
      owner: 'acme',
      repository: 'shop.git',
      githubId: 'link',
    });
    const application = await desk.applications.one(applicationId, organizationId);
    const { environmentId } = application;
    const environment = await desk.stores.environments.find({ environmentId });
    const project = await desk.stores.projects.find({ projectId: environment?.projectId ?? '' });
    expect(await linked({ ...nobody, applicationId })).toEqual({
      gitProviderId: 'link',
      organizationId,
      repository: 'acme/shop',
      name: application.appName,
      environment: `${project?.name}/${environment?.name}/${application.appName}`,
      isPreview: false,
    });
    await desk.applications.patch(applicationId, { appName: 'n'.repeat(300) });
    expect((await linked({ ...nobody, applicationId }))?.environment).toHaveLength(255);
    expect(await linked(nobody)).toBeUndefined();
  });
});
