import { expect, it } from 'vitest';
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

eachDatabase('deliveries of webhooks', (test) => {
  const begin = webhookWorlds(test);
  const github = (event: string, id: string) => ({ 'x-github-event': event, 'x-github-delivery': id });

  it('are kept with what came of them, and judged again when a person asks', async () => {
    const { application, post, place, set, owner, stranger, member, titles } = await begin();
    const { refreshToken, applicationId } = application;
    const all = async () => Object(await owner.query('webhook.all', { applicationId }));
    await post(refreshToken, githubPush(), github('push', 'd-1'));
    await post(refreshToken, githubPush(), github('push', 'd-1'));
    await post(refreshToken, githubPush('next'), github('push', 'd-2'));
    await post(refreshToken, { zen: 'Design for failure.' }, github('ping', 'd-3'));
    await set({ autoDeploy: false });
    await post(refreshToken, githubPush(), github('push', 'd-4'));
    await set({ autoDeploy: true, webhookSecret: 'a secret of ours' });
    await post(refreshToken, githubPush(), github('push', 'd-5'));
    const shown = [
      {
        outcome: 'refused',
        reason: expect.stringContaining('not signed'),
        summary: 'not read',
        canReplay: false,
      },
      { outcome: 'refused', reason: expect.stringContaining('autoDeploy of Shop is off'), canReplay: true },
      {
        outcome: 'skipped',
        reason: 'the branch next is not main',
        summary: 'push to the branch next: Fix the door',
        provider: 'github',
        hostDeliveryId: 'd-2',
        canReplay: true,
      },
      { outcome: 'duplicate', deploymentId: null },
      { outcome: 'queued', reason: null, deploymentId: expect.any(String) },
    ];
    const found = await all();
    expect(found).toMatchObject(shown);
    const [unsigned, refused, skipped] = found.map(
      ({ webhookDeliveryId }: { webhookDeliveryId: string }) => ({
        webhookDeliveryId,
      }),
    );
    for (const client of [stranger, member])
      for (const call of ['webhook.one', 'webhook.all'])
        expect(await client.query(call, { ...skipped, applicationId })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.mutate('webhook.replay', skipped)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.mutate('webhook.replay', unsigned)).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await owner.mutate('webhook.replay', skipped)).toMatchObject({
      outcome: 'skipped',
      replayOf: skipped.webhookDeliveryId,
    });
    await set({ branch: 'next' });
    expect(await owner.mutate('webhook.replay', skipped)).toMatchObject({
      outcome: 'queued',
      deploymentId: expect.any(String),
    });
    expect(await titles()).toHaveLength(2);
    await set({ autoDeploy: false, branch: 'main' });
    expect(await owner.mutate('webhook.replay', refused)).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await owner.query('webhook.one', skipped)).toMatchObject({ summary: shown[2]?.summary });
    expect(place.applicationId).toBe(applicationId);
  });

  it('keep the newest hundred of a service', async () => {
    const { application, post, owner } = await begin();
    const { refreshToken, applicationId } = application;
    for (let count = 0; count < 103; count += 1)
      await post(refreshToken, githubPush('next'), github('push', `d-${count}`));
    const found = Object(await owner.query('webhook.all', { applicationId, limit: 500 }));
    expect(found.items).toHaveLength(100);
    expect(found.items[0]).toMatchObject({ hostDeliveryId: 'd-102' });
  });
});
