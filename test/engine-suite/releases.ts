/** Releases, rolling and first, as they are watched to their end. */
import { describe, expect, test } from 'vitest';
import { watchRelease } from '../../server/src/deploy/release/release-watch.ts';
import type { ReleaseEvent, ReleaseOutcome } from '../../server/src/deploy/release/release-watch.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import type { AppliedService, ServiceSpec } from '../../server/src/ports/engine/engine.ts';
import {
  answering,
  idleService,
  listens,
  stepService,
  uniqueName,
  until,
  untilRunning,
  type EngineFixture,
} from './fixture.ts';
import { commandOf } from './steps.ts';

export function releasesSuite({ engine }: EngineFixture): void {
  interface Watched {
    outcome: ReleaseOutcome;
    events: ReleaseEvent[];
    /** When the outcome was known, milliseconds since the epoch. */
    endedAt: number;
  }

  async function watch(
    applied: AppliedService,
    spec: ServiceSpec,
    change: { previousUpdateStartedAt?: string | undefined; limitMs?: number; signal?: AbortSignal } = {},
  ): Promise<Watched> {
    const events: ReleaseEvent[] = [];
    const outcome = await watchRelease({
      engine,
      clock: systemClock,
      serviceName: spec.name,
      generation: applied.generation,
      expectedReplicas: spec.replicas,
      monitorMs: spec.monitorMs,
      signal: new AbortController().signal,
      limitMs: 60_000,
      onEvent: (event) => events.push(event),
      ...change,
    });
    return { outcome, events, endedAt: Date.now() };
  }

  async function release(spec: ServiceSpec): Promise<Watched> {
    const before = await engine.service(spec.name);
    return watch(await engine.applyService(spec), spec, {
      previousUpdateStartedAt: before?.update?.startedAt,
    });
  }

  /** A service whose version 1 runs, healthy; removed when the test is over. */
  async function withRunning(
    what: string,
    use: (spec: ServiceSpec, old: AppliedService) => Promise<void>,
  ): Promise<void> {
    const spec = stepService(uniqueName(what), answering, { release: 'r1', healthCheck: listens });
    try {
      const old = await engine.applyService(spec);
      await untilRunning(engine, spec.name);
      await use(spec, old);
    } finally {
      await engine.removeService(spec.name);
    }
  }

  async function withFirst(spec: ServiceSpec, use: (watched: Watched) => void): Promise<void> {
    try {
      use(await release(spec));
    } finally {
      await engine.removeService(spec.name);
    }
  }

  /** The former version's task runs on, untouched. */
  async function expectUntouched(
    name: string,
    old: AppliedService,
    taskId: string | undefined,
  ): Promise<void> {
    expect((await engine.service(name))?.generation).toBe(old.generation);
    const task = (await engine.tasks(name)).find((each) => each.id === taskId);
    expect(task).toMatchObject({ state: 'running', desiredState: 'running', generation: old.generation });
  }

  const failures: [string, Partial<ServiceSpec>, RegExp, unknown][] = [
    [
      'that crashes at boot',
      { command: commandOf([{ do: 'exit', code: 7 }]) },
      /^Its program ended with exit code 7\.$/,
      7,
    ],
    [
      'that never becomes healthy',
      {
        command: commandOf([{ do: 'stay' }]),
        healthCheck: { ...listens, startPeriodMs: 1_000 },
      },
      /^It never became healthy/,
      expect.any(Number),
    ],
    [
      'whose image does not exist',
      { image: 'nobody/there-is-none:1' },
      /^The image nobody\/there-is-none:1 was not found/,
      undefined,
    ],
    [
      'that needs too much memory',
      { command: commandOf([{ do: 'eat', bytes: 30_000_000 }]) },
      /^It ran out of memory and was killed \(exit code 137\)/,
      137,
    ],
    [
      'whose program does not exist',
      { command: ['/no/such/program'] },
      /^Its program was not found in the image/,
      127,
    ],
  ];

  describe.concurrent('a rolling release', () => {
    test('is healthy, then completed after the monitored time', async () => {
      await withRunning('roll', async (spec) => {
        const startedAt = Date.now();
        const { outcome, events, endedAt } = await release({ ...spec, release: 'r2', env: ['VERSION=2'] });
        const healthy = events.find((event) => event.kind === 'healthy');
        expect(outcome).toEqual({ kind: 'completed', healthyAt: healthy?.at });
        expect(healthy?.at).toBeGreaterThan(startedAt);
        expect(endedAt - (healthy?.at ?? endedAt)).toBeGreaterThan(spec.monitorMs - 500);
        expect((await engine.tasks(spec.name))[0]).toMatchObject({
          state: 'running',
          desiredState: 'running',
        });
      });
    });

    test.each(failures)(
      '%s is rolled back with its reason, and the former version is untouched',
      async (_, change, reason, exitCode) => {
        await withRunning('fail', async (spec, old) => {
          const [task] = await engine.tasks(spec.name);
          const { outcome, events } = await release({ ...spec, release: 'r2', ...change });
          expect(outcome).toMatchObject({
            kind: 'rolled-back',
            reason: expect.stringMatching(reason),
            exitCode,
            taskId: expect.any(String),
          });
          expect(events.map((event) => event.kind)).not.toContain('healthy');
          await expectUntouched(spec.name, old, task?.id);
        });
      },
    );

    test('after another one is not taken for it', async () => {
      await withRunning('twice', async (spec) => {
        expect((await release({ ...spec, release: 'r2' })).outcome.kind).toBe('completed');
        const { outcome } = await release({
          ...spec,
          release: 'r3',
          command: commandOf([{ do: 'exit', code: 9 }]),
        });
        expect(outcome).toMatchObject({ kind: 'rolled-back', exitCode: 9 });
        expect((await release({ ...spec, release: 'r4' })).outcome.kind).toBe('completed');
      });
    });

    test('that waits for a node for ever ends at the limit and can be taken back', async () => {
      await withRunning('stuck', async (spec, old) => {
        const [task] = await engine.tasks(spec.name);
        const next = { ...spec, release: 'r2', constraints: ['node.hostname==nowhere'] };
        const { outcome } = await watch(await engine.applyService(next), next, { limitMs: 3_000 });
        expect(outcome).toMatchObject({
          kind: 'failed',
          isUndecided: true,
          reason: expect.stringContaining('no suitable node'),
        });
        await engine.rollbackService(spec.name);
        await until(
          'the end of the rollback',
          async () => (await engine.service(spec.name))?.update?.state === 'rollback_completed',
        );
        await expectUntouched(spec.name, old, task?.id);
      });
    });

    test('that another change replaces is said to be replaced', async () => {
      await withRunning('replaced', async (spec) => {
        const applied = await engine.applyService({ ...spec, release: 'r2' });
        await engine.applyService({ ...spec, release: 'r3' });
        expect((await watch(applied, spec)).outcome).toMatchObject({
          kind: 'failed',
          reason: expect.stringContaining('replaced this release'),
        });
      });
    });

    test('a restart counts as a release', async () => {
      await withRunning('restart', async (spec) => {
        expect((await watch(await engine.restartService(spec.name), spec)).outcome.kind).toBe('completed');
      });
    });

    test('stops watching when told', async () => {
      await withRunning('abort', async (spec) => {
        const applied = await engine.applyService({ ...spec, release: 'r2' });
        await expect(watch(applied, spec, { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({
          name: 'TimeoutError',
        });
      });
    });
  });

  describe.concurrent('a first release', () => {
    test('is completed when all replicas have run for the monitored time', async () => {
      const spec = stepService(uniqueName('first'), answering, {
        release: 'r1',
        healthCheck: listens,
        replicas: 2,
      });
      await withFirst(spec, ({ outcome, events, endedAt }) => {
        expect(outcome).toMatchObject({ kind: 'completed', healthyAt: expect.any(Number) });
        const healthy = events.find((event) => event.kind === 'healthy');
        expect(endedAt - (healthy?.at ?? endedAt)).toBeGreaterThanOrEqual(spec.monitorMs);
      });
    });

    test('that keeps crashing has failed, with exit code', async () => {
      const spec = stepService(uniqueName('firstcrash'), [{ do: 'exit', code: 3 }], { release: 'r1' });
      await withFirst(spec, ({ outcome }) =>
        expect(outcome).toMatchObject({
          kind: 'failed',
          reason: 'Its program ended with exit code 3.',
          exitCode: 3,
        }),
      );
    });

    test('without its image has failed', async () => {
      const spec = stepService(uniqueName('firstimage'), answering, {
        release: 'r1',
        image: 'nobody/there-is-none:1',
      });
      await withFirst(spec, ({ outcome }) =>
        expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not found') }),
      );
    });

    test('whose host port is taken is not ready in time, in the words of the engine', async () => {
      const ports: ServiceSpec['ports'] = [
        { published: 7_531, target: 3_000, protocol: 'tcp', mode: 'host' },
      ];
      const holder = idleService(uniqueName('holder'), { ports });
      const spec = idleService(uniqueName('wants'), { ports, release: 'r1' });
      try {
        await engine.applyService(holder);
        await untilRunning(engine, holder.name);
        const { outcome } = await watch(await engine.applyService(spec), spec, { limitMs: 3_000 });
        expect(outcome).toMatchObject({
          kind: 'failed',
          isUndecided: true,
          reason: expect.stringContaining('host-mode port already in use'),
        });
      } finally {
        await Promise.all([engine.removeService(holder.name), engine.removeService(spec.name)]);
      }
    });
  });

  test('a start from no replicas is judged like a first release', async () => {
    await withRunning('zero', async (spec) => {
      await engine.scaleService(spec.name, 0);
      await untilRunning(engine, spec.name, 0);
      const { outcome } = await release({ ...spec, release: 'r2' });
      expect(outcome.kind).toBe('completed');
    });
  });
}
