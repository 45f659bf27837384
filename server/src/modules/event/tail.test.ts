import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installVirtualTime } from '../../../../test/virtual-time/virtual-time.ts';
import { pageSize, type EventRecord, type EventStore } from './store.ts';
import { createTail, type Tail } from './tail.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

const never = new AbortController().signal;

/** Events in memory; `write` is by this process, `elsewhere` by another one on the same database. */
function world() {
  const stored: EventRecord[] = [];
  const listeners = new Set<() => void>();
  const faults: unknown[] = [];
  const state = { reads: 0, fault: undefined as Error | undefined };
  const elsewhere = (count = 1): void => {
    // Of an event, the tail knows its position alone.
    for (let one = 0; one < count; one += 1) stored.push({ position: stored.length + 1 } as EventRecord);
  };
  const store = {
    async head() {
      if (state.fault) throw state.fault;
      return stored.length;
    },
    async after(position: number) {
      state.reads += 1;
      return stored.slice(position, position + pageSize);
    },
    onTold(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const tail: Tail = createTail(store as unknown as EventStore, (error) => void faults.push(error));
  return {
    tail,
    state,
    faults,
    listeners,
    elsewhere,
    write(count = 1) {
      elsewhere(count);
      for (const listener of listeners) listener();
    },
  };
}

const positions = (events: readonly EventRecord[]): number[] => events.map(({ position }) => position);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

it('wakes whoever waits as soon as something comes, and reads it once for all of them', async () => {
  const { tail, write, state } = world();
  const readers = Array.from({ length: 20 }, () => tail.join(never));
  const waits = readers.map((reader) => reader.wait(0));
  await pause(100);
  write(3);
  await Promise.all(waits);
  state.reads = 0;
  for (const reader of readers) expect(positions(await reader.after(0))).toEqual([1, 2, 3]);
  expect(state.reads).toBe(0);
  await readers[0]?.wait(2);
});

it('sees within a second what another process has written', async () => {
  const { tail, elsewhere } = world();
  const reader = tail.join(never);
  const waits = reader.wait(0);
  await pause(100);
  elsewhere();
  const began = Date.now();
  await waits;
  expect(Date.now() - began).toBeLessThanOrEqual(1000);
  expect(positions(await reader.after(0))).toEqual([1]);
});

it('gives events in their order, page by page, to whoever is far behind', async () => {
  const { tail, write } = world();
  write(10);
  const reader = tail.join(never);
  const waits = reader.wait(10);
  await pause(100);
  write(2 * pageSize + 5);
  await waits;
  await pause(1000);
  const found: number[] = [];
  for (let page = await reader.after(0); page.length > 0; page = await reader.after(found.length)) {
    expect(page.length).toBeLessThanOrEqual(pageSize);
    found.push(...positions(page));
  }
  expect(found).toEqual(upTo(2 * pageSize + 15));
  // One of those just before what is kept in memory.
  expect(positions(await reader.after(9))[0]).toBe(10);
});

it('lets go of whoever has left, and of the database with the last of them', async () => {
  const { tail, write, listeners } = world();
  const leaving = new AbortController();
  const [one, other] = [tail.join(leaving.signal), tail.join(never)];
  const waits = one.wait(0);
  await pause(100);
  leaving.abort();
  await waits;
  expect([one.isOver(), other.isOver(), tail.readers()]).toEqual([true, false, 2]);
  await one.wait(99);
  one.leave();
  one.leave();
  expect([tail.readers(), listeners.size]).toEqual([1, 1]);
  other.leave();
  expect([tail.readers(), listeners.size]).toEqual([0, 0]);
  write(2);
  const again = tail.join(never);
  await pause(100);
  expect(positions(await again.after(0))).toEqual([1, 2]);
});

it('goes on when the database could not be read for a while', async () => {
  const { tail, state, faults, elsewhere } = world();
  state.fault = new Error('The database is away.');
  const reader = tail.join(never);
  const waits = reader.wait(0);
  await pause(3500);
  expect(faults.length).toBeGreaterThan(1);
  state.fault = undefined;
  await pause(2000);
  elsewhere();
  await waits;
  expect(positions(await reader.after(0))).toEqual([1]);
});
