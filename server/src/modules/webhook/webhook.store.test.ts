import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { request as ask, type IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { otherServices } from '../../../../test/http/places.ts';
import { webhookWorlds } from '../../../../test/http/worlds/webhook-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';

const commit = 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7';
const githubPush = (branch = 'main', message = 'Fix the door') => ({
  ref: `refs/heads/${branch}`,
  after: commit,
  deleted: false,
  repository: { full_name: 'acme/shop' },
  installation: { id: 77 },
  commits: [{ id: commit, message, added: [], removed: [], modified: ['web/a.ts'] }],
  head_commit: { id: commit, message },
});
const gitlabPush = {
  ref: 'refs/heads/main',
  after: commit,
  checkout_sha: commit,
  total_commits_count: 1,
  commits: [{ id: commit, message: 'Fix', added: [], modified: ['a'], removed: [] }],
};
const bitbucketPush = {
  push: {
    changes: [{ new: { type: 'branch', name: 'main', target: { hash: commit, message: 'Fix' } }, old: null }],
  },
};

eachDatabase('webhooks', (test) => {
  const begin = webhookWorlds(test);
  const queued = { status: 200, body: { queued: true, deploymentId: expect.any(String) } };
  const github = (event: string, id: string) => ({ 'x-github-event': event, 'x-github-delivery': id });

  it('queue a deployment named after the commit, once for each delivery', async () => {
    const {
      application: { refreshToken },
      post,
      titles,
      place,
      desk,
    } = await begin();
    expect(await post(refreshToken, githubPush(), github('push', 'd-1'))).toEqual(queued);
    expect(await post(refreshToken, githubPush(), github('push', 'd-1'))).toEqual({
      status: 200,
      body: { duplicate: true },
    });
    expect(await post(refreshToken, githubPush('main', 'Second\n\nmore'), github('push', 'd-2'))).toEqual(
      queued,
    );
    expect(await titles()).toEqual(['Second', 'Fix the door']);
    const [newest] = await desk.deployments.all({ kind: 'application', serviceId: place.applicationId });
    expect(newest).toMatchObject({
      description: `Commit ${commit} on the branch main`,
      commit: null,
      status: 'queued',
    });
  });

  it.each(['nobody', 'gitlab/nobody', 'compose/nobody', 'github'])(
    'at /api/deploy/%s are refused before their body is read',
    async (path) => {
      const { server } = await begin();
      const { port } = new URL(server.url);
      const request = ask({
        port,
        path: `/api/deploy/${path}`,
        method: 'POST',
        headers: { 'content-length': 5_000_000 },
      });
      request.on('error', () => undefined);
      request.flushHeaders();
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      expect(answer.statusCode).toBe(path === 'github' ? 401 : 404);
      request.destroy();
    },
  );

  it('run one of many deliveries of the same id that come at once', async () => {
    const {
      application: { refreshToken },
      post,
      titles,
    } = await begin();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(refreshToken, githubPush(), github('push', 'same'))),
    );
    expect(
      answers.filter(({ body }) => typeof body === 'object' && body !== null && 'queued' in body),
    ).toHaveLength(1);
    expect(
      answers.filter(({ body }) => typeof body === 'object' && body !== null && 'duplicate' in body),
    ).toHaveLength(7);
    expect(await titles()).toHaveLength(1);
  });

  it('are understood of every host, at its own address and at the neutral one', async () => {
    const {
      application: { refreshToken },
      post,
      titles,
      set,
    } = await begin();
    const gitea = {
      'x-gitea-event': 'push',
      'x-gitea-delivery': 'g',
      'x-github-event': 'push',
      'x-github-delivery': 'g',
    };
    await set({
      sourceType: 'git',
      customGitUrl: 'https://git.example.com/acme/shop.git',
      customGitBranch: 'main',
    });
    for (const path of [`gitlab/${refreshToken}`, refreshToken])
      expect(
        await post(path, gitlabPush, { 'x-gitlab-event': 'Push Hook', 'idempotency-key': path }),
      ).toEqual(queued);
    for (const path of [`bitbucket/${refreshToken}`, refreshToken])
      expect(await post(path, bitbucketPush, { 'x-event-key': 'repo:push', 'x-request-uuid': path })).toEqual(
        queued,
      );
    expect(await post(`gitea/${refreshToken}`, githubPush(), gitea)).toEqual(queued);
    expect(await post(refreshToken, githubPush(), gitea)).toEqual({ status: 200, body: { duplicate: true } });
    expect(
      await post(refreshToken, `payload=${encodeURIComponent(JSON.stringify(githubPush()))}`, {
        ...github('push', 'form'),
        'content-type': 'application/x-www-form-urlencoded',
      }),
    ).toEqual(queued);
    expect(await post(refreshToken, '', {})).toEqual(queued);
    expect(await titles()).toHaveLength(7);
  });

  it('say why nothing is deployed', async () => {
    const {
      application: { refreshToken },
      post,
      titles,
      set,
    } = await begin();
    let number = 0;
    const push = (body: unknown): Promise<{ status: number; body: unknown }> =>
      post(refreshToken, body, github('push', `d-${(number += 1)}`));
    expect(await push(githubPush('feature'))).toEqual({
      status: 200,
      body: { skipped: 'the branch feature is not main' },
    });
    expect(await push(githubPush('main', 'Fix [skip ci]'))).toEqual({
      status: 200,
      body: { skipped: 'the commit says [skip ci]' },
    });
    await set({ watchPaths: ['api/**'] });
    expect(await push(githubPush())).toEqual({
      status: 200,
      body: { skipped: 'no changed file is among watchPaths' },
    });
    await set({ watchPaths: [], triggerType: 'tag' });
    expect(await push(githubPush())).toEqual({
      status: 200,
      body: { skipped: 'only tags are deployed (triggerType)' },
    });
    expect(await titles()).toEqual([]);
    expect(await push({ ...githubPush(), ref: 'refs/tags/v1' })).toEqual(queued);
    expect(await post(refreshToken, { zen: 'x' }, github('ping', 'p'))).toEqual({
      status: 200,
      body: { ping: true },
    });
    expect(await post(refreshToken, { action: 'opened' }, github('issues', 'i'))).toEqual({
      status: 200,
      body: { skipped: 'the event issues changes nothing here' },
    });
    await set({ autoDeploy: false });
    expect(await push(githubPush())).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(await post(refreshToken, '')).toMatchObject({ status: 400 });
    expect(await titles()).toHaveLength(1);
  });

  it('are refused without the right token, signature or form', async () => {
    const {
      application: { refreshToken },
      post,
      titles,
      set,
    } = await begin();
    for (const path of [
      'absent',
      'github-x',
      'gitlab/absent',
      'gitea/absent',
      'bitbucket/absent',
      'compose/absent',
    ])
      expect(await post(path, githubPush(), github('push', 'x'))).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    expect(await post(refreshToken, '{', github('push', 'x'))).toMatchObject({ status: 400 });
    expect(await post(refreshToken, { ref: 7 }, github('push', 'x'))).toMatchObject({ status: 400 });
    expect(await post(refreshToken, 'x'.repeat(5 * 1024 * 1024 + 1), github('push', 'x'))).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE' },
    });
    await set({ webhookSecret: 'sesame' });
    const text = JSON.stringify(githubPush());
    const signature = `sha256=${createHmac('sha256', 'sesame').update(text).digest('hex')}`;
    const signed = (value: string) =>
      post(refreshToken, text, { ...github('push', 'signed'), 'x-hub-signature-256': value });
    for (const wrong of [
      '',
      'sha256=',
      `${signature.slice(0, -1)}0`,
      createHmac('sha256', 'other').update(text).digest('hex'),
    ])
      expect(await signed(wrong)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect(await post(refreshToken, text, github('push', 'signed'))).toMatchObject({ status: 401 });
    expect(await post(refreshToken, text)).toMatchObject({ status: 401 });
    expect(await post(refreshToken, JSON.stringify({ zen: 'x' }), github('ping', 'p'))).toMatchObject({
      status: 401,
    });
    expect(await titles()).toEqual([]);
    expect(await signed(signature)).toEqual(queued);
  });

  it('of a pull request are refused unsigned where no host can be asked', async () => {
    const { application, post, set, desk } = await begin();
    await set({ isPreviewDeploymentsActive: true });
    const repo = { full_name: 'acme/shop' };
    const body = JSON.stringify({
      action: 'opened',
      number: 12,
      pull_request: {
        title: 'Add a door',
        base: { ref: 'main', repo },
        head: { ref: 'door', sha: 'a'.repeat(40), repo },
        labels: [],
        user: { id: 9, login: 'ada' },
      },
    });
    const headers = { 'x-github-event': 'pull_request', 'x-github-delivery': 'one' };
    const tell = (more: Record<string, string> = {}) =>
      post(application.refreshToken, body, { ...headers, ...more });
    const refused = await tell();
    expect(refused).toMatchObject({ status: 401 });
    expect(JSON.stringify(refused.body)).toMatch(/Set webhookSecret .* link a git provider/);
    expect(await desk.stores.jobs.list({ kind: 'pullRequest' })).toEqual([]);
    await set({ webhookSecret: 'shared' });
    // The refused one is not taken for one that was seen.
    const signature = `sha256=${createHmac('sha256', 'shared').update(body).digest('hex')}`;
    expect(await tell({ 'x-hub-signature-256': signature })).toEqual({ status: 200, body: { queued: true } });
    expect(await desk.stores.jobs.list({ kind: 'pullRequest' })).toMatchObject([
      { payload: { source: 'signed' } },
    ]);
  });

  it('of a GitHub App reach the applications of the links that signed them, and no others', async () => {
    const { desk, post, titles, place, people, foreign } = await begin();
    const link = async (
      organizationId: string,
      gitProviderId: string,
      webhookSecret: string,
    ): Promise<void> =>
      desk.insertLink({
        gitProviderId,
        organizationId,
        provider: 'github',
        appId: '4242',
        installationId: '77',
        webhookSecret,
      });
    await link(people.owner.organizationId, 'own-link', 'sesame');
    await link(people.stranger.organizationId, 'their-link', 'other');
    await desk.applications.patch(place.applicationId, { githubId: 'own-link' });
    await desk.applications.patch(foreign.applicationId, {
      githubId: 'their-link',
      sourceType: 'github',
      owner: 'acme',
      repository: 'shop',
      branch: 'main',
    });
    const send = (
      secret: string,
      body: object,
      headers: Record<string, string>,
    ): Promise<{ status: number; body: unknown }> => {
      const text = JSON.stringify(body);
      return post('github', text, {
        'x-github-hook-installation-target-id': '4242',
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
        ...headers,
      });
    };
    expect(await send('wrong', githubPush(), github('push', 'a-1'))).toMatchObject({ status: 401 });
    expect(await post('github', githubPush(), github('push', 'a-1'))).toMatchObject({ status: 401 });
    expect(
      await send('sesame', githubPush(), {
        ...github('push', 'a-1'),
        'x-github-hook-installation-target-id': '1',
      }),
    ).toMatchObject({ status: 401 });
    expect(await send('sesame', { zen: 'x' }, github('ping', 'a-0'))).toEqual({
      status: 200,
      body: { ping: true },
    });
    expect(await send('sesame', githubPush(), github('push', 'a-1'))).toEqual(queued);
    expect(await send('sesame', githubPush(), github('push', 'a-1'))).toEqual({
      status: 200,
      body: { duplicate: true },
    });
    const skipped = { status: 200, body: { skipped: 'no service here deploys this repository' } };
    expect(
      await send(
        'sesame',
        { ...githubPush(), repository: { full_name: 'acme/other' } },
        github('push', 'a-2'),
      ),
    ).toEqual(skipped);
    expect(
      await send('sesame', { ...githubPush(), installation: { id: 78 } }, github('push', 'a-3')),
    ).toEqual(skipped);
    expect(await titles()).toEqual(['Fix the door']);
    expect(await desk.deployments.all({ kind: 'application', serviceId: foreign.applicationId })).toEqual([]);
  });

  it('deploy compose services at an address of their own', async () => {
    const { post, desk, people, place, database } = await begin();
    const { compose: composeId } = await otherServices(
      database,
      people.owner.organizationId,
      place.environmentId,
    );
    await desk.stores.composes.update(
      { composeId },
      {
        autoDeploy: true,
        composeFile: 'services: {web: {image: "berth/none:1"}}',
        refreshToken: 'compose-token',
        webhookSecret: 'sesame',
      },
    );
    expect(await post('compose-token', '')).toMatchObject({ status: 404 });
    expect(await post('compose/compose-token', '')).toMatchObject({ status: 401 });
    expect(
      await post('compose/compose-token', gitlabPush, {
        'x-gitlab-event': 'Push Hook',
        'x-gitlab-token': 'sesame',
        'idempotency-key': 'c-1',
      }),
    ).toEqual(queued);
    expect(
      await post('compose/compose-token', gitlabPush, {
        'x-gitlab-event': 'Push Hook',
        'x-gitlab-token': 'sesame',
        'idempotency-key': 'c-1',
      }),
    ).toEqual({ status: 200, body: { duplicate: true } });
    expect(await desk.deployments.all({ kind: 'compose', serviceId: composeId })).toEqual([
      expect.objectContaining({ title: 'Fix', status: 'queued' }),
    ]);
    await desk.stores.composes.update({ composeId }, { autoDeploy: false });
    expect(
      await post('compose/compose-token', gitlabPush, {
        'x-gitlab-event': 'Push Hook',
        'x-gitlab-token': 'sesame',
        'idempotency-key': 'c-2',
      }),
    ).toMatchObject({ status: 400 });
  });

  it('are in the audit log, without a person; their ids are forgotten in time', async () => {
    const {
      application: { refreshToken, applicationId },
      post,
      desk,
      people,
    } = await begin();
    await post(refreshToken, githubPush(), github('push', 'old'));
    expect(await desk.stores.audit.all(people.owner.organizationId, {})).toEqual([
      expect.objectContaining({
        procedure: 'webhook.github',
        resourceId: applicationId,
        userId: null,
        outcome: 'done',
      }),
    ]);
    await desk.stores.webhooks.prune('2000-01-01T00:00:00.000Z');
    expect(await post(refreshToken, githubPush(), github('push', 'old'))).toEqual({
      status: 200,
      body: { duplicate: true },
    });
    await desk.stores.webhooks.prune('2999-01-01T00:00:00.000Z');
    expect(await post(refreshToken, githubPush(), github('push', 'old'))).toEqual(queued);
  });
});
