import { afterEach, beforeEach, expect, it } from 'vitest';
import { startGitHost, type GitHost } from '../../../../test/git-host/git-host.ts';
import { worlds } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { beginPreviews, type PreviewWorld } from '../../../../test/store/preview-world.ts';

const [first, second] = ['a'.repeat(40), 'b'.repeat(40)];

let host: GitHost;
beforeEach(async () => {
  host = await startGitHost();
});
afterEach(() => host[Symbol.asyncDispose]());

eachDatabase('previews and the order of events', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<PreviewWorld> => beginPreviews(createWorld, host);

  it('follow the state of the pull request, in whatever order its events come', async () => {
    const { tell, all } = await begin();
    const at = (minute: number): string => `2026-01-02T10:${String(minute).padStart(2, '0')}:00.000Z`;
    await tell({ commit: second, updatedAt: at(2) });
    expect(await tell({ commit: first, updatedAt: at(1) })).toEqual({
      skipped: 'a newer event of this pull request was handled before',
    });
    expect(await all()).toMatchObject([{ commit: second }]);
    // Of another pull request and of another repository nothing is known yet.
    await tell({ number: 13, updatedAt: at(1) });
    expect(await all()).toHaveLength(2);
    await tell({ number: 14, action: 'close', updatedAt: at(3) });
    expect(await tell({ number: 14, updatedAt: at(2) })).toMatchObject({ skipped: expect.anything() });
    expect(await all()).toHaveLength(2);
  });

  it('are not removed by the end of the same number of another repository', async () => {
    const { tell, all } = await begin();
    await tell({ number: 5 });
    for (const action of ['close', 'open'] as const)
      expect(await tell({ number: 5, action, repository: 'other/thing' })).toEqual({
        skipped: 'the pull request is for other/thing, which is not the repository of this service',
      });
    expect(await all()).toMatchObject([{ pullRequestNumber: 5 }]);
  });
});
