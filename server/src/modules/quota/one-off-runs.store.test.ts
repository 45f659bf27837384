/** One-off commands in the quota of their organization, on both databases and the engine in memory. */
import { expect, it, vi } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { nodeProgram } from '../../../../test/engine-in-memory/programs/steps-program.ts';
import { nodeImage, stepService } from '../../../../test/engine-suite/fixture.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { of } from '../../../../test/world/fixtures.ts';
import { seedWorlds, type World } from '../../../../test/world/world.ts';
import { createStores } from '../../composition/stores.ts';
import { quotasOf } from '../../deploy/quotas.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { countLeft } from './left-running.ts';
import type { Taken } from './quota.ts';

const GiB = 1024 ** 3;

eachDatabase('quotas', (test) => {
  it('count a one-off command while it runs, also one that another process waits for', async () => {
    const database = await test.open();
    const stores = createStores(database);
    const quotas = quotasOf(stores);
    const [world] = (await seedWorlds(database, 1)) as [World];
    const { organizationId } = world.own;
    const { engine, view, addImage } = createEngineInMemory();
    addImage(nodeImage, { programs: { node: nodeProgram }, command: ['node'] });
    const running = async (): Promise<number> =>
      (await view.swarmTasks()).filter(({ state }) => state === 'running').length;
    const used = async (): Promise<unknown> => {
      await countLeft(stores.quotas, { key: localServer, engineView: view });
      const { memoryBytes, nanoCpus } = (await quotas.view(organizationId)).used;
      return { memory: memoryBytes / GiB, cores: nanoCpus / 1e9 };
    };
    await quotas.set(organizationId, { memoryBytes: 2 * GiB });
    const command = (name: string): Taken => ({ serviceId: name, name, memoryBytes: GiB, nanoCpus: 1e9 });
    const end = await quotas.beginOneOff(organizationId, command('mine'));
    const task = stepService('mine', [{ do: 'stay' }], {
      limits: { memoryBytes: GiB, nanoCpus: 1e9 },
      labels: {
        'berth.organization': organizationId,
        'berth.application': of(world.own, 'applicationId'),
        'berth.instance': 'this',
      },
    });
    const ending = new AbortController();
    const wait = { signal: ending.signal, limitMs: 60_000, onLine: () => undefined };
    const tasks = ['mine', 'theirs', 'scheduled'].map(async (name) => {
      const label: Record<string, string> = name === 'scheduled' ? {} : { 'berth.task': name };
      await engine.runTask({ ...task, name, labels: { ...task.labels, ...label } }, wait);
    });
    await vi.waitUntil(async () => (await running()) === 3, { timeout: 20_000 });
    expect(await used()).toEqual({ memory: 2, cores: 2 });
    await expect(quotas.beginOneOff(organizationId, command('third'))).rejects.toThrow(
      /may have 2048 MiB of memory .* has 2048 MiB.*, and this would make it 3072 MiB/,
    );
    ending.abort();
    expect((await Promise.allSettled(tasks)).map(({ status }) => status)).toEqual(
      tasks.map(() => 'rejected'),
    );
    end();
    expect(await used()).toEqual({ memory: 0, cores: 0 });
  });
});
