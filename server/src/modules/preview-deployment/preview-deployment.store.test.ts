import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startGitHost, type GitHost } from '../../../../test/git-host/git-host.ts';
import type { InterfaceClient } from '../../../../test/http/interface-client.ts';
import { worlds } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { beginPreviews, type PreviewWorld } from '../../../../test/store/preview-world.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import type { PullRequestEvent } from '../../domain/git/git-event.ts';

const [first, second] = ['a'.repeat(40), 'b'.repeat(40)];

let host: GitHost;
beforeEach(async () => {
  host = await startGitHost();
});
afterEach(() => host[Symbol.asyncDispose]());

eachDatabase('preview deployments', (test) => {
  const createWorld = worlds(test);
  const begin = (settings: Partial<ApplicationRecord> = {}): Promise<PreviewWorld> =>
    beginPreviews(createWorld, host, settings);

  it('are made of a pull request, with a host, a queued build of its commit and a comment', async () => {
    const { tell, all, desk, owner, place } = await begin({
      previewPort: 8080,
      previewPath: '/app',
      previewHttps: true,
      previewCertificateType: 'none',
    });
    expect(await tell()).toEqual({ queued: true });
    const [preview] = await all();
    if (!preview) throw new Error('There is no preview.');
    expect(preview).toMatchObject({
      branch: 'door',
      pullRequestNumber: 12,
      domain: 'https://preview-shop-12.preview.example.com/app',
      status: 'building',
      commit: first,
      repository: 'acme/shop',
      isTrusted: true,
      appName: expect.stringMatching(/^preview-shop-12-[a-z0-9]{4}$/),
    });
    expect(
      await desk.stores.domains.find({ previewDeploymentId: preview.previewDeploymentId }),
    ).toMatchObject({
      host: 'preview-shop-12.preview.example.com',
      path: '/app',
      port: 8080,
      https: true,
      domainType: 'preview',
      domainId: preview.domainId,
    });
    expect(desk.routes.routes).toEqual([
      expect.objectContaining({
        host: 'preview-shop-12.preview.example.com',
        // Nothing is released yet.
        service: null,
        port: 8080,
      }),
    ]);
    expect(
      await desk.deployments.all({ kind: 'previewDeployment', serviceId: preview.previewDeploymentId }),
    ).toEqual([
      expect.objectContaining({ title: 'Add a door', commit: first, status: 'queued', applicationId: null }),
    ]);
    expect([...host.comments.values()]).toEqual([
      {
        number: 12,
        text: expect.stringContaining('| building | [https://preview-shop-12.preview.example.com/app]'),
        edits: 0,
      },
    ]);
    expect(
      await owner.query('previewDeployment.one', { previewDeploymentId: preview.previewDeploymentId }),
    ).toEqual({
      previewDeploymentId: preview.previewDeploymentId,
      applicationId: place.applicationId,
      composeId: null,
      compose: null,
      branch: 'door',
      pullRequestNumber: 12,
      name: null,
      image: null,
      expiresAt: null,
      domain: preview.domain,
      commit: first,
      isTrusted: true,
      status: 'building',
      errorMessage: null,
      databases: [],
      createdAt: preview.createdAt,
      domainId: preview.domainId,
      live: null,
      pendingChanges: [],
      application: expect.objectContaining({
        applicationId: place.applicationId,
        appName: 'shop',
        environment: expect.objectContaining({ environmentId: place.environmentId }),
      }),
    });
  });

  it('follow new commits, and are built once for each', async () => {
    const { tell, all, desk } = await begin();
    await tell();
    await tell();
    await tell({ commit: second });
    const [preview] = await all();
    expect(preview).toMatchObject({ commit: second });
    const built = await desk.deployments.all({
      kind: 'previewDeployment',
      serviceId: preview?.previewDeploymentId ?? '',
    });
    expect(built.map(({ commit }) => commit)).toEqual([second, first]);
    expect([...host.comments.values()]).toEqual([
      { number: 12, text: expect.stringContaining('bbbbbbbbbbbb'), edits: 1 },
    ]);
  });

  it('find their comment again when its id was lost', async () => {
    const { tell, all, desk } = await begin();
    await tell();
    const [preview] = await all();
    await desk.previews.patch(preview?.previewDeploymentId ?? '', { commentId: null, commentDigest: null });
    await tell({ commit: second });
    expect(host.comments.size).toBe(1);
  });

  it.each<[string, Partial<ApplicationRecord>, Partial<PullRequestEvent>]>([
    ['previews of this service are not active', { isPreviewDeploymentsActive: false }, {}],
    ['the pull request is for the branch next, not for main', {}, { baseBranch: 'next' }],
    ['the pull request has none of previewLabels', { previewLabels: ['preview'] }, { labels: ['bug'] }],
    [
      'the pull request is for acme/other, which is not the repository of this service',
      {},
      { repository: 'acme/other' },
    ],
  ])('are not made where %s', async (why, settings, event) => {
    const { tell, all } = await begin(settings);
    expect(await tell(event)).toEqual({ skipped: why });
    expect(await all()).toEqual([]);
    expect(host.comments.size).toBe(0);
  });

  it('are made where a label fits, up to the limit, of which a comment tells', async () => {
    const { tell, all } = await begin({ previewLabels: ['preview', 'demo'], previewLimit: 2 });
    for (const number of [1, 2, 3])
      expect(await tell({ number, labels: ['bug', 'demo'] })).toEqual({ queued: true });
    expect(
      (await all()).map(({ pullRequestNumber }) => pullRequestNumber).toSorted((a, b) => (a ?? 0) - (b ?? 0)),
    ).toEqual([1, 2]);
    const told = (): unknown[] => [...host.comments.values()].filter(({ number }) => number === 3);
    expect(told()).toEqual([
      { number: 3, text: expect.stringContaining('2 previews are already running'), edits: 0 },
    ]);
    await tell({ number: 3, labels: ['demo'], commit: second });
    expect(told()).toHaveLength(1);
  });

  it('are only for those who may write, and for nobody when the host cannot be asked', async () => {
    const { tell, all, desk } = await begin();
    await tell({ author: { id: '10', name: 'eve' } });
    host.failing = 500;
    await tell({ number: 13 });
    host.failing = undefined;
    expect(await all()).toEqual([]);
    const [refused = '', unasked = ''] = desk.warnings;
    expect(refused).toContain('pull request 12 of acme/shop gets no preview: its author may not write');
    expect(unasked).toMatch(/pull request 13 of acme\/shop.*could not be determined/);
    await tell({ number: 14 });
    expect(await all()).toHaveLength(1);
  });

  it('of strangers are made where that is allowed; those from a fork get no secrets', async () => {
    const { tell, all } = await begin({ previewRequireCollaboratorPermissions: false });
    const eve = { id: '10', name: 'eve' };
    await tell({ number: 1, author: eve, isFork: true });
    await tell({ number: 2, author: eve });
    await tell({ number: 3, isFork: true });
    const trusted = (await all()).map(({ pullRequestNumber, isTrusted }) => [pullRequestNumber, isTrusted]);
    expect(Object.fromEntries(trusted)).toEqual({ 1: false, 2: true, 3: false });
  });

  it('of a fork are never trusted, whoever opened the pull request and pushes to it later', async () => {
    const { tell, all, desk, set } = await begin();
    await tell({ isFork: true });
    expect(await all()).toEqual([]);
    expect(desk.warnings.join()).toContain('acme/shop gets no preview: it comes from a fork');
    await set({ previewRequireCollaboratorPermissions: false });
    for (const commit of [first, second]) await tell({ isFork: true, commit });
    expect(await all()).toMatchObject([{ isTrusted: false, commit: second }]);
  });

  describe('of an unsigned event', () => {
    const unsigned = 'unsigned' as const;

    it('take author, commit and whether it is a fork from the host', async () => {
      const { tell, all, desk, set } = await begin({ previewRequireCollaboratorPermissions: false });
      host.open.add(12).add(13);
      host.pullRequests
        .set(12, { author: { id: 10, name: 'eve' }, isFork: true, commit: second })
        .set(13, { author: { id: 10, name: 'eve' }, commit: second });
      // The forger says that it is of somebody who may write, from the repository itself.
      const forged = { author: { id: '9', name: 'ada' }, isFork: false, commit: first };
      expect(await tell({ ...forged, number: 12 }, unsigned)).toEqual({ queued: true });
      await set({ previewRequireCollaboratorPermissions: true });
      await tell({ ...forged, number: 13 }, unsigned);
      expect(await all()).toMatchObject([
        { pullRequestNumber: 12, isTrusted: false, commit: second, repository: 'acme/shop' },
      ]);
      expect(desk.warnings.join()).toContain('pull request 13 of acme/shop gets no preview: its author may');
    });

    it('are left as they are by a close, an open and another repository that nobody knows of', async () => {
      const { tell, all } = await begin();
      host.open.add(12);
      await tell();
      for (const event of [{ action: 'close' }, { repository: 'evil/shop', action: 'close' }] as const)
        await tell(event, unsigned);
      await tell({ number: 99 }, unsigned);
      expect((await all()).map(({ pullRequestNumber }) => pullRequestNumber)).toEqual([12]);
      expect(await tell({ repository: 'evil/shop' }, unsigned)).toMatchObject({ skipped: expect.anything() });
      expect(host.asked.some((path) => path.includes('evil'))).toBe(false);
    });

    it('are refused without a link to ask, with what to set', async () => {
      const { tell, all } = await begin({ githubId: null });
      await expect(tell({}, unsigned)).rejects.toMatchObject({
        code: 'UNAUTHORIZED',
        message: expect.stringMatching(/Set webhookSecret .* link a git provider/),
      });
      expect(await all()).toEqual([]);
    });

    it('are not made when the host does not answer', async () => {
      const { tell, all, desk } = await begin();
      host.failing = 500;
      await tell({}, unsigned);
      expect(await all()).toEqual([]);
      expect(desk.warnings.join()).toContain('could not be followed');
    });
  });

  it('whose pull request ended stay until the engine has given up what they had', async () => {
    const { tell, all, desk } = await begin();
    await tell();
    await expect(tell({ action: 'close' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await all()).toHaveLength(1);
    // The engine is away: the job is tried again.
    expect(await desk.stores.jobs.list({ kind: 'pullRequest', state: 'queued' })).not.toEqual([]);
  });

  it('whose pull request ended unseen are closed by the watch; those not shown stay', async () => {
    const { tell, desk } = await begin();
    for (const number of [1, 2]) await tell({ number });
    host.open.add(1);
    await desk.previewing.watch();
    const closing = (await desk.stores.jobs.list({ kind: 'pullRequest', state: 'queued' })).map(
      ({ payload }) => [payload['action'], payload['number']],
    );
    expect(closing).toEqual([['close', '2']]);
    host.failing = 404;
    await desk.previewing.watch();
    expect(await desk.stores.jobs.list({ kind: 'pullRequest', state: 'queued' })).toHaveLength(1);
  });

  it('are listed newest first, and rebuilt from the commit they show', async () => {
    const { tell, owner, place, desk } = await begin();
    for (const number of [1, 2]) await tell({ number });
    const all = await owner.query('previewDeployment.all', { applicationId: place.applicationId });
    expect(all).toMatchObject([{ pullRequestNumber: 2 }, { pullRequestNumber: 1 }]);
    const [newest] = await desk.previews.byApplication(
      place.applicationId,
      (await desk.applications.find(place.applicationId))?.organizationId ?? '',
    );
    const previewDeploymentId = newest?.previewDeploymentId ?? '';
    expect(
      await owner.query('previewDeployment.all', { applicationId: place.applicationId, limit: 1 }),
    ).toMatchObject({ items: [{ previewDeploymentId }], nextCursor: previewDeploymentId });
    expect(await owner.mutate('previewDeployment.redeploy', { previewDeploymentId })).toBe(true);
    expect(
      (await desk.deployments.all({ kind: 'previewDeployment', serviceId: previewDeploymentId }))[0],
    ).toMatchObject({ kind: 'redeploy', title: 'Rebuild Preview Deployment', commit: first });
    expect(
      await owner.mutate('previewDeployment.redeploy', { previewDeploymentId, title: 'a\nb' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['title'] });
    expect(await owner.mutate('previewDeployment.killBuild', { previewDeploymentId })).toMatchObject({
      previewDeploymentId,
      status: 'building',
    });
    expect(await owner.mutate('previewDeployment.delete', { previewDeploymentId })).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  it('are closed to nobody, members without access and other organizations', async () => {
    const { tell, all: made, owner, member, stranger, nobody, place, people } = await begin();
    const { applicationId } = place;
    await tell();
    const previewDeploymentId = (await made())[0]?.previewDeploymentId ?? '';
    const calls = (client: InterfaceClient, id = previewDeploymentId): Promise<unknown>[] => [
      client.query('previewDeployment.one', { previewDeploymentId: id }),
      ...['redeploy', 'killBuild', 'delete'].map((name) =>
        client.mutate(`previewDeployment.${name}`, { previewDeploymentId: id }),
      ),
    ];
    const all = (from: InterfaceClient) => from.query('previewDeployment.all', { applicationId });
    for (const answer of await Promise.all([...calls(nobody), all(nobody)]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const client of [member, stranger])
      for (const answer of await Promise.all([...calls(client), all(client)]))
        expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    await people.grant({ accessedServices: [applicationId] });
    expect(await all(member)).toHaveLength(1);
    expect(await member.query('previewDeployment.one', { previewDeploymentId })).toMatchObject({
      previewDeploymentId,
    });
  });
});
