import { expect, it } from 'vitest';
import { conditionOf, type Conditioned } from './condition.ts';
import type { Live } from './live.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');
const live: Live = {
  deploymentId: 'd',
  commit: null,
  image: 'web:1',
  since: '2026-11-20T11:00:00.000Z',
  running: 2,
  desired: 2,
  restarts: 0,
  lastExit: null,
  problem: null,
  waiting: null,
  paused: 0,
  unreachableSince: null,
};
const exit = {
  at: '2026-11-20T11:59:00.000Z',
  exitCode: 1,
  outOfMemory: false,
  reason: 'Its program ended with exit code 1.',
};
const seen = { isReleased: true, isStopped: false, live, host: { state: 'seen' } } as const;

it.each<[string, Partial<Conditioned>, string, RegExp | null]>([
  ['runs', {}, 'up', null],
  ['was never released', { isReleased: false, live: null }, 'never deployed', null],
  ['was stopped', { isStopped: true, live: null }, 'stopped', null],
  ['has no tasks and should have none', { live: { ...live, running: 0, desired: 0 } }, 'stopped', null],
  ['is not on its engine', { live: null }, 'down', /no longer has its service/],
  ['is on an engine not seen yet', { live: null, host: { state: 'unseen' } }, 'unreachable', /not been seen/],
  ['is on a lost engine', { host: { state: 'away', since: 'T' } }, 'unreachable', /since T/],
  ['was lost', { live: { ...live, unreachableSince: 'T' } }, 'unreachable', /since T/],
  ['begins', { live: { ...live, running: 0, since: null } }, 'starting', null],
  ['is scaled up', { live: { ...live, running: 1 } }, 'starting', null],
  [
    'cannot be placed',
    { live: { ...live, running: 0, waiting: 'It cannot be started: no suitable node.' } },
    'down',
    /suitable/,
  ],
  ['lost a task', { live: { ...live, running: 1, lastExit: exit } }, 'degraded', /exit code 1/],
  ['lost all', { live: { ...live, running: 0, lastExit: exit } }, 'down', /exit code 1/],
  [
    'was scaled up long after an end',
    { live: { ...live, running: 1, lastExit: { ...exit, at: '2026-11-20T10:00:00.000Z' } } },
    'starting',
    null,
  ],
  ['is paused', { live: { ...live, paused: 2 } }, 'down', /paused/],
  ['is paused in a part', { live: { ...live, paused: 1 } }, 'degraded', /paused/],
  [
    'loops, and runs just now',
    { live: { ...live, problem: 'crash loop', lastExit: exit, since: '2026-11-20T11:59:30.000Z' } },
    'down',
    /keeps ending.*exit code 1/,
  ],
  ['looped a while ago', { live: { ...live, problem: 'crash loop', lastExit: exit } }, 'degraded', /keeps/],
])('a service that %s', (_, change, condition, reason) => {
  const verdict = conditionOf({ ...seen, ...change }, now);
  expect(verdict.condition).toBe(condition);
  expect(verdict.reason ?? '').toMatch(reason ?? /^$/);
});
