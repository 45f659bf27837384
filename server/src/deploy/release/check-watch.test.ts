import { expect, test } from 'vitest';
import type { TaskState } from '../../ports/engine/engine.ts';
import { createCheckWatch } from './check-watch.ts';

const wrongPort =
  "berth: nothing listens on port 8080; the program listens on 3000 (set the domain's port or PORT)";
const loopback =
  'berth: the service listens on port 80 only on the loopback address; make it listen on 0.0.0.0';
const nothing = 'berth: nothing listens on port 8080, nor on any other port';

function task(id = 'a'): TaskState {
  return {
    id,
    nodeId: 'n',
    slot: 1,
    image: 'i',
    error: '',
    exitCode: undefined,
    containerId: `container-${id}`,
    createdAt: '',
    stateAt: '',
    state: 'starting',
    desiredState: 'running',
    generation: 'g',
    release: undefined,
  };
}

/** Looks each second; each answer of the probe stands for as many seconds as are given. */
async function afterEach(answers: readonly (readonly [seconds: number, output: string, id?: string])[]) {
  let now = 0;
  let output = '';
  const log: string[] = [];
  const watch = createCheckWatch({
    engine: { failedCheck: () => Promise.resolve(output) },
    clock: { now: () => now },
    onEvent: ({ words }) => log.push(words),
  });
  for (const [seconds, said, id] of answers) {
    output = said;
    for (let second = 0; second < seconds; second += 1) {
      now += 1000;
      await watch.look(task(id));
    }
  }
  return { elsewhere: watch.elsewhere(), log };
}

test.each([
  [
    'another port for ten seconds',
    [[11, wrongPort]],
    expect.stringContaining('8080; the program listens on 3000'),
  ],
  ['another port for less', [[9, wrongPort]], undefined],
  ['the loopback address for ten seconds', [[11, loopback]], expect.stringContaining('only on the loopback')],
  ['no port at all', [[50, nothing]], undefined],
  [
    'another port, then none',
    [
      [9, wrongPort],
      [1, nothing],
      [9, wrongPort],
    ],
    undefined,
  ],
  [
    'another port in two tasks, each for less',
    [
      [9, wrongPort, 'a'],
      [9, wrongPort, 'b'],
    ],
    undefined,
  ],
  ['words of a check of its own', [[50, 'the program listens on 3000']], undefined],
] as const)('a program that listens on %s', async (_, answers, elsewhere) => {
  expect((await afterEach(answers)).elsewhere).toEqual(elsewhere);
});

test('each reason is logged once, and a loopback listener at once', async () => {
  expect((await afterEach([[30, nothing]])).log).toEqual([nothing.replace('berth: ', '')]);
  expect((await afterEach([[2, loopback]])).log).toHaveLength(1);
});
