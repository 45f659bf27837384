import { expect, it } from 'vitest';
import type { BuildSlots } from '../ports/engine/build-slots.ts';
import { withinOrganizations } from './organization-builds.ts';

const free: BuildSlots = { take: async () => undefined, give: async () => undefined };
const job = (jobId: string) => ({
  jobId,
  serverKey: 'local',
  organizationId: jobId[0] ?? '',
  sequence: 1,
  worker: 'w',
});
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function world(limits: Record<string, number | null>) {
  const slots = withinOrganizations(free, {
    organizationOf: async ({ jobId }) => ({
      organizationId: jobId[0] ?? '',
      ahead: { kind: 'deployment', payload: { deploymentId: jobId } },
    }),
    limitOf: async (organizationId) => limits[organizationId] ?? null,
  });
  const said: string[] = [];
  const take = (jobId: string, signal = new AbortController().signal): Promise<void> =>
    slots
      .take(job(jobId), {
        signal,
        onWait: async (ahead) =>
          void said.push(`${jobId} waits for ${ahead.map(({ payload }) => payload['deploymentId']).join()}`),
      })
      .then(() => void said.push(`${jobId} builds`));
  return { slots, said, take };
}

it('lets an organization build so many at once, in their order, and holds up no other', async () => {
  const { slots, said, take } = world({ a: 1 });
  await take('a1');
  const [second, third] = [take('a2'), take('a3')];
  await take('b1');
  await take('b2');
  await settled();
  expect(said).toEqual(['a1 builds', 'a2 waits for a1', 'a3 waits for a1,a2', 'b1 builds', 'b2 builds']);
  await slots.give(job('a1'));
  await second;
  await slots.give(job('a2'));
  await third;
  expect(said.slice(5)).toEqual(['a2 builds', 'a3 builds']);
});

it('lets a build go that is cancelled while it waits', async () => {
  const { slots, take, said } = world({ a: 1 });
  await take('a1');
  const leave = new AbortController();
  const second = take('a2', leave.signal);
  const third = take('a3');
  await settled();
  leave.abort(new Error('cancelled'));
  await expect(second).rejects.toThrow('cancelled');
  await slots.give(job('a1'));
  await third;
  expect(said.at(-1)).toBe('a3 builds');
});
