/** The engine's suite on a real engine: what it says of tasks holds there, and so in memory. */
import { testInstallation } from '../../installation.ts';
import { afterAll, expect, inject, test } from 'vitest';
import { createSwarmEngine } from '../../../server/src/adapters/engine/swarm.ts';
import { stepService, uniqueName, until } from '../../engine-suite/fixture.ts';
import { tasksSuite } from '../../engine-suite/tasks.ts';
import { bedEngine } from './engine-fixture.ts';

const { engine } = bedEngine();
const name = uniqueName('flood');
afterAll(() => engine.removeService(name));

tasksSuite(bedEngine());

test('a task that says 16 MB in one breath gives every line once', async () => {
  const numbers: number[] = [];
  await engine.runTask(
    stepService(uniqueName('breath'), [{ do: 'count', text: 'x'.repeat(200), times: 80_000 }]),
    {
      signal: new AbortController().signal,
      limitMs: 60_000,
      onLine: ({ text }) => void numbers.push(Number(text.slice(text.lastIndexOf(' ') + 1))),
    },
  );
  expect(numbers).toEqual(Array.from({ length: 80_000 }, (_, index) => index));
});

test('a log is read up to a number of bytes, the newest, and says what is left out', async () => {
  const narrow = createSwarmEngine({
    installation: testInstallation,
    socketPath: inject('servers').m1.engineSocket,
    logAnswerBytes: async () => 50_000,
  });
  await engine.applyService(stepService(name, [{ do: 'count', text: 'line', times: 3000 }, { do: 'stay' }]));
  const [first, ...lines] = await until('the whole log', async () => {
    const all = await Array.fromAsync(narrow.serviceLogs(name, { tail: 5_000 }));
    return all.at(-1)?.text === 'line 2999' && all;
  });
  expect(first?.text).toMatch(/earlier lines are left out: one answer shows at most 50,000 bytes/);
  expect(lines.length).toBeGreaterThan(500);
  expect(lines.map(({ text }) => text)).toEqual(
    Array.from({ length: lines.length }, (_, index) => `line ${3000 - lines.length + index}`),
  );
});
