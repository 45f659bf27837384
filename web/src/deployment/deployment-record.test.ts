import { expect, it } from 'vitest';
import { formerOf, titleOf, type Deployment } from './deployment-record.ts';

const at = (deploymentId: string, createdAt: string, status = 'done'): Deployment =>
  ({ deploymentId, createdAt, status }) as Deployment;

it('is called like its commit where nobody gave a title', () => {
  const commitInfo = { subject: 'Fix the cart', author: 'Nina', branch: 'main' };
  expect(titleOf({ title: 'Manual deployment', commitInfo })).toBe('Fix the cart');
  expect(titleOf({ title: 'Release 2', commitInfo })).toBe('Release 2');
  expect(titleOf({ title: 'Manual deployment', commitInfo: null })).toBe('Manual deployment');
  expect(titleOf({ title: 'Manual deployment', commitInfo: { ...commitInfo, subject: '' } })).toBe(
    'Manual deployment',
  );
});

it('goes back from the live one to the newest that ran before it', () => {
  const live = at('live', '2026-03-03');
  const all = [
    at('later', '2026-03-04', 'error'),
    live,
    at('failed', '2026-03-02', 'error'),
    at('older', '2026-02-01'),
    at('former', '2026-03-01'),
  ];
  expect(formerOf(all, live)?.deploymentId).toBe('former');
  expect(formerOf([live], live)).toBeUndefined();
});
