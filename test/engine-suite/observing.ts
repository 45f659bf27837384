/** What runs, as an observer of the engine sees it by events alone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Live } from '../../server/src/domain/states/live.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import { createObserver, type Observer } from '../../server/src/reconcile/observing/observer.ts';
import { nodeImage, stepService, uniqueName, until, type EngineFixture } from './fixture.ts';
import type { Step } from './steps.ts';

const never = 1_000_000_000;

export function observingSuite({ engine }: EngineFixture): void {
  describe.concurrent('what runs', () => {
    const shown = new Map<string, Live>();
    const problems: string[] = [];
    const faults: unknown[] = [];
    const names: string[] = [];
    let observer: Observer;
    beforeAll(() => {
      observer = createObserver({
        engine,
        clock: systemClock,
        shown,
        deploymentOf: async (deploymentId) => ({
          commit: `commit of ${deploymentId}`,
          image: null,
          isDone: true,
          createdAt: '2026-01-01T00:00:00.000Z',
        }),
        onProblem: (problem, name) => void problems.push(`${name}: ${problem}`),
        onFault: (error) => void faults.push(error),
        fullLookMs: never,
      });
      observer.start();
    });
    afterAll(async () => {
      await observer.stop();
      for (const name of names) await engine.removeService(name);
      expect(faults).toEqual([]);
    });

    async function begin(
      what: string,
      steps: readonly Step[],
    ): Promise<{ name: string; live(): Live | undefined }> {
      const name = uniqueName(what);
      names.push(name);
      await engine.applyService(
        stepService(name, steps, {
          labels: { 'berth.test': 'true', 'berth.application': name },
          release: `release of ${what}`,
          restartDelayMs: 300,
        }),
      );
      return { name, live: () => shown.get(`application:${name}`) };
    }
    const untilSeen = (what: string, isSo: () => boolean | undefined): Promise<true> =>
      until(what, async () => isSo() === true, 120_000);

    test('is told with its release and since when, follows a scaling, and is forgotten', async () => {
      const { name, live } = await begin('seen', [{ do: 'listen', port: 3000 }]);
      await untilSeen('it runs', () => live()?.running === 1);
      expect(live()).toEqual({
        deploymentId: 'release of seen',
        commit: 'commit of release of seen',
        image: nodeImage,
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        running: 1,
        desired: 1,
        restarts: 0,
        lastExit: null,
        paused: 0,
        waiting: null,
        problem: null,
        unreachableSince: null,
      });
      await engine.scaleService(name, 0);
      await untilSeen('it is stopped', () => live()?.desired === 0 && live()?.running === 0);
      expect(live()).toMatchObject({
        deploymentId: 'release of seen',
        since: null,
        restarts: 0,
        problem: null,
      });
      await engine.removeService(name);
      await untilSeen('it is gone', () => live() === undefined);
    });

    test('that keeps ending is a crash loop, told once', async () => {
      const { name, live } = await begin('crash', [
        { do: 'wait', ms: 500 },
        { do: 'exit', code: 3 },
      ]);
      await untilSeen('it ended four times', () => (live()?.restarts ?? 0) >= 4);
      expect(live()).toMatchObject({
        desired: 1,
        lastExit: { exitCode: 3, outOfMemory: false, reason: 'Its program ended with exit code 3.' },
        problem: 'crash loop',
      });
      expect(problems.filter((line) => line.startsWith(name))).toEqual([`${name}: crash loop`]);
    });

    test('that the kernel killed for its memory is told so', async () => {
      const { name, live } = await begin('eat', [{ do: 'eat', bytes: 10_000_000 }]);
      await untilSeen('it was killed', () => live()?.lastExit?.outOfMemory === true);
      expect(live()).toMatchObject({ lastExit: { exitCode: 137 }, problem: 'out of memory' });
      await untilSeen('it was killed again', () => (live()?.restarts ?? 0) >= 2);
      expect(problems.filter((line) => line.startsWith(name))).toEqual([`${name}: out of memory`]);
    });
  });
}
