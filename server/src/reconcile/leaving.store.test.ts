/** Containers that outlive their time while Berth is restarted, on both databases. */
import { expect, it, vi } from 'vitest';
import { createEngineInMemory } from '../../../test/engine-in-memory/engine-in-memory.ts';
import { nodeProgram } from '../../../test/engine-in-memory/programs/steps-program.ts';
import { nodeImage, stepService } from '../../../test/engine-suite/fixture.ts';
import { eachDatabase } from '../../../test/store/each-database.ts';
import { createStores } from '../composition/stores.ts';
import { createLeavingWatch, leavingLimitMs } from './leaving.ts';

eachDatabase('containers that were told to end', (test) => {
  it('are killed when their time is over, though Berth was restarted meanwhile', async () => {
    const { engine, addImage } = createEngineInMemory();
    addImage(nodeImage, { programs: { node: nodeProgram }, command: ['node'] });
    const { leaving: store } = createStores(await test.open());
    const clock = { time: 1_000_000, now: () => clock.time };
    const begin = () => createLeavingWatch({ clock, serverKey: 'local', store });
    const running = async (): Promise<number> =>
      (await engine.containers('berth.managed=true')).filter(({ state }) => state === 'running').length;
    await engine.applyService(
      stepService('ghost', [{ do: 'stay' }], {
        labels: { 'berth.organization': 'o', 'berth.application': 'a' },
        container: { init: false },
        stopGracePeriodMs: 3_600_000,
      }),
    );
    await vi.waitUntil(async () => (await running()) === 1, { timeout: 20_000 });
    await engine.scaleService('ghost', 0);
    await vi.waitUntil(async () => (await engine.leavingContainers()).length === 1, { timeout: 20_000 });
    expect(await begin().look(engine)).toEqual([]);
    clock.time += leavingLimitMs - 1;
    expect(await begin().look(engine)).toEqual([]);
    clock.time += 1;
    const last = begin();
    expect(await last.look(engine)).toEqual([expect.stringContaining('killed it')]);
    await vi.waitUntil(async () => (await running()) === 0, { timeout: 20_000 });
    await last.look(engine);
    expect([...(await store.read('local'))]).toEqual([]);
  });
});
