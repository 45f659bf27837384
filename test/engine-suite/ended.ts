/** The output of what ended, kept when the engine has forgotten it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEndedOutputs } from '../../server/src/adapters/ended-output/files.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import type { EndedOutputs, EndedOwner, KeptTask } from '../../server/src/ports/ended-output.ts';
import {
  createEndedOutputKeeper,
  type EndedOutputKeeper,
} from '../../server/src/reconcile/observing/ended-output.ts';
import { createObserver, type Observer } from '../../server/src/reconcile/observing/observer.ts';
import { stepService, uniqueName, until, type EngineFixture } from './fixture.ts';
import type { Step } from './steps.ts';

const MiB = 1024 ** 2;
const organizationId = 'organization';

export function endedSuite({ engine, view }: EngineFixture): void {
  describe('the output of what ended', () => {
    const faults: unknown[] = [];
    const names: string[] = [];
    let folder = '';
    let outputs: EndedOutputs;
    let keeper: EndedOutputKeeper;
    let observer: Observer;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'berth-ended-'));
      outputs = createEndedOutputs(folder, async () => MiB);
      const onFault = (error: unknown): void => void faults.push(error);
      keeper = createEndedOutputKeeper({ engine, view, outputs, now: systemClock.now, onFault });
      observer = createObserver({
        engine,
        clock: systemClock,
        shown: new Map(),
        deploymentOf: async () => undefined,
        onProblem: () => undefined,
        onSeen: keeper.note,
        onFault,
      });
      observer.start();
    });
    afterAll(async () => {
      await observer.stop();
      await keeper.stop();
      for (const name of names) await engine.removeService(name);
      await rm(folder, { recursive: true });
      expect(faults).toEqual([]);
    });

    async function release(name: string, steps: readonly Step[], change: object = {}): Promise<EndedOwner> {
      if (!names.includes(name)) names.push(name);
      const labels = {
        'berth.test': 'true',
        'berth.organization': organizationId,
        'berth.application': name,
      };
      await engine.applyService(stepService(name, steps, { labels, release: 'first', ...change }));
      return { organizationId, serviceId: name };
    }
    const textsOf = async (owner: EndedOwner, { taskId }: KeptTask): Promise<string[]> =>
      (await Array.fromAsync((await outputs.lines(owner, taskId)) ?? [])).map(({ text }) => text);

    test('of a program that keeps crashing is kept of more tasks than the engine remembers', async () => {
      const name = uniqueName('crashing');
      const steps: Step[] = [
        { do: 'say', text: 'it begins' },
        { do: 'say', text: 'it breaks', on: 'stderr' },
        { do: 'exit', code: 3 },
      ];
      const owner = await release(name, steps, { restartDelayMs: 300 });
      const kept = await until(
        'eight ended tasks are kept',
        async () => {
          const tasks = await outputs.tasks(owner);
          return tasks.length >= 8 && tasks;
        },
        120_000,
      );
      expect((await engine.tasks(name)).length).toBeLessThan(kept.length);
      for (const task of kept) {
        expect(task).toMatchObject({
          taskId: expect.stringMatching(/^[a-z0-9]{25}$/),
          nodeId: (await engine.info()).nodeId,
          serviceName: null,
          deploymentId: 'first',
          exitCode: 3,
          reason: 'Its program ended with exit code 3.',
          endedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        });
        expect((await textsOf(owner, task)).toSorted()).toEqual(['it begins', 'it breaks']);
      }
      const times = kept.map(({ endedAt }) => endedAt);
      expect(times).toEqual(times.toSorted().toReversed());
    });

    test('of a former release stays, with its deployment', async () => {
      const name = uniqueName('released');
      const said = (text: string): Step[] => [{ do: 'obeyStop' }, { do: 'say', text }, { do: 'stay' }];
      const owner = await release(name, said('the first'));
      await until(
        'it speaks',
        async () => (await Array.fromAsync(engine.serviceLogs(name, {}))).length === 1,
      );
      await release(name, said('the second'), { release: 'second' });
      const [former] = await until('it is kept', async () => {
        const tasks = await outputs.tasks(owner);
        return tasks.length > 0 && tasks;
      });
      expect(former).toMatchObject({ deploymentId: 'first', reason: null });
      expect(former && (await textsOf(owner, former))).toEqual(['the first']);
    });

    test('of a service that is stopped stays, though the engine forgets it at once', async () => {
      const name = uniqueName('stopped');
      const owner = await release(name, [
        { do: 'obeyStop' },
        { do: 'say', text: 'to the end' },
        { do: 'stay' },
      ]);
      await until(
        'it speaks',
        async () => (await Array.fromAsync(engine.serviceLogs(name, {}))).length === 1,
      );
      await keeper.beforeStop(name);
      await engine.scaleService(name, 0);
      await until('it is gone', async () => (await engine.tasks(name)).length === 0);
      await keeper.settled();
      const [task, ...others] = await outputs.tasks(owner);
      expect(others).toEqual([]);
      expect(task).toMatchObject({ deploymentId: 'first', exitCode: null, reason: null });
      expect(task && (await textsOf(owner, task))).toEqual(['to the end']);
    });

    test('of a service that is removed before it is read is gone, and that is no fault', async () => {
      const name = uniqueName('removed');
      await release(name, [{ do: 'exit', code: 1 }], { restartDelayMs: 60_000 });
      const found = await until('it has ended', async () => {
        const { service, tasks } = await engine.serviceWithTasks(name);
        return service && tasks.some(({ state }) => state === 'failed') && { service, tasks };
      });
      await engine.removeService(name);
      await until('its tasks are gone', async () => (await engine.tasks(name)).length === 0);
      const late: unknown[] = [];
      const onFault = (error: unknown): void => void late.push(error);
      const ofOthers = createEndedOutputs(join(folder, 'late'), async () => MiB);
      const reader = createEndedOutputKeeper({
        engine,
        view,
        outputs: ofOthers,
        now: systemClock.now,
        onFault,
      });
      reader.note(found);
      await reader.settled();
      await reader.stop();
      expect(late).toEqual([]);
    });
  });
}
