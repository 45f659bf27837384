import { describe, expect, test } from 'vitest';
import type { ContainerEnd } from '../../ports/engine/container-end.ts';
import type { ServiceState, TaskState, UpdateState } from '../../ports/engine/engine.ts';
import { failureReason } from './failure-reason.ts';
import { judgeRelease } from './release-verdict.ts';
import { watchRelease } from './release-watch.ts';
import type { ReleaseTarget } from './release-verdict.ts';

const target: ReleaseTarget = { generation: 'new.0', expectedReplicas: 1, monitorMs: 5_000, failedTasks: 3 };

function service(update?: Partial<UpdateState>, generation = 'new.0'): ServiceState {
  const state = {
    id: 's',
    name: 'web',
    labels: {},
    image: 'i',
    replicas: 1,
    running: 1,
    version: 9,
    specDigest: '',
    networks: [],
  };
  return {
    ...state,
    generation,
    update: update === undefined ? undefined : { state: 'updating', message: '', startedAt: 'T2', ...update },
  };
}

function task(state: string, more: Partial<TaskState> = {}): TaskState {
  const desiredState = state === 'running' || state === 'starting' ? 'running' : 'shutdown';
  const base = {
    id: `t-${state}`,
    nodeId: 'n',
    slot: 1,
    image: 'berth/app:1',
    error: '',
    exitCode: undefined,
    containerId: 'c',
    createdAt: '',
    stateAt: '',
  };
  return { ...base, state, desiredState, generation: 'new.0', release: undefined, ...more };
}

const old = task('running', { id: 't-old', generation: 'old.0' });
const failed = task('failed', { error: 'task: non-zero exit (7)', exitCode: 7 });

function judge(
  seen: ServiceState | undefined,
  tasks: TaskState[],
  healthySince?: number,
  change: Partial<ReleaseTarget> = {},
) {
  return judgeRelease({ ...target, ...change }, { service: seen, tasks, now: 10_000 }, healthySince);
}

describe('an update', () => {
  test('is waited for, healthy or not', () => {
    expect(judge(service({}), [task('starting'), old])).toEqual({ kind: 'waiting', healthySince: undefined });
    expect(judge(service({}), [task('running'), old])).toEqual({ kind: 'waiting', healthySince: 10_000 });
    expect(judge(service({}), [task('running'), old], 8_000)).toEqual({
      kind: 'waiting',
      healthySince: 8_000,
    });
  });

  test('is completed when the engine says so of this one', () => {
    expect(judge(service({ state: 'completed' }), [task('running')], 8_000)).toEqual({
      kind: 'completed',
      healthySince: 8_000,
    });
  });

  test('is never completed by the status of an older one', () => {
    const older = service({ state: 'completed', startedAt: 'T1' });
    expect(judge(older, [task('starting'), old], undefined, { previousUpdateStartedAt: 'T1' })).toEqual({
      kind: 'waiting',
      healthySince: undefined,
    });
  });

  test('with a status of completed but without its replicas is waited for', () => {
    expect(judge(service({ state: 'completed' }), [failed], 8_000)).toEqual({
      kind: 'waiting',
      healthySince: undefined,
    });
  });

  test('that the engine takes back is followed to the end', () => {
    expect(judge(service({ state: 'rollback_started' }, 'old.0'), [failed, old])).toEqual({
      kind: 'rolling-back',
      task: failed,
    });
    expect(judge(service({ state: 'rollback_completed' }, 'old.0'), [failed, old])).toEqual({
      kind: 'rolled-back',
      task: failed,
      isComplete: true,
    });
    expect(judge(service({ state: 'rollback_paused' }, 'old.0'), [failed, old])).toEqual({
      kind: 'rolled-back',
      task: failed,
      isComplete: false,
    });
  });

  test('does not fail by counting while the engine decides', () => {
    expect(judge(service({}), [failed, failed, failed]).kind).toBe('waiting');
  });

  test('that was paused has failed', () => {
    expect(judge(service({ state: 'paused' }), [failed])).toEqual({ kind: 'failed', task: failed });
  });
});

describe('a release without an update', () => {
  test('is completed after the monitored time', () => {
    expect(judge(service(), [task('running')], 5_001)).toEqual({ kind: 'waiting', healthySince: 5_001 });
    expect(judge(service(), [task('running')], 5_000)).toEqual({ kind: 'completed', healthySince: 5_000 });
  });

  test('begins anew after a crash', () => {
    expect(judge(service(), [task('starting'), failed], 6_000)).toEqual({
      kind: 'waiting',
      healthySince: undefined,
    });
  });

  test('needs all its replicas, and only running ones count', () => {
    const leaving = task('running', { desiredState: 'shutdown' });
    expect(judge(service(), [task('running'), leaving], 1, { expectedReplicas: 2 })).toEqual({
      kind: 'waiting',
      healthySince: undefined,
    });
  });

  test('fails after three ended tasks', () => {
    expect(judge(service(), [task('starting'), failed, failed]).kind).toBe('waiting');
    expect(judge(service(), [task('starting'), failed, failed, failed])).toEqual({
      kind: 'failed',
      task: failed,
    });
  });

  test('with no replicas is done when the monitored time passed', () => {
    expect(judge(service(), [], 1, { expectedReplicas: 0 }).kind).toBe('completed');
  });
});

describe('a release whose tasks may end with 0', () => {
  const mayEnd = { mayEnd: true };
  const complete = task('complete', { exitCode: 0 });
  test.each<[string, TaskState[], Partial<ReleaseTarget>, object]>([
    ['has ended once every task has', [complete], {}, { kind: 'ended' }],
    [
      'has not while one still runs',
      [complete, task('running')],
      { expectedReplicas: 2 },
      { kind: 'completed' },
    ],
    ['is waited for before', [task('starting')], {}, { kind: 'waiting' }],
    ['fails with what ended otherwise', [failed, failed, failed], {}, { kind: 'failed' }],
  ])('%s', (_what, tasks, change, verdict) =>
    expect(judge(service(), tasks, 1, { ...mayEnd, ...change })).toMatchObject(verdict),
  );
  test('where that is no failure, a task that ended with 0 is none', () =>
    expect(judge(service(), [complete, complete, complete]).kind).toBe('failed'));
});

test('a removed service and one that changed again are said as such', () => {
  expect(judge(undefined, [])).toEqual({ kind: 'removed' });
  expect(judge(service({}, 'newer.0'), [task('running')])).toEqual({ kind: 'superseded' });
});

const noEnd: ContainerEnd = { exitCode: 137, outOfMemory: false, error: '', unhealthy: false };

test.each<[string, Partial<TaskState>, ContainerEnd | undefined, boolean, string]>([
  [
    'exit code',
    { error: 'task: non-zero exit (7)', exitCode: 7 },
    undefined,
    false,
    'Its program ended with exit code 7.',
  ],
  [
    'clean end',
    { state: 'complete', exitCode: 0 },
    undefined,
    true,
    'Its program ended by itself with exit code 0; a service has to keep running.',
  ],
  [
    'out of memory',
    { error: 'task: non-zero exit (137)', exitCode: 137 },
    { ...noEnd, outOfMemory: true },
    false,
    'It ran out of memory and was killed (exit code 137). Raise its memory limit, or make it need less.',
  ],
  [
    'killed',
    { error: 'task: non-zero exit (137)', exitCode: 137 },
    noEnd,
    false,
    'It was killed (exit code 137). The engine saw no lack of memory, but can miss one on a busy machine: ' +
      'unless something else killed it, raise its memory limit.',
  ],
  [
    'no such program',
    { error: 'task: non-zero exit (127)', exitCode: 127 },
    undefined,
    false,
    'Its program was not found in the image (exit code 127).',
  ],
  [
    'missing image',
    { state: 'rejected', error: 'No such image: berth/app:1' },
    undefined,
    false,
    'The image berth/app:1 was not found: No such image: berth/app:1.',
  ],
  [
    'never healthy',
    { error: 'task: non-zero exit (143): dockerexec: unhealthy container', exitCode: 143 },
    undefined,
    false,
    'It never became healthy: its health check kept failing until the engine gave up.',
  ],
  [
    'never healthy, and a clean end when the engine asked for it',
    { state: 'complete', exitCode: 0 },
    {
      exitCode: 0,
      outOfMemory: false,
      error: '',
      unhealthy: true,
      failedCheck: 'berth: nothing listens on port 3000, nor on any other port\n',
    },
    false,
    'It never became healthy: its health check kept failing until the engine gave up; at last it said: ' +
      'nothing listens on port 3000, nor on any other port.',
  ],
  [
    'no longer healthy',
    { error: 'task: non-zero exit (143): dockerexec: unhealthy container', exitCode: 143 },
    undefined,
    true,
    'Its health check passed at first, then kept failing.',
  ],
  [
    'not startable',
    { error: 'starting container failed: exec: "nope": executable file not found in $PATH', exitCode: 127 },
    undefined,
    false,
    'The engine could not run it (exit code 127): starting container failed: exec: "nope": executable ' +
      'file not found in $PATH',
  ],
])('the reason of a failure: %s', (_, change, end, hasRun, sentence) => {
  expect(failureReason(task('failed', change), end, hasRun)).toBe(sentence);
});

test('a user other than root and a volume are named when the program ends badly', () => {
  const end = { exitCode: 1, outOfMemory: false, error: '', unhealthy: false, user: 'node' };
  const ended = task('failed', { exitCode: 1, error: 'task: non-zero exit (1)' });
  expect(failureReason(ended, { ...end, volumes: ['/data'] }, false)).toContain(
    'RUN mkdir -p /data && chown node /data',
  );
  expect(failureReason(ended, { ...end, volumes: [] }, false)).toBe('Its program ended with exit code 1.');
});

test('a failure without a task still has a reason', () => {
  expect(failureReason(undefined, undefined, false)).toContain('names no failed task');
});

/** What a release ends with whose task an engine shows as starting, and 75 ms later as running since then. */
async function healthyAtOf(stateAt: string) {
  const looks = [9_000, 9_075].map((now, index) => ({
    now,
    tasks: [task(index === 0 ? 'starting' : 'running', { stateAt })],
  }));
  let look = looks[0];
  return watchRelease({
    ...target,
    engine: {
      async serviceWithTasks() {
        look = looks.shift() ?? look;
        return { service: service({ state: 'completed' }), tasks: look?.tasks ?? [] };
      },
      containerEnd: async () => undefined,
      failedCheck: async () => undefined,
    },
    clock: { now: () => look?.now ?? 0 },
    serviceName: 'web',
    signal: new AbortController().signal,
    limitMs: 60_000,
    onEvent: () => undefined,
  });
}

describe('a release is healthy since', () => {
  test.each([
    ['its task came to run', 9_020],
    ['then also where the engine tells it after the look before', 8_950],
  ])('%s', async (_, at) => {
    expect(await healthyAtOf(new Date(at).toISOString())).toEqual({ kind: 'completed', healthyAt: at });
  });

  test.each([
    ['is an hour late', -3_600_000, 8_900],
    ['is an hour early', 3_600_000, 9_075],
  ])('a moment between the two looks where the clock of its node %s', async (_, wrongBy, healthyAt) => {
    const outcome = await healthyAtOf(new Date(9_020 + wrongBy).toISOString());
    expect(outcome).toEqual({ kind: 'completed', healthyAt });
  });
});
