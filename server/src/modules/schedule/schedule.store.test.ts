import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { unixPrograms } from '../../../../test/engine-in-memory/programs/programs.ts';
import { nodeProgram } from '../../../../test/engine-in-memory/programs/steps-program.ts';
import { nodeImage, stepService } from '../../../../test/engine-suite/fixture.ts';
import { commandOf, type Step } from '../../../../test/engine-suite/steps.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createFileLogs } from '../../adapters/deployment-log/file-log.ts';
import { quotasOf, sumOf } from '../../deploy/quotas.ts';
import { createStores } from '../../composition/stores.ts';
import { createQueue } from '../../jobs/queue.ts';
import type { Fact } from '../../domain/states/fact.ts';
import { systemClock } from '../../ports/clock.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import { router } from '../../procedure/registry.ts';
import { scheduleContract } from './contract.ts';
import { scheduleHandlers } from './handlers.ts';
import { createScheduleRunner } from './runner.ts';
import { createSchedules, mostSchedules, type Schedules } from './schedule.ts';
import { createScheduleStore } from './store.ts';

const minuteMs = 60_000;
const mebibyte = 1024 * 1024;

interface Scene extends World {
  clock: { time: number; now(): number };
  schedules: Schedules;
  engine: ReturnType<typeof createEngineInMemory>['engine'];
  told: Fact[];
  /** Done before a run has its release. */
  meanwhile: { do(): Promise<void> };
  /** Done while a run is accepted. */
  accepting: { do(): Promise<void> };
  faults: unknown[];
  logs: DeploymentLogs & { folder: string };
  scheduleId: string;
  /** Runs the next job of the queue; false when there is none. */
  work(attempts?: number, signal?: AbortSignal): Promise<boolean>;
  runs(): Promise<Record<string, unknown>[]>;
  log(run: object | undefined): Promise<string>;
}

async function untilThere<T>(find: () => Promise<T[]>): Promise<T[]> {
  for (;;) {
    const found = await find();
    if (found.length > 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

eachDatabase('schedules', (test) => {
  const createWorld = worlds(test);

  async function begin(steps: Step[]): Promise<Scene> {
    const clock = { time: Date.parse('2026-06-01T00:00:30.000Z'), now: () => clock.time };
    const folder = mkdtempSync(join(tmpdir(), 'berth-schedules-'));
    const logs = createFileLogs(folder, systemClock);
    const memory = createEngineInMemory();
    memory.addImage(nodeImage, {
      programs: { ...unixPrograms, node: nodeProgram },
      command: ['node'],
      sizeBytes: 1,
    });
    const told: Fact[] = [];
    const tell = async (fact: Fact): Promise<void> => void told.push(fact);
    const made: { schedules?: Schedules } = {};
    const faults: unknown[] = [];
    const accepting = { do: async (): Promise<void> => undefined };
    const meanwhile = { do: async (): Promise<void> => undefined };
    const world = await createWorld((database) => {
      const store = createScheduleStore(database);
      const queue = createQueue(createStores(database).jobs, clock, () => undefined);
      made.schedules = createSchedules({
        store,
        queue,
        logs,
        clock,
        tell,
        serverKeyOf: async () => {
          await accepting.do();
          return 'local';
        },
        onFault: (error) => void faults.push(error),
      });
      const desk = { schedules: made.schedules, logs, wake: queue.wake };
      return [router('schedule', scheduleContract, scheduleHandlers(desk))];
    });
    const { database, owner, place } = world;
    const stores = createStores(database);
    const runner = createScheduleRunner({
      store: stores.schedules,
      logs,
      clock,
      tell,
      taskLabels: { 'berth.instance': 'one' },
      async released() {
        await meanwhile.do();
        return { engine: memory.engine, spec: stepService('shop', [{ do: 'stay' }]) };
      },
      beginRun: async (schedule, run, spec, begin) => {
        const taken = sumOf([{ replicas: 1, limits: spec.limits }]);
        await quotasOf(stores).beginRun(
          schedule.organizationId,
          { serviceId: run.scheduleRunId, name: schedule.name, ...taken },
          () => begin({ nanoCpus: taken.nanoCpus ?? null, memoryBytes: taken.memoryBytes ?? null }),
        );
      },
      onFault: (error) => String(error),
    });
    if (!made.schedules) throw new Error('no schedules');
    const scheduleId = textOf(
      await owner.mutate('schedule.create', {
        applicationId: place.applicationId,
        name: 'tidy',
        cron: '*/5 * * * *',
        command: commandOf(steps),
      }),
      'scheduleId',
    );
    return {
      ...world,
      clock,
      told,
      meanwhile,
      accepting,
      faults,
      logs: { ...logs, folder },
      schedules: made.schedules,
      engine: memory.engine,
      scheduleId,
      async work(attempts = 1, signal = new AbortController().signal) {
        const [job] = await stores.jobs.list({ state: 'queued' }, { by: ['sequence'], direction: 'asc' });
        if (!job) return false;
        await runner({ ...job, attempts }, signal);
        await stores.jobs.update({ jobId: job.jobId }, { state: 'done' });
        return true;
      },
      async runs() {
        const found: unknown = await owner.query('schedule.runs', { scheduleId });
        return Array.isArray(found)
          ? found.map((one) => Object.fromEntries(Object.entries(Object(one))))
          : [];
      },
      log: async (run) =>
        JSON.stringify(
          await owner.query('schedule.runLogs', { scheduleRunId: textOf(run, 'scheduleRunId') }),
        ),
    };
  }

  it('run a command at its time, once, with its output and exit code', async () => {
    const { clock, schedules, work, runs, log, engine, told } = await begin([
      { do: 'say', text: 'tidied 3 files' },
    ]);
    await schedules.tick();
    expect(await work()).toBe(false);
    clock.time = Date.parse('2026-06-01T00:05:01.000Z');
    await schedules.tick();
    await schedules.tick();
    expect(await work()).toBe(true);
    expect(await work()).toBe(false);
    const [run, ...others] = await runs();
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      status: 'done',
      startedBy: 'schedule',
      exitCode: 0,
      dueAt: '2026-06-01T00:05:00.000Z',
      errorMessage: null,
    });
    expect(await log(run)).toContain('tidied 3 files');
    expect(await engine.services()).toEqual([]);
    expect(told).toEqual([]);
  });

  it('tell what failed, with its exit code', async () => {
    const { owner, scheduleId, work, runs, told } = await begin([{ do: 'exit', code: 3 }]);
    expect(await owner.mutate('schedule.run', { scheduleId })).toMatchObject({
      status: 'queued',
      startedBy: 'person',
    });
    expect(await owner.mutate('schedule.run', { scheduleId })).toMatchObject({ code: 'CONFLICT' });
    await work();
    expect(await runs()).toMatchObject([
      { status: 'error', exitCode: 3, errorMessage: expect.stringContaining('exit code 3') },
    ]);
    expect(told).toMatchObject([{ event: 'scheduleFailed', subject: { id: scheduleId, name: 'tidy' } }]);
  });

  it('never run twice at once: a time that comes meanwhile is missed, and told', async () => {
    const { clock, schedules, work, runs, told } = await begin([]);
    clock.time += 5 * minuteMs;
    await schedules.tick();
    clock.time += 5 * minuteMs;
    await schedules.tick();
    expect(await runs()).toMatchObject([
      { status: 'missed', errorMessage: expect.stringContaining('still in progress') },
      { status: 'queued' },
    ]);
    expect(told).toMatchObject([{ event: 'scheduleMissed' }]);
    await work();
    clock.time += 5 * minuteMs;
    await schedules.tick();
    expect((await runs()).map(({ status }) => status)).toEqual(['queued', 'missed', 'done']);
  });

  it('miss what came while Berth did not run, once, and make nothing up', async () => {
    const { clock, schedules, work, runs, told } = await begin([]);
    clock.time += 3 * 60 * minuteMs;
    await schedules.tick();
    await schedules.tick();
    expect(await work()).toBe(false);
    expect(await runs()).toMatchObject([
      { status: 'missed', errorMessage: expect.stringContaining('Berth was not running at that time') },
    ]);
    expect(told).toHaveLength(1);
  });

  it('end a run that a restart broke off, and do not begin it again', async () => {
    const { owner, scheduleId, work, runs, engine, database, told } = await begin([
      { do: 'say', text: 'begun' },
      { do: 'stay' },
    ]);
    await owner.mutate('schedule.run', { scheduleId });
    const stop = new AbortController();
    const store = createScheduleStore(database);
    const running = work(1, stop.signal).catch(String);
    await untilThere(() => engine.services());
    stop.abort(new Error('Berth is stopping.'));
    expect(await running).toContain('Berth is stopping.');
    expect((await store.runs.list({})).map(({ status }) => status)).toEqual(['running']);
    await work(2);
    expect(await runs()).toMatchObject([
      { status: 'error', errorMessage: expect.stringContaining('Berth was restarted while the command ran') },
    ]);
    expect(await engine.services()).toEqual([]);
    expect(told).toMatchObject([{ event: 'scheduleFailed' }]);
  });

  it('hold up nobody else: each organization has a share of a server of its own', async () => {
    const { owner, stranger, people, scheduleId, database } = await begin([]);
    const { applicationId } = await createPlace(database, people.stranger, 'Rival');
    const theirs = { applicationId, name: 'theirs', cron: '@daily', command: ['true'] };
    const other = textOf(await stranger.mutate('schedule.create', theirs), 'scheduleId');
    await owner.mutate('schedule.run', { scheduleId });
    await stranger.mutate('schedule.run', { scheduleId: other });
    const { jobs } = createStores(database);
    const claim = { worker: 'w', now: 0, leaseUntil: 1, perServer: 1, backups: 1, fills: 3, except: [] };
    expect([await jobs.claim(claim), await jobs.claim(claim)]).toMatchObject([
      { kind: 'schedule' },
      { kind: 'schedule' },
    ]);
  });

  it('do not pile up while a run goes on: the newest hundred that are over are kept', async () => {
    const { clock, schedules, database } = await begin([]);
    for (let count = 0; count < 105; count += 1) {
      clock.time += 5 * minuteMs;
      await schedules.tick();
    }
    const all = await createScheduleStore(database).runs.list({});
    expect(all.filter(({ status }) => status === 'missed')).toHaveLength(100);
  });

  it('leave no log behind when they are removed while they run', async () => {
    const scene = await begin([{ do: 'say', text: 'begun' }]);
    const { owner, scheduleId, work, database, logs } = scene;
    await owner.mutate('schedule.run', { scheduleId });
    scene.meanwhile.do = async () => void (await owner.mutate('schedule.remove', { scheduleId }));
    expect(await work()).toBe(true);
    expect(await createScheduleStore(database).runs.list({})).toEqual([]);
    expect(readdirSync(logs.folder)).toEqual([]);
  });

  it('count against the quota while they run, and say so where there is no room', async () => {
    const { owner, place, scheduleId, work, runs, database, people, engine } = await begin([{ do: 'stay' }]);
    const { organizationId } = people.owner;
    const stores = createStores(database);
    const quotas = quotasOf(stores);
    const used = async (): Promise<number> => (await quotas.view(organizationId)).used.memoryBytes / mebibyte;
    await stores.applications.update({ applicationId: place.applicationId }, { memoryLimit: '100m' });
    await quotas.set(organizationId, { memoryBytes: 227 * mebibyte });
    await owner.mutate('schedule.run', { scheduleId });
    await work();
    expect(await runs()).toMatchObject([
      { status: 'error', startedAt: null, errorMessage: expect.stringMatching(/227 MiB.* 228 MiB/) },
    ]);
    await quotas.set(organizationId, { memoryBytes: 228 * mebibyte });
    await owner.mutate('schedule.run', { scheduleId });
    const running = work();
    const [service] = await untilThere(() => engine.services());
    expect(await used()).toBe(228);
    await engine.removeService(service?.name ?? '');
    await running;
    expect(await used()).toBe(100);
  });

  it('are fifty of a service at most', async () => {
    const { owner, place } = await begin([]);
    const another = { applicationId: place.applicationId, name: 'more', cron: '@daily', command: ['true'] };
    for (let count = 1; count < mostSchedules; count += 1) await owner.mutate('schedule.create', another);
    expect(await owner.mutate('schedule.create', another)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has 50 schedules'),
    });
  });

  it('have their turn also when that of another one fails', async () => {
    const { owner, place, clock, schedules, accepting, faults, database } = await begin([]);
    const another = {
      applicationId: place.applicationId,
      name: 'more',
      cron: '*/5 * * * *',
      command: ['true'],
    };
    await owner.mutate('schedule.create', another);
    clock.time += 5 * minuteMs;
    let count = 0;
    accepting.do = async () => {
      count += 1;
      if (count === 1) throw new Error('The database is away.');
    };
    await schedules.tick();
    const store = createScheduleStore(database);
    expect(faults).toHaveLength(1);
    expect(await store.runs.list({})).toHaveLength(1);
    await schedules.tick();
    expect(await store.runs.list({})).toHaveLength(2);
  });

  it('tell no failure of a run that ends with its service', async () => {
    const scene = await begin([{ do: 'stay' }]);
    const { owner, place, scheduleId, work, told, engine, schedules, database } = scene;
    await owner.mutate('schedule.run', { scheduleId });
    const running = work();
    const [service] = await untilThere(() => engine.services());
    await schedules.leaving({ applicationId: place.applicationId });
    await engine.removeService(service?.name ?? '');
    await running;
    expect(told).toEqual([]);
    expect(await createScheduleStore(database).runs.list({})).toMatchObject([
      { errorMessage: 'It was ended, since its service was removed.' },
    ]);
  });

  it('end at once when their task is removed by somebody else', async () => {
    const { owner, scheduleId, work, runs, engine } = await begin([{ do: 'stay' }]);
    await owner.mutate('schedule.run', { scheduleId });
    const running = work();
    const [service] = await untilThere(() => engine.services());
    await engine.removeService(service?.name ?? '');
    await running;
    expect(await runs()).toMatchObject([
      { status: 'error', errorMessage: expect.stringContaining('was removed before it ended') },
    ]);
  });

  it('belong to their service: others reach neither them nor their runs', async () => {
    const { owner, stranger, member, nobody, place, scheduleId, schedules, clock, runs } = await begin([]);
    clock.time += 5 * minuteMs;
    await schedules.tick();
    const [run] = await runs();
    const scheduleRunId = textOf(run, 'scheduleRunId');
    for (const client of [stranger, member]) {
      expect(await client.query('schedule.one', { scheduleId })).toMatchObject({ code: 'FORBIDDEN' });
      expect(await client.query('schedule.runLogs', { scheduleRunId })).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await nobody.query('schedule.one', { scheduleId })).toMatchObject({ code: 'UNAUTHORIZED' });
    const { applicationId } = place;
    expect(await owner.query('schedule.all', { applicationId })).toMatchObject([
      { scheduleId, name: 'tidy' },
    ]);
    expect(await owner.mutate('schedule.update', { scheduleId, serviceName: 'web' })).toMatchObject({
      fields: ['serviceName'],
    });
    expect(await owner.mutate('schedule.update', { scheduleId, enabled: false })).toMatchObject({
      nextRunAt: null,
    });
    await owner.mutate('schedule.remove', { scheduleId });
    expect(await owner.query('schedule.runLogs', { scheduleRunId })).toMatchObject({ code: 'NOT_FOUND' });
  });
});
