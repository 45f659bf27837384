import { expect, it } from 'vitest';
import { rememberReleases, type ReleasedInputs } from './inputs.ts';

it('a release that was read before a reload is not remembered after it', async () => {
  let stored: ReleasedInputs = { settings: { replicas: 1 } };
  const slow = Promise.withResolvers<void>();
  let isSlow = true;
  const { released, forget } = rememberReleases(async (_service: { liveDeploymentId: string | null }) => {
    const seen = stored;
    if (isSlow) await slow.promise;
    return seen;
  });
  const service = { liveDeploymentId: 'live' };
  const before = released(service);
  stored = { settings: { replicas: 2 } };
  isSlow = false;
  forget('live');
  slow.resolve();
  expect(await before).toMatchObject({ settings: { replicas: 1 } });
  expect(await released(service)).toMatchObject({ settings: { replicas: 2 } });
});
