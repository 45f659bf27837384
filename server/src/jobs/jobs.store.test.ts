import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { bothDatabases } from '../../../test/store/each-database.ts';
import type { JobRecord } from '../db/tables.ts';
import { systemClock } from '../ports/clock.ts';
import { fillsKey, type Queue } from '../ports/queue.ts';
import { createQueue } from './queue.ts';
import { createSlotStore, type SlotStore } from './slot-store.ts';
import { createJobStore, type JobStore } from './store.ts';
import { createWorker, type WorkerOptions } from './worker.ts';

const leaseMs = 1000;

bothDatabases('the job queue', ({ open }) => {
  async function queue(...serviceKeys: string[]): Promise<{
    store: JobStore;
    slots: SlotStore;
    ids: string[];
    jobs: Queue;
    cancelQueued(serviceKey: string): Promise<unknown[]>;
  }> {
    const database = await open();
    const store = createJobStore(database);
    const jobs = createQueue(store, systemClock, () => undefined);
    const ids = [];
    for (const serviceKey of serviceKeys)
      ids.push(
        await jobs.enqueue({
          kind: 'deployment',
          payload: { deploymentId: `of ${serviceKey}` },
          serviceKey,
          serverKey: 'local',
        }),
      );
    return { store, slots: createSlotStore(database), ids, jobs, cancelQueued: jobs.cancelQueued };
  }
  const claim = async (
    store: JobStore,
    overrides: {
      worker?: string;
      now?: number;
      perServer?: number;
      backups?: number;
      except?: string[];
    } = {},
  ): Promise<string | undefined> => {
    const { now = 10_000, worker = 'w', perServer = 5, backups = 1, except = [] } = overrides;
    const limits = { perServer, backups, fills: 3 };
    return (await store.claim({ worker, now, leaseUntil: now + leaseMs, ...limits, except }))?.jobId;
  };

  it('gives the oldest job first, one at a time of each service, and no more than a server has', async () => {
    const { store, ids } = await queue('a', 'a', 'b', 'c');
    expect(await claim(store, { perServer: 2 })).toBe(ids[0]);
    expect(await claim(store, { perServer: 2 })).toBe(ids[2]);
    expect(await claim(store, { perServer: 2 })).toBeUndefined();
    expect(await store.finish(ids[0] ?? '', 'w')).toBe(true);
    expect(await claim(store, { perServer: 2 })).toBe(ids[1]);
    expect(await claim(store)).toBe(ids[3]);
  });

  it('gives each job once to workers that ask at the same time', async () => {
    const { store, ids } = await queue('a', 'b', 'c', 'd');
    const taken = await Promise.all(
      Array.from({ length: 8 }, (_, index) => claim(store, { worker: `w${index}` })),
    );
    const given = taken.filter((id) => id !== undefined);
    expect(new Set(given).size).toBe(given.length);
    while (given.length < 4) given.push((await claim(store)) ?? 'none');
    expect(given.toSorted()).toEqual(ids.toSorted());
  });

  it('gives a job again when its lease has run out, but never to the worker that still runs it', async () => {
    const { store, ids } = await queue('a');
    const [id = ''] = ids;
    expect(await claim(store, { worker: 'first' })).toBe(id);
    expect(await claim(store, { worker: 'other', now: 10_000 + leaseMs - 1 })).toBeUndefined();
    expect(await claim(store, { worker: 'first', now: 20_000, except: [id] })).toBeUndefined();
    expect(await store.heartbeat(id, 'first', 20_000 + leaseMs)).toBe(true);
    expect(await claim(store, { worker: 'other', now: 30_000 })).toBe(id);
    expect(await store.heartbeat(id, 'first', 99_000)).toBe(false);
    expect(await store.finish(id, 'first')).toBe(false);
    expect((await store.find({ jobId: id }))?.attempts).toBe(2);
  });

  it('cancels what waits and nothing that runs; gives up all leases at a start', async () => {
    const { store, ids, cancelQueued } = await queue('a', 'a', 'b');
    expect(await claim(store)).toBe(ids[0]);
    expect(await cancelQueued('a')).toEqual([{ deploymentId: 'of a' }]);
    expect(await store.releaseAll()).toBe(1);
    expect(await claim(store, { worker: 'next' })).toBe(ids[0]);
    expect(await claim(store, { worker: 'next' })).toBe(ids[2]);
    expect(await claim(store, { worker: 'next' })).toBeUndefined();
  });

  it('a worker stops the job whose lease it lost, and leaves the row to whoever has it', async () => {
    const { store, ids } = await queue('a');
    const [id = ''] = ids;
    const outcome = Promise.withResolvers<unknown>();
    const worker = createWorker(
      options(store, async (_, signal) => {
        await store.update({ jobId: id }, { worker: 'another', leaseUntil: Date.now() + 60_000 });
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        outcome.resolve(signal.reason);
      }),
    );
    worker.start();
    expect(String(await outcome.promise)).toContain('lease of this job was lost');
    await worker.stop(60_000);
    expect(await store.find({ jobId: id })).toMatchObject({ state: 'running', worker: 'another' });
  });

  it('a job whose handler fails is reported, and tried again when its lease has run out', async () => {
    const { store, ids } = await queue('a');
    const faults: string[] = [];
    let tries = 0;
    const handler = async (): Promise<void> => {
      tries += 1;
      if (tries === 1) throw new Error('no disk');
    };
    const worker = createWorker({
      ...options(store, handler),
      onFault: (error) => void faults.push(String(error)),
    });
    worker.start();
    for (let left = 100; left > 0 && (await store.find({ jobId: ids[0] ?? '' }))?.state !== 'done'; left -= 1)
      await pause(50);
    await worker.stop(60_000);
    expect({ tries, faults }).toEqual({ tries: 2, faults: ['Error: no disk'] });
    expect(await store.find({ jobId: ids[0] ?? '' })).toMatchObject({ state: 'done', attempts: 2 });
  });

  it('a worker that stops tells its jobs, and the next start goes on with them at once', async () => {
    const { store, ids } = await queue('a');
    const started = Promise.withResolvers<void>();
    const worker = createWorker(
      options(store, async (_, signal) => {
        started.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      }),
    );
    worker.start();
    await started.promise;
    await worker.stop(60_000);
    expect(await store.find({ jobId: ids[0] ?? '' })).toMatchObject({ state: 'running', leaseUntil: 0 });
    expect(await claim(store, { worker: 'next', now: Date.now() })).toBe(ids[0]);
  });

  it('a slot is given in the order of the jobs, never too often, and ends with the lease', async () => {
    const { store, slots, ids } = await queue('a', 'b', 'c');
    const [a, b, c] = await Promise.all(
      ['first', 'second', 'first'].map((worker) =>
        store.claim({
          worker,
          now: 10_000,
          leaseUntil: 11_000,
          perServer: 5,
          backups: 1,
          fills: 3,
          except: [],
        }),
      ),
    );
    const jobs = [a, b, c].filter((job) => job !== undefined).toSorted((x, y) => x.sequence - y.sequence);
    const [first, second, third] = jobs;
    if (!first || !second || !third) throw new Error('not claimed');
    await slots.ask(second);
    await slots.ask(third);
    // One whose job was accepted before them asks after them: still its turn.
    await slots.ask(first);
    expect(await slots.take(third, 2, 10_000)).toBe(false);
    expect(await slots.take(second, 2, 10_000)).toBe(false);
    expect(await slots.take(first, 2, 10_000)).toBe(true);
    expect((await slots.ahead(third, 10_000)).map(({ jobId }) => jobId)).toEqual([ids[0], ids[1]]);
    expect(await slots.take(second, 1, 10_000)).toBe(false);
    expect(await slots.take(second, 2, 10_000)).toBe(true);
    expect(await slots.take(third, 2, 10_000)).toBe(false);
    expect(await slots.give(first)).toBe(true);
    expect(await slots.give(first)).toBe(false);
    expect(await slots.take(third, 2, 10_000)).toBe(true);
    // The lease of both ran out: their slots are free, and a new claim has none.
    expect(await store.heartbeat(first.jobId, first.worker ?? '', 30_000)).toBe(true);
    await slots.ask(first);
    expect(await slots.take(first, 1, 20_000)).toBe(true);
    const again = await store.claim({
      worker: 'third',
      now: 20_000,
      leaseUntil: 21_000,
      perServer: 5,
      backups: 1,
      fills: 3,
      except: [],
    });
    expect(again).toMatchObject({ jobId: second.jobId, slot: 'none' });
    expect(await slots.give(second)).toBe(false);
  });

  it('the next slot goes to whose organization has the fewest running builds, then by time', async () => {
    const { store, slots } = await queue('a1', 'a2', 'a3', 'b1', 'c1', 'b2');
    const jobs: (JobRecord & { organizationId: string })[] = [];
    for (let index = 0; index < 6; index += 1) {
      const job = await store.claim({
        worker: 'w',
        now: 10_000,
        leaseUntil: 11_000,
        perServer: 20,
        backups: 1,
        fills: 3,
        except: [],
      });
      // Of whom each is, by the first letter of its service.
      if (job) jobs.push({ ...job, organizationId: job.serviceKey.slice(0, 1) });
    }
    jobs.sort((left, right) => left.sequence - right.sequence);
    for (const job of jobs) await slots.ask(job);
    const holding = async (): Promise<string[]> =>
      (await store.list({ slot: 'held' })).map(({ serviceKey }) => serviceKey).toSorted();
    /** All ask, the last accepted first, and what is free is given until nobody gets any. */
    const give = async (limit: number): Promise<void> => {
      for (let given = true; given; ) {
        given = false;
        for (const job of jobs.toReversed()) given = (await slots.take(job, limit, 10_000)) || given;
      }
    };
    await give(1);
    expect(await holding()).toEqual(['a1']);
    await give(3);
    expect(await holding()).toEqual(['a1', 'b1', 'c1']);
    const last = jobs.at(-1);
    if (!last) throw new Error('not claimed');
    // All three have one: whoever came first.
    expect((await slots.ahead(last, 10_000)).map(({ serviceKey }) => serviceKey)).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'a3',
    ]);
    await slots.give(jobs[3] ?? last);
    await give(3);
    expect(await holding()).toEqual(['a1', 'b2', 'c1']);
    await give(5);
    expect(await holding()).toEqual(['a1', 'a2', 'a3', 'b2', 'c1']);
  });

  it('a slot is given once to processes that ask at the same time', async () => {
    const { store, slots } = await queue(...Array.from({ length: 8 }, (_, index) => `s${index}`));
    const jobs = [];
    for (let index = 0; index < 8; index += 1) {
      const job = await store.claim({
        worker: `w${index}`,
        now: 10_000,
        leaseUntil: 11_000,
        perServer: 20,
        backups: 1,
        fills: 3,
        except: [],
      });
      if (job) jobs.push(job);
    }
    const taken = await Promise.all(
      jobs.toReversed().map(async (job) => {
        await slots.ask(job);
        return slots.take(job, 2, 10_000);
      }),
    );
    expect(taken.filter(Boolean).length).toBeLessThanOrEqual(2);
    for (const job of jobs) await slots.take(job, 2, 10_000);
    expect(await store.list({ slot: 'held' })).toHaveLength(2);
  });

  it('backups wait for each other, not for deployments', async () => {
    // The same queue: another one counts its own numbers, and could meet those of the same millisecond.
    const { store, jobs } = await queue('a');
    for (const serviceKey of ['backup:1', 'backup:2'])
      await jobs.enqueue({ kind: 'backup', payload: {}, serviceKey, serverKey: 'backups' });
    expect(await claim(store)).toBeDefined();
    expect(await claim(store)).toBeDefined();
    expect(await claim(store)).toBeUndefined();
    expect(await claim(store, { backups: 2 })).toBeDefined();
  });

  it('of databases of previews so many are filled at once on a server', async () => {
    const { store, jobs } = await queue();
    for (let index = 0; index < 5; index += 1)
      await jobs.enqueue({
        kind: 'backup',
        payload: {},
        serviceKey: `restore:${index}`,
        serverKey: fillsKey('local'),
      });
    const far = { kind: 'backup', payload: {}, serviceKey: 'restore:far', serverKey: fillsKey('far') };
    const onOther = await jobs.enqueue(far);
    const claimed = [];
    for (let index = 0; index < 5; index += 1) claimed.push(await claim(store));
    expect(claimed.filter(Boolean)).toHaveLength(4);
    expect(claimed).toContain(onOther);
  });

  function options(
    store: JobStore,
    handler: (job: JobRecord, signal: AbortSignal) => Promise<void>,
  ): WorkerOptions {
    return {
      store,
      clock: systemClock,
      handlers: { deployment: handler },
      limits: async () => ({ perServer: 1, backups: 1, fills: 3 }),
      onFault: () => undefined,
      leaseMs: 300,
      pollMs: 50,
    };
  }
});
