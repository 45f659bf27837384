/** Ways for a service to be ill, on the engine in memory: what it is in by the observer, and why. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killContainer } from '../../../test/engine-in-memory/containers.ts';
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

/** So soon the condition follows its cause, whether somebody watches or not; in virtual time. */
const soonMs = 10_000;

async function begin(steps: readonly Step[], change: Partial<ServiceSpec> = {}, isWatched = true) {
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
    isWatched: () => isWatched,
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
  const untilIt = (is: ConditionVerdict['condition']): Promise<ConditionVerdict> =>
    until(`it is ${is}`, async () => now().condition === is && now(), 300_000);
  return {
    ...memory,
    observer,
    now,
    untilIt,
    /** How many ms after the cause, which is now, it is in that condition for that reason. */
    async soon(is: ConditionVerdict['condition'], reason: RegExp): Promise<number> {
      const begun = Date.now();
      const fits = (): boolean => now().condition === is && reason.test(now().reason ?? '');
      await until(`it is ${is} for ${reason}`, async () => fits(), 300_000);
      return Date.now() - begun;
    },
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
  'the registry of its image is gone': {
    steps: [],
    change: { image: 'registry.example.com/gone:1' },
    reason: /could not run it: .*registry\.example\.com/,
  },
  'it never becomes healthy': {
    steps: [{ do: 'stay' }],
    change: {
      healthCheck: { test: ['CMD', 'false'], intervalMs: 500, timeoutMs: 500, retries: 2, startPeriodMs: 0 },
    },
    reason: /health/,
  },
};

const eachWay = Object.entries(ways).flatMap(([way, given]) => [
  { way, ...given, isWatched: true, who: 'somebody watches' },
  { way, ...given, isWatched: false, who: 'nobody watches' },
]);

test.each(eachWay)(
  'a service is down within 10 s and says why when $way, and $who',
  async ({ steps, change, reason, isWatched }) => {
    const { soon, observer } = await begin(steps, change, isWatched);
    expect(await soon('down', reason)).toBeLessThanOrEqual(soonMs);
    await observer.stop();
  },
);

test('a service whose work is done is not down', async () => {
  const { observer, untilIt } = await begin([{ do: 'exit', code: 0 }], { restart: 'on-failure' });
  expect(await untilIt('stopped')).toEqual({ condition: 'stopped', reason: null });
  await observer.stop();
});

/** What is done to one that is up. */
const changes: Record<
  string,
  {
    change?: Partial<ServiceSpec>;
    cause(memory: Awaited<ReturnType<typeof begin>>): unknown;
    condition: ConditionVerdict['condition'];
    reason: RegExp;
  }
> = {
  'its program is killed': {
    change: { restartDelayMs: 60_000 },
    cause: ({ state }) => {
      for (const container of state.containers.values()) container.process?.kill(137);
    },
    condition: 'down',
    reason: /137/,
  },
  'one of its two tasks is killed': {
    change: { replicas: 2, restartDelayMs: 60_000 },
    cause: ({ state }) => [...state.containers.values()][0]?.process?.kill(137),
    condition: 'degraded',
    reason: /137/,
  },
  'the port of one more is taken': {
    change: { ports: [{ published: 8099, target: 80, protocol: 'tcp', mode: 'host' }] },
    cause: ({ engine }) => engine.scaleService('web', 2),
    condition: 'degraded',
    reason: /port already in use/,
  },
  'it is scaled to nothing': {
    cause: ({ engine }) => engine.scaleService('web', 0),
    condition: 'stopped',
    reason: /^$/,
  },
  'the engine lost it': {
    cause: ({ engine }) => engine.removeService('web'),
    condition: 'down',
    reason: /no longer has its service/,
  },
  'the node that it stays on is gone': {
    change: { constraints: ['node.hostname==memory'], restartDelayMs: 500 },
    cause({ state }) {
      state.hostname = 'another';
      for (const container of state.containers.values()) killContainer(container);
    },
    condition: 'down',
    reason: /no suitable node/,
  },
  'the engine does not answer': {
    cause: ({ setAway }) => setAway(true),
    condition: 'unreachable',
    reason: /has not answered since \d{4}-/,
  },
};

test.each(
  Object.entries(changes).flatMap(([way, given]) => [
    { way, ...given, isWatched: true, who: 'somebody watches' },
    { way, ...given, isWatched: false, who: 'nobody watches' },
  ]),
)('one that is up is $condition within 10 s when $way, and $who', async (given) => {
  const memory = await begin([{ do: 'stay' }], given.change, given.isWatched);
  await memory.untilIt('up');
  await given.cause(memory);
  expect(await memory.soon(given.condition, given.reason)).toBeLessThanOrEqual(soonMs);
  await memory.observer.stop();
});

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
