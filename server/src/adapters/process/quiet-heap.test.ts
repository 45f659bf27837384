import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { flagsOnceLoaded, nodeFlags } from '../../domain/resources/node-flags.ts';
import { createQuietHeap } from './quiet-heap.ts';

const megabyte = 1024 * 1024;

/** A heap of so many megabytes, and what V8 was told. */
function heapOf(taken: number) {
  const state = { taken, busy: 0, told: [] as string[] };
  const heap = createQuietHeap({
    takenBytes: () => state.taken * megabyte,
    busyShare: () => state.busy,
    setFlag: (flag) => void state.told.push(flag),
  });
  return { state, look: heap.look };
}

test('tells V8 to favour size once little is done, until the next look', () => {
  const { state, look } = heapOf(30);
  Object.assign(state, { taken: 70, busy: 0.9 });
  look();
  expect(state.told).toEqual([]);
  state.busy = 0.02;
  look();
  expect(state.told).toEqual(['--optimize-for-size']);
  state.taken = 31;
  look();
  expect(state.told).toEqual(['--optimize-for-size', '--no-optimize-for-size']);
  look();
  expect(state.told).toHaveLength(2);
});

test('leaves a heap alone whose records live, until there is more again', () => {
  const { state, look } = heapOf(30);
  state.taken = 70;
  look();
  // Nothing could be given back.
  look();
  state.taken = 75;
  look();
  expect(state.told).toHaveLength(2);
  state.taken = 79;
  look();
  expect(state.told).toHaveLength(3);
});

test('counts from what V8 gave back by itself', () => {
  const { state, look } = heapOf(60);
  state.taken = 30;
  look();
  state.taken = 40;
  look();
  expect(state.told).toEqual(['--optimize-for-size']);
});

test('gives back what a load has left that began while V8 favoured size', () => {
  const { state, look } = heapOf(30);
  state.taken = 40;
  look();
  expect(state.told).toEqual(['--optimize-for-size']);
  Object.assign(state, { taken: 120, busy: 0.9 });
  look();
  expect(state.told).toEqual(['--optimize-for-size', '--no-optimize-for-size']);
  // The load is over, and most of the 120 MB are its garbage.
  state.busy = 0.02;
  for (let looks = 0; looks < 5; looks += 1) look();
  expect(state.told[2]).toBe('--optimize-for-size');
});

/** Allocates for two seconds as a load does, then little, but steadily, as loops do; tells what is taken. */
const program = `
  import { setFlagsFromString } from 'node:v8';
  import { keepHeapSmall } from '${new URL('./quiet-heap.ts', import.meta.url).href}';
  for (const flag of ${JSON.stringify(flagsOnceLoaded)}) setFlagsFromString(flag);
  const live = Array.from({ length: 40_000 }, (_, index) => ({ name: 'service ' + index, at: [index] }));
  keepHeapSmall();
  let pending = [];
  for (const end = Date.now() + 2000; Date.now() < end; ) {
    for (let count = 0; count < 400; count += 1) pending.push({ count, text: ['a', String(count)] });
    if (pending.length > 200_000) pending = pending.slice(100_000);
  }
  pending = [];
  setInterval(() => live.slice(0, 400).map((one) => ({ ...one })), 500);
  setInterval(() => console.log(process.memoryUsage().heapTotal), 200);
`;

test('V8 gives back at least a third of what a load has made it take', async () => {
  const child = spawn(process.execPath, [...nodeFlags, '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let [most, present] = [0, 0];
    for await (const line of createInterface(child.stdout)) {
      present = Number(line);
      most = Math.max(most, present);
      if (present < (most * 2) / 3) break;
    }
    expect(present).toBeLessThan((most * 2) / 3);
  } finally {
    child.kill('SIGKILL');
  }
});
