import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { nodeImage, stepService, until } from '../../../../test/engine-suite/fixture.ts';
import { nodeProgram } from '../../../../test/engine-in-memory/programs/steps-program.ts';
import { unixPrograms } from '../../../../test/engine-in-memory/programs/programs.ts';
import { installVirtualTime } from '../../../../test/virtual-time/virtual-time.ts';
import type { Live, RunningDeployment } from '../../domain/states/live.ts';
import { systemClock } from '../../ports/clock.ts';
import { createObserver } from './observer.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

function begin(deployments: Record<string, Partial<RunningDeployment>>) {
  const memory = createEngineInMemory();
  memory.addImage(nodeImage, {
    programs: { ...unixPrograms, node: nodeProgram },
    command: ['node'],
    sizeBytes: 1,
  });
  const shown = new Map<string, Live>();
  const problems: string[] = [];
  const asked: string[] = [];
  const observer = createObserver({
    engine: memory.engine,
    clock: systemClock,
    shown,
    async deploymentOf(deploymentId) {
      asked.push(deploymentId);
      const found = deployments[deploymentId];
      return found && { commit: null, image: null, isDone: true, createdAt: deploymentId, ...found };
    },
    onProblem: (problem) => void problems.push(problem),
    onFault(error) {
      throw error;
    },
    fullLookMs: 5000,
  });
  return { ...memory, shown, problems, asked, observer };
}

const labels = { 'berth.test': 'true', 'berth.application': 'web' };

test('an engine that goes away leaves what it ran, with when it was last seen, and comes back', async () => {
  const { engine, observer, shown, setAway, asked } = begin({ one: {} });
  observer.start();
  await engine.applyService(stepService('web', [{ do: 'stay' }], { labels, release: 'one' }));
  await until('it runs', async () => shown.get('application:web')?.running === 1);
  setAway(true);
  await until('it is missed', async () => shown.get('application:web')?.unreachableSince !== null);
  expect(shown.get('application:web')).toMatchObject({
    deploymentId: 'one',
    running: 1,
    unreachableSince: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  setAway(false);
  await until('it is seen again', async () => shown.get('application:web')?.unreachableSince === null);
  expect(asked).toEqual(['one']);
  await observer.stop();
});

test('a first deployment that failed leaves nothing, and is no trouble of a release', async () => {
  const { engine, observer, shown, problems } = begin({ one: { isDone: false } });
  await engine.applyService(
    stepService('web', [{ do: 'exit', code: 1 }], { labels, release: 'one', restartDelayMs: 100 }),
  );
  await until('it ended three times', async () => {
    const ended = (await engine.tasks('web')).filter(({ state }) => state === 'failed');
    return ended.length >= 3;
  });
  await observer.look();
  expect(shown.get('application:web')).toBeUndefined();
  expect(problems).toEqual([]);
  await engine.scaleService('web', 0);
  await observer.look();
  expect(shown.size).toBe(0);
  await observer.stop();
});

test('a crash loop is over when somebody stops the service, and is none at its next start', async () => {
  const { engine, observer, shown } = begin({ one: {} });
  await engine.applyService(
    stepService('web', [{ do: 'exit', code: 1 }], { labels, release: 'one', restartDelayMs: 100 }),
  );
  const problem = async (): Promise<unknown> => {
    await observer.look();
    return shown.get('application:web')?.problem;
  };
  await until('it loops', async () => (await problem()) !== null);
  await engine.scaleService('web', 0);
  expect(await problem()).toBeNull();
  await engine.scaleService('web', 1);
  expect(await problem()).toBeNull();
  await until('it loops again', async () => (await problem()) !== null);
  await observer.stop();
});

test('the services of a compose are one', async () => {
  const { engine, observer, shown } = begin({
    one: { createdAt: '1' },
    two: { createdAt: '2', commit: 'abc' },
  });
  const ofShop = { 'berth.test': 'true', 'berth.compose': 'shop' };
  await engine.applyService(stepService('shop_db', [{ do: 'stay' }], { labels: ofShop, release: 'one' }));
  await engine.applyService(
    stepService('shop_web', [{ do: 'stay' }], { labels: ofShop, release: 'two', replicas: 2 }),
  );
  await until('all run', async () => {
    await observer.look();
    return shown.get('compose:shop')?.running === 3;
  });
  expect(shown.get('compose:shop')).toMatchObject({
    deploymentId: 'two',
    commit: 'abc',
    image: null,
    desired: 3,
    restarts: 0,
  });
  await observer.stop();
});

test('an engine that hangs holds up no end', async () => {
  const { engine } = createEngineInMemory();
  const asked = Promise.withResolvers<void>();
  const observer = createObserver({
    engine: {
      ...engine,
      servicesWithTasks() {
        asked.resolve();
        return new Promise(() => undefined);
      },
    },
    clock: systemClock,
    shown: new Map(),
    deploymentOf: async () => undefined,
    onProblem: () => undefined,
    onFault(error) {
      throw error;
    },
  });
  observer.start();
  await asked.promise;
  await expect(observer.stop()).resolves.toBeUndefined();
});
