/** Ways for a service to be ill, on the engine in memory: what it is in by the observer, and why. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEngineInMemory } from '../../../test/engine-in-memory/engine-in-memory.ts';
import { nodeProgram } from '../../../test/engine-in-memory/programs/steps-program.ts';
import { unixPrograms } from '../../../test/engine-in-memory/programs/programs.ts';
import { nodeImage, stepService, until } from '../../../test/engine-suite/fixture.ts';
import type { Step } from '../../../test/engine-suite/steps.ts';
import { installVirtualTime } from '../../../test/virtual-time/virtual-time.ts';
import { conditionOf, type ConditionVerdict } from '../domain/states/condition.ts';
import type { Live } from '../domain/states/live.ts';
import { systemClock } from '../ports/clock.ts';
import type { ServiceSpec } from '../ports/engine/engine.ts';
import { createObserver } from './observing/observer.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

const labels = { 'berth.test': 'true', 'berth.application': 'web' };

async function begin(steps: readonly Step[], change: Partial<ServiceSpec> = {}) {
  const memory = createEngineInMemory();
  memory.addImage(nodeImage, {
    programs: { ...unixPrograms, node: nodeProgram },
    command: ['node'],
    sizeBytes: 1,
  });
  const shown = new Map<string, Live>();
  const observer = createObserver({
    engine: memory.engine,
    clock: systemClock,
    shown,
    deploymentOf: async () => ({ commit: null, image: null, isDone: true, createdAt: '1' }),
    onProblem: () => undefined,
    onFault(error) {
      throw error;
    },
    isWatched: () => true,
  });
  observer.start();
  const spec = stepService('web', steps, { labels, release: 'one', restartDelayMs: 500, ...change });
  await memory.engine.applyService(spec);
  const now = (): ConditionVerdict =>
    conditionOf(
      {
        isReleased: true,
        isStopped: false,
        live: shown.get('application:web') ?? null,
        host: observer.sight(),
      },
      systemClock.now(),
    );
  return {
    ...memory,
    observer,
    now,
    untilIt: (is: ConditionVerdict['condition']) =>
      until(`it is ${is}`, async () => now().condition === is && now(), 300_000),
  };
}

const ways: Record<string, { steps: readonly Step[]; change?: Partial<ServiceSpec>; reason: RegExp }> = {
  'it ends again and again': {
    steps: [{ do: 'exit', code: 3 }],
    reason: /exit code 3/,
  },
  'it ends in good order': { steps: [{ do: 'exit', code: 0 }], reason: /exit code 0/ },
  'its memory is not enough': {
    steps: [{ do: 'eat', bytes: 64 * 1024 * 1024 }],
    reason: /memory/,
  },
  'no node can take it': {
    steps: [],
    change: { constraints: ['node.labels.absent==true'] },
    reason: /no suitable node/,
  },
};

test.each(Object.entries(ways))(
  'a service is down and says why when %s',
  async (_, { steps, change, reason }) => {
    const { untilIt, observer, now } = await begin(steps, change);
    await untilIt('down');
    await until('the reason is told', async () => reason.test(now().reason ?? ''), 300_000);
    expect(now()).toEqual({ condition: 'down', reason: expect.stringMatching(reason) });
    await observer.stop();
  },
);

test('one that is killed is down until its next task runs, and up again', async () => {
  const { untilIt, observer, state } = await begin([{ do: 'stay' }], { restartDelayMs: 20_000 });
  await untilIt('up');
  for (const container of state.containers.values()) container.process?.kill(137);
  expect((await untilIt('down')).reason).toMatch(/137/);
  await untilIt('up');
  await observer.stop();
});

test('one that has fewer tasks than it should is degraded', async () => {
  const { untilIt, observer, state } = await begin([{ do: 'stay' }], { replicas: 2, restartDelayMs: 30_000 });
  await untilIt('up');
  [...state.containers.values()][0]?.process?.kill(137);
  expect((await untilIt('degraded')).reason).toMatch(/137/);
  await untilIt('up');
  await observer.stop();
});

test('one that is scaled to nothing is stopped; one that the engine lost is down', async () => {
  const { untilIt, observer, engine } = await begin([{ do: 'stay' }]);
  await untilIt('up');
  await engine.scaleService('web', 0);
  expect(await untilIt('stopped')).toEqual({ condition: 'stopped', reason: null });
  await engine.removeService('web');
  expect((await untilIt('down')).reason).toMatch(/no longer has its service/);
  await observer.stop();
});

test('an engine that does not answer makes it unreachable, and no more than that', async () => {
  const { untilIt, observer, setAway } = await begin([{ do: 'stay' }]);
  await untilIt('up');
  setAway(true);
  expect((await untilIt('unreachable')).reason).toMatch(/has not answered since \d{4}-/);
  setAway(false);
  await untilIt('up');
  await observer.stop();
});
