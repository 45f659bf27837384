/** Services that fill the disk of their machine, on both databases and the engine in memory. */
import { beforeEach, expect, it, vi } from 'vitest';
import {
  createEngineInMemory,
  type EngineInMemory,
} from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { nodeProgram } from '../../../../test/engine-in-memory/programs/steps-program.ts';
import { nodeImage, stepService } from '../../../../test/engine-suite/fixture.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { of } from '../../../../test/world/fixtures.ts';
import { seedWorlds, type World } from '../../../../test/world/world.ts';
import { createStores, type Stores } from '../../composition/stores.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import { awaitEnded } from '../service/own-service.ts';
import { createDiskWriters, leastGrowth, type DiskWriters } from './disk-writers.ts';

const GiB = 1024 ** 3;
const kept = 2 * GiB;

eachDatabase('services that fill a disk', (test) => {
  let stores: Stores;
  let memory: EngineInMemory;
  let writers: DiskWriters;
  let free: { engine: number; data: number };
  let folder: number;
  let [applicationId, other, composeId] = ['', '', ''];
  const faults: unknown[] = [];
  let clock: { time: number; now(): number };

  beforeEach(async () => {
    const database = await test.open();
    stores = createStores(database);
    memory = createEngineInMemory();
    memory.addImage(nodeImage, { programs: { node: nodeProgram }, command: ['node'] });
    const [world] = (await seedWorlds(database, 1)) as [World];
    [applicationId, composeId] = [of(world.own, 'applicationId'), of(world.own, 'composeId')];
    other = of(world.foreign, 'applicationId');
    free = { engine: 100 * GiB, data: 100 * GiB };
    folder = 0;
    faults.length = 0;
    clock = { time: Date.parse('2100-03-01T12:00:00Z'), now: () => clock.time };
    writers = createDiskWriters({
      store: { keepWriter: stores.diskWriters.keepWriter, composes: stores.disk.composes },
      hosts: { all: async () => [{ key: 'local', engine: memory.engine }] },
      freeBytes: async (path) => (path === '/berth' ? free.data : free.engine),
      dataFolder: '/berth',
      folderBytes: async (id) => (id === composeId ? folder : 0),
      minFreeDisk: async () => kept,
      stop,
      clock,
      log: { warn: () => undefined, fault: (error) => faults.push(error) },
      graceMs: 10,
    });
  });

  /** As the runtimes of services do. */
  async function stop({ kind, serviceId }: ServiceRef): Promise<void> {
    if (await memory.engine.service(serviceId.toLowerCase())) {
      await memory.engine.scaleService(serviceId.toLowerCase(), 0);
      await awaitEnded(memory.engine, serviceId.toLowerCase(), 'readLogs');
    }
    if (kind === 'application')
      await stores.applications.update({ applicationId: serviceId }, { isStopped: true });
    if (kind === 'compose') await stores.composes.update({ composeId: serviceId }, { isStopped: true });
  }
  /** A service that nothing but SIGKILL ends, with a volume. */
  async function run(id: string): Promise<void> {
    const labels = { 'berth.organization': 'o', 'berth.application': id };
    await memory.engine.applyService(
      stepService(id.toLowerCase(), [{ do: 'stay' }], {
        labels,
        container: { init: false },
        stopGracePeriodMs: 3_600_000,
      }),
    );
    memory.state.volumes.set(id, { name: id, labels: { 'berth.managed': 'true', ...labels }, bytes: GiB });
  }
  const write = (id: string, bytes: number): void => {
    const volume = memory.state.volumes.get(id);
    memory.state.volumes.set(id, {
      name: id,
      labels: volume?.labels ?? {},
      bytes: (volume?.bytes ?? 0) + bytes,
    });
  };
  const running = async (): Promise<string[]> => {
    const containers = await memory.engine.containers('berth.managed=true');
    const alive = containers.filter(({ state }) => state === 'running');
    return alive.map(({ labels }) => labels['berth.application'] ?? '').toSorted();
  };
  const stopped = async (): Promise<string[]> =>
    (await stores.diskWriters.stopped()).map(({ serviceId }) => serviceId);

  it('are stopped, killed where they do not end, and kept with their numbers; others go on', async () => {
    await run(applicationId);
    await run(other);
    await vi.waitUntil(async () => (await running()).length === 2, { timeout: 20_000 });
    await writers.look();
    write(other, 8 * GiB);
    // From here on the disk is nearly full; what was written before counts for nobody.
    free.engine = 2 * kept - 1;
    await writers.look();
    clock.time += 10_000;
    write(applicationId, 2 * GiB);
    write(other, GiB);
    await writers.look();
    expect(await stopped()).toEqual([]);
    free.engine = kept - 1;
    await writers.look();
    expect(faults).toEqual([]);
    expect(await running()).toEqual([other]);
    expect(await stores.diskWriters.stopped()).toEqual([
      {
        kind: 'application',
        serviceId: applicationId,
        serverKey: 'local',
        grownBytes: 2 * GiB,
        freeBytes: kept - 1,
        keptBytes: kept,
        since: '2100-03-01T12:00:00.000Z',
        stoppedAt: '2100-03-01T12:00:10.000Z',
      },
    ]);
    // Who starts it has made room, or says that there is enough.
    await stores.applications.update({ applicationId }, { isStopped: false });
    expect(await stopped()).toEqual([]);
  });

  it('are found where the disk filled between two looks, and never for a little', async () => {
    await run(applicationId);
    await vi.waitUntil(async () => (await running()).length === 1, { timeout: 20_000 });
    free.engine = 0;
    await writers.look();
    write(applicationId, leastGrowth - 1);
    await writers.look();
    expect(await stopped()).toEqual([]);
    write(applicationId, leastGrowth);
    await writers.look();
    expect(await stopped()).toEqual([applicationId]);
    expect(await running()).toEqual([]);
  });

  it('are compose services by their folders, where only the disk of these is full', async () => {
    await run(applicationId);
    free.data = kept - 1;
    await writers.look();
    folder += GiB;
    write(applicationId, 5 * GiB);
    await writers.look();
    expect(await stopped()).toEqual([composeId]);
  });

  it('are ended with the one-off commands that write beside them', async () => {
    await run(applicationId);
    const command = stepService('command', [{ do: 'stay' }], {
      labels: { 'berth.organization': 'o', 'berth.application': applicationId, 'berth.task': 'command' },
    });
    const { signal } = new AbortController();
    const ran = memory.engine.runTask(command, { signal, limitMs: 60_000, onLine: () => undefined });
    await vi.waitUntil(async () => (await running()).length === 2, { timeout: 20_000 });
    free.engine = 0;
    await writers.look();
    write(applicationId, GiB);
    await writers.look();
    expect(await ran).toMatchObject({ exitCode: 137 });
    expect(await running()).toEqual([]);
  });
});
