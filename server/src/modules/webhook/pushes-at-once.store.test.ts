import { expect, it } from 'vitest';
import { webhookWorlds } from '../../../../test/http/worlds/webhook-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';

const letters = ['a', 'b', 'c', 'd', 'e', 'f', '1', '2'];

eachDatabase('pushes', (test) => {
  const begin = webhookWorlds(test);

  it('of eight pushes at once deploy the last, and none of those that a deployment covers', async () => {
    const {
      application: { refreshToken },
      post,
      place,
      desk,
    } = await begin();
    const service = { kind: 'application', serviceId: place.applicationId } as const;
    const states = async (): Promise<string[]> =>
      (await desk.deployments.all(service)).map(({ status, title }) => `${status} ${title}`);
    const push = async (letter: string): Promise<string> => {
      const pushed = letter.repeat(40);
      const commits = [{ id: pushed, message: letter, added: [], removed: [], modified: ['a.ts'] }];
      const payload = {
        ref: 'refs/heads/main',
        after: pushed,
        repository: { full_name: 'acme/shop' },
        commits,
      };
      await post(refreshToken, payload, { 'x-github-event': 'push', 'x-github-delivery': letter });
      return (await desk.deployments.all(service))[0]?.deploymentId ?? '';
    };
    for (const letter of letters) await push(letter);
    expect(await states()).toEqual([
      'queued 2',
      ...letters
        .slice(0, -1)
        .toReversed()
        .map((letter) => `cancelled ${letter}`),
    ]);
    const [last, former] = await desk.deployments.all(service);
    expect(former?.errorMessage).toBe(
      `A later push is deployed in its place (deployment ${last?.deploymentId}).`,
    );
    // The one that is under way found the newest commit by itself.
    const working = last?.deploymentId ?? '';
    expect(await desk.deployments.begin(working)).toBe(true);
    await push('3');
    await desk.deployments.record(working, { commit: '3'.repeat(40) });
    const [, deployment] = await desk.stores.deployments.list(
      { applicationId: place.applicationId },
      { by: ['sequence'], direction: 'desc' },
    );
    if (!deployment) throw new Error('It is gone.');
    await desk.deployments.finish(deployment, { status: 'done', healthyAt: '', patch: {} });
    expect((await states()).slice(0, 2)).toEqual(['cancelled 3', 'done 2']);
    await push('4');
    expect((await states())[0]).toBe('queued 4');
  });
});
