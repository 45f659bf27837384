import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { webhookWorlds } from '../../../../test/http/worlds/webhook-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';

eachDatabase('an empty webhookSecret', (test) => {
  const begin = webhookWorlds(test);
  const commit = 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7';
  const side = { ref: 'main', sha: commit, repo: { full_name: 'acme/shop' } };
  const request = JSON.stringify({
    action: 'opened',
    number: 7,
    pull_request: { title: 'Change', base: side, head: side },
  });
  const signature = `sha256=${createHmac('sha256', '').update(request).digest('hex')}`;

  it('signs nothing: whoever signs with it is believed as little as without', async () => {
    const { application, post, set } = await begin();
    const told = (headers: Record<string, string>) =>
      post(application.refreshToken, request, { 'x-github-event': 'pull_request', ...headers });
    await set({ webhookSecret: '', isPreviewDeploymentsActive: true });
    for (const headers of [[], [['x-hub-signature-256', signature]]])
      expect(await told(Object.fromEntries(headers))).toMatchObject({
        status: 401,
        body: { message: expect.stringContaining('The webhook is not signed') },
      });
    // The secret of GitLab is the header itself, and one that is absent would be it.
    expect(
      await post(`gitlab/${application.refreshToken}`, '{}', {
        'x-gitlab-event': 'Push Hook',
        'x-gitlab-token': '',
      }),
    ).toMatchObject({ status: 400 });
  });
});
