import { setImmediate as answered } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { AppError } from '../../domain/errors.ts';
import { machineDisks } from './disks.ts';
import type { SourcePorts } from './sources.ts';

const minuteMs = 60_000;
const { engine } = createEngineInMemory();
const clock = { time: 0, now: () => clock.time };
const far = {
  free: 50,
  asked: 0,
  silent: undefined as string | undefined,
  fault: undefined as Error | undefined,
  isThere: true,
};
let faults: unknown[];
let disks: SourcePorts['disks'];

beforeEach(() => {
  Object.assign(clock, { time: 0 });
  Object.assign(far, { free: 50, asked: 0, silent: undefined, fault: undefined, isThere: true });
  faults = [];
  const host = {
    key: 'far',
    engine,
    whySilent: () => far.silent,
    async freeBytes(folder: string) {
      expect(folder).toBe('/var/lib/docker');
      far.asked += 1;
      if (far.fault) throw far.fault;
      return far.free;
    },
  };
  disks = machineDisks({
    hosts: { all: async () => [{ key: 'local', engine }, ...(far.isThere ? [host] : [])] },
    servers: {
      list: async () => [{ serverId: 'far', name: 'frankfurt', organizationId: 'theirs' }],
    },
    installation: async () => 'first',
    freeBytes: async () => 70,
    clock,
    onFault: (error) => void faults.push(error),
  });
});

const own = { id: 'local', name: 'Berth’s machine', organizationId: 'first', free: 70 };
const farDisk = (free: number) => ({ id: 'far', name: 'frankfurt', organizationId: 'theirs', free });

/** Looks until the server has been asked so often and has answered. */
async function known(asked: number): Promise<unknown> {
  await expect.poll(async () => [await disks(), far.asked].at(-1)).toBe(asked);
  await answered();
  return disks();
}

it('are those of Berth’s machine and of each server, which is asked each five minutes', async () => {
  expect(await disks()).toEqual([own]);
  expect(await known(1)).toEqual([own, farDisk(50)]);
  far.free = 20;
  clock.time += 4 * minuteMs;
  expect(await known(1)).toEqual([own, farDisk(50)]);
  clock.time += minuteMs;
  expect(await known(2)).toEqual([own, farDisk(20)]);
  expect(faults).toEqual([]);
});

it('are what a server said last while it is away, and nothing once it is gone', async () => {
  await known(1);
  clock.time += 6 * minuteMs;
  far.silent = 'It cannot be reached.';
  expect(await known(1)).toEqual([own, farDisk(50)]);
  far.silent = undefined;
  far.fault = new AppError('SERVICE_UNAVAILABLE', 'The connection broke.');
  expect(await known(2)).toEqual([own, farDisk(50)]);
  expect(faults).toEqual([]);
  far.fault = new Error('There is no such folder.');
  clock.time += 6 * minuteMs;
  expect(await known(3)).toEqual([own, farDisk(50)]);
  expect(faults).toEqual([far.fault]);
  far.isThere = false;
  expect(await disks()).toEqual([own]);
});
