/** Whose disk it is, on both databases, as an engine tells it. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import {
  createEngineInMemory,
  type EngineInMemory,
} from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { seedWorlds, type World } from '../../../../test/world/world.ts';
import { of } from '../../../../test/world/fixtures.ts';
import { createWorkFiles } from '../../adapters/files/work-files.ts';
import { diskQuotasOf } from '../../deploy/disk-quotas.ts';
import { quotasOf } from '../../deploy/quotas.ts';
import { createStores, type Stores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import type { DiskQuotas, MeasuredServer } from './disk-quota.ts';

eachDatabase('disk of organizations', (test) => {
  let stores: Stores;
  let disk: DiskQuotas;
  let memory: EngineInMemory;
  let server: MeasuredServer;
  let [own, foreign, folder] = ['', '', ''];
  let composeId = '';

  beforeEach(async () => {
    const database = await test.open();
    stores = createStores(database);
    folder = mkdtempSync(join(tmpdir(), 'berth-composes-'));
    disk = diskQuotasOf(stores, systemClock, { folder, files: createWorkFiles() });
    memory = createEngineInMemory();
    server = { key: 'local', engine: memory.engine };
    const [world] = (await seedWorlds(database, 1)) as [World];
    composeId = of(world.own, 'composeId');
    [own, foreign] = [world.own.organizationId, world.foreign.organizationId];
  });

  const used = async (organizationId: string): Promise<number> => {
    await disk.measure(server);
    return (await quotasOf(stores).view(organizationId)).used.diskBytes;
  };
  const tags = (): string[] => [...memory.state.images.values()].flatMap((image) => [...image.tags]);
  function built(tag: string, organizationId: string, deploymentId: string, sizeBytes: number): void {
    const labels = { 'berth.organization': organizationId, 'berth.deployment': deploymentId };
    memory.addImage(tag, { programs: {}, sizeBytes, labels });
  }
  async function pulled(
    tag: string,
    organizationId: string,
    sizeBytes: number,
    pulledAt: string,
  ): Promise<void> {
    memory.addImage(tag, { programs: {}, sizeBytes, labels: { tag } });
    await gotten(tag, organizationId, pulledAt);
  }
  async function gotten(tag: string, organizationId: string, pulledAt: string): Promise<void> {
    const image = await memory.engine.image(tag);
    await stores.images.keepPull({
      organizationId,
      serverKey: 'local',
      reference: tag,
      imageId: image?.id ?? '',
      pulledAt,
    });
  }
  const longAgo = '2026-01-01T00:00:00.000Z';

  it('is that of volumes, of images built for them, and of images that they got', async () => {
    const labels = { 'berth.managed': 'true', 'berth.organization': own };
    memory.state.volumes.set('v', { name: 'v', labels, bytes: 1 });
    built('berth-build/a:1', own, 'd1', 20);
    await pulled('example.com/shop:1', own, 300, longAgo);
    await pulled('example.com/theirs:1', foreign, 4000, longAgo);
    expect(await used(own)).toBe(321);
    expect(await used(foreign)).toBe(4000);
  });

  it('is that of what compose services write into folders of their own', async () => {
    mkdirSync(join(folder, composeId, 'web'), { recursive: true });
    writeFileSync(join(folder, composeId, 'web', 'data'), Buffer.alloc(100_000, 1));
    expect(await used(own)).toBeGreaterThanOrEqual(100_000);
    expect(await used(foreign)).toBe(0);
    await quotasOf(stores).set(own, { diskBytes: 300_000 });
    const left = await quotasOf(stores).diskLeft(own);
    expect([left > 100_000, left <= 200_000]).toEqual([true, true]);
    expect(await quotasOf(stores).diskLeft(foreign)).toBe(Infinity);
    await quotasOf(stores).set(own, { diskBytes: 50_000 });
    await expect(disk.requireRoom(own, server)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is nobody’s by a label that an image of a registry carries', async () => {
    built('example.com/liar:1', foreign, 'd1', 50);
    expect(await used(foreign)).toBe(0);
  });

  it('of a server that is gone is no more', async () => {
    await stores.disk.keep('gone', new Map([[own, 5]]), longAgo);
    expect(await used(own)).toBe(0);
  });

  it('is freed of what no release needs before a release is refused, and of nothing else', async () => {
    await quotasOf(stores).set(own, { diskBytes: 100 });
    const [live] = await stores.deployments.list({ organizationId: own });
    await stores.deployments.update({ deploymentId: live?.deploymentId ?? '' }, { status: 'done' });
    built('berth-build/a:kept', own, live?.deploymentId ?? '', 30);
    built('berth-build/a:failed', own, 'no such deployment', 40);
    await pulled('example.com/idle:1', own, 40, longAgo);
    await pulled('example.com/new:1', own, 40, new Date().toISOString());
    await pulled('example.com/of-both:1', own, 1, longAgo);
    await gotten('example.com/of-both:1', foreign, longAgo);
    await disk.requireRoom(own, server, 'example.com/new:1');
    expect(tags().toSorted()).toEqual(['berth-build/a:kept', 'example.com/new:1', 'example.com/of-both:1']);

    await pulled('example.com/further:1', own, 60, new Date().toISOString());
    const refused = disk.requireRoom(own, server, 'example.com/further:1');
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(tags()).not.toContain('example.com/further:1');
    expect(tags()).toContain('example.com/new:1');
    await disk.requireRoom(foreign, server, 'example.com/of-both:1');
  });
});
