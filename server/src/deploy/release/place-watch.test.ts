import { expect, test } from 'vitest';
import type { TaskState } from '../../ports/engine/engine.ts';
import { createPlaceWatch } from './place-watch.ts';

const task = (change: Partial<TaskState>): TaskState => ({
  id: 't',
  nodeId: '',
  slot: 1,
  image: 'berth/app:1',
  state: 'pending',
  desiredState: 'running',
  error: 'no suitable node (scheduling constraints not satisfied on 1 node)',
  exitCode: undefined,
  containerId: undefined,
  createdAt: '',
  stateAt: '',
  generation: 'new.0',
  release: undefined,
  ...change,
});

/** What it says after each look, a second apart. */
const looked = (looks: readonly TaskState[][]): string | undefined => {
  const watch = createPlaceWatch('new.0');
  return looks
    .map((tasks, at) => watch.look({ service: undefined, tasks, now: at * 1000 }))
    .find((text) => text !== undefined);
};
const often = (tasks: TaskState[], times = 20): TaskState[][] => Array.from({ length: times }, () => tasks);

test('a task that no node takes for 15 s ends the release, with what helps', () => {
  expect(looked(often([task({})]))).toBe(
    'No server takes it: no suitable node (scheduling constraints not satisfied on 1 node). Change its ' +
      'placement constraints, or give a node the label that they ask for.',
  );
  expect(looked(often([task({})], 15))).toBeUndefined();
});

test.each([
  [
    'a replica beside one that runs',
    [task({ state: 'running', error: '' }), task({ id: 'u', slot: 2 })],
    true,
  ],
  [
    'while the former version holds the port',
    [task({}), task({ state: 'running', generation: 'old' })],
    false,
  ],
  ['of the former version', [task({ generation: 'old' })], false],
  ['that is to be ended', [task({ desiredState: 'shutdown' })], false],
  ['that waits for something else', [task({ error: 'starting' })], false],
])('%s: %j', (_, tasks, ends) => {
  expect(looked(often(tasks)) !== undefined).toBe(ends);
});

test('a node that comes back begins the time anew', () => {
  const gone = often([task({})], 10);
  expect(looked([...gone, [task({ state: 'running', error: '' })], ...gone])).toBeUndefined();
});
