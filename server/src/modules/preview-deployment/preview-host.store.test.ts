import { expect, it } from 'vitest';
import { createPreviewDesk } from '../../../../test/store/preview-desk.ts';
import { createPeople } from '../../../../test/http/people.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';

eachDatabase('the host of a preview', (test) => {
  it('is found out before anything is written, since a name service may take its time', async () => {
    const database = await test.open();
    const { owner } = await createPeople(database);
    const { applicationId } = await createPlace(database, owner, 'Shop');
    const desk = createPreviewDesk(database);
    await desk.applications.patch(applicationId, {
      sourceType: 'gitea',
      owner: 'acme',
      repository: 'shop',
      branch: 'main',
      isPreviewDeploymentsActive: true,
      previewRequireCollaboratorPermissions: false,
    });
    const application = await desk.applications.one(applicationId, owner.organizationId);
    const event = {
      kind: 'pullRequest',
      action: 'open',
      number: 3,
      title: 'Add a door',
      baseBranch: 'main',
      headBranch: 'door',
      commit: 'a'.repeat(40),
      isFork: false,
      labels: [],
      author: { id: '9', name: 'ada' },
      repository: 'acme/shop',
    } as const;
    await desk.previewing.pullRequests.receive(
      application,
      'gitea',
      { ...event, labels: [] },
      { source: 'signed' },
    );
    await desk.work();
    expect(desk.steps).toEqual(['address', 'change of routes']);
    expect(await desk.previews.ofPullRequest(applicationId, 3)).toMatchObject({
      domain: expect.stringContaining('203-0-113-7.sslip.io'),
    });
  });
});
