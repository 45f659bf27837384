/** What an organization uses, counted on both databases, and what is refused over its quota. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { nodeProgram } from '../../../../test/engine-in-memory/programs/steps-program.ts';
import { nodeImage, stepService } from '../../../../test/engine-suite/fixture.ts';
import { quotasOf } from '../../deploy/quotas.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { createStores, type Stores } from '../../composition/stores.ts';
import type { Database } from '../../db/database.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { seedWorlds, type World } from '../../../../test/world/world.ts';
import { of } from '../../../../test/world/fixtures.ts';
import type { Quotas } from './quota.ts';
import { countLeft } from './left-running.ts';
import { usualRecords } from './counted-records.ts';

const GiB = 1024 ** 3;

eachDatabase('quotas', (test) => {
  let database: Database;
  let stores: Stores;
  let quotas: Quotas;
  let world: World;
  let organizationId: string;

  beforeEach(async () => {
    database = await test.open();
    stores = createStores(database);
    quotas = quotasOf(stores);
    [world] = (await seedWorlds(database, 1)) as [World];
    ({ organizationId } = world.own);
  });

  const limit = (memoryLimit: string | null, cpuLimit: string | null, replicas = 1): Promise<unknown> =>
    stores.applications.update(
      { applicationId: of(world.own, 'applicationId') },
      { memoryLimit, cpuLimit, replicas },
    );
  const within = (work: () => Promise<unknown>): Promise<unknown> =>
    database.transaction(() => quotas.within(organizationId, work));

  it('are absent at first, beside what is used', async () => {
    // Two applications, five databases, a compose service and a preview.
    expect(await quotas.view(organizationId)).toEqual({
      organizationId,
      sharedBy: 1,
      quota: {
        services: null,
        nanoCpus: null,
        memoryBytes: null,
        builds: null,
        backupBytes: null,
        diskBytes: null,
        records: null,
      },
      used: {
        services: 9,
        nanoCpus: 0,
        memoryBytes: 0,
        builds: 0,
        backupBytes: 0,
        diskBytes: 0,
        records: expect.any(Number),
      },
    });
    await within(() => limit('64g', '64', 9));
  });

  it('count limits with replicas, and those of previews once', async () => {
    await limit('1g', '0.5', 3);
    expect((await quotas.view(organizationId)).used).toMatchObject({
      memoryBytes: 4 * GiB,
      nanoCpus: 2_000_000_000,
    });
  });

  it('keep what one limit has when another is set, and take one away by null', async () => {
    await quotas.set(organizationId, { services: 9 });
    await quotas.set(organizationId, { builds: 1 });
    expect((await quotas.set(organizationId, { services: null })).quota).toMatchObject({
      services: null,
      builds: 1,
    });
    expect(await quotas.builds(organizationId)).toBe(1);
    expect(await quotas.builds(world.foreign.organizationId)).toBeNull();
  });

  describe('beside records', () => {
    const { engine, view, addImage } = createEngineInMemory();
    addImage(nodeImage, { programs: { node: nodeProgram }, command: ['node'] });
    const run = (name: string, serviceId: string, change = {}): Promise<unknown> =>
      engine.applyService(
        stepService(name, [{ do: 'stay' }], {
          limits: { memoryBytes: GiB, nanoCpus: 1e9 },
          labels: { 'berth.organization': organizationId, 'berth.application': serviceId },
          container: { init: false },
          stopGracePeriodMs: 3_600_000,
          ...change,
        }),
      );
    const running = async (): Promise<number> =>
      (await view.swarmTasks()).filter(({ state }) => state === 'running').length;
    const used = async (): Promise<unknown> => {
      await countLeft(stores.quotas, { key: localServer, engineView: view });
      const { services, memoryBytes: bytes, nanoCpus } = (await quotas.view(organizationId)).used;
      return { services: services - 9, memory: bytes / GiB, cores: nanoCpus / 1e9 };
    };

    it('what runs counts: a service without a record, and releases before the last two', async () => {
      const applicationId = of(world.own, 'applicationId');
      await run('known', applicationId);
      await run('unknown', 'nobody-knows-it');
      await run('of-another', 'nobody-knows-it-either', { labels: { 'berth.application': 'x' } });
      await vi.waitUntil(async () => (await running()) === 3, { timeout: 20_000 });
      expect(await used()).toEqual({ services: 0, memory: 0, cores: 0 });
      await quotas.set(organizationId, { services: 10, memoryBytes: 3 * GiB, nanoCpus: 9e9 });
      expect(await used()).toEqual({ services: 1, memory: 1, cores: 1 });
      for (const [release, tasks] of [
        ['two', 4],
        ['three', 5],
      ] as const) {
        await run('known', applicationId, { env: [`RELEASE=${release}`] });
        await vi.waitUntil(async () => (await running()) === tasks, { timeout: 20_000 });
      }
      expect(await used()).toEqual({ services: 1, memory: 2, cores: 2 });
      const room = (bytes: number): Promise<void> =>
        quotas.requireRoom(
          organizationId,
          { serviceId: 'new', name: 'new', memoryBytes: bytes, nanoCpus: 1 },
          '',
        );
      await room(GiB);
      await expect(room(GiB + 1)).rejects.toThrow(/may have 3072 MiB of memory .* has 2048 MiB/);
      const add = (id: string): Promise<unknown> =>
        stores.composes
          .find({ composeId: of(world.own, 'composeId') })
          .then((one) => one && stores.composes.insert({ ...one, composeId: id, refreshToken: id }));
      await expect(within(() => add('further'))).rejects.toThrow(/may have 10 services; it has 10/);
      await quotas.set(organizationId, { services: null, memoryBytes: null, nanoCpus: null });
      expect(await used()).toEqual({ services: 0, memory: 0, cores: 0 });
    });
  });

  describe('of organizations that share one', () => {
    const otherId = 'second';
    /** The second organization as the first one's, with the services of the world's foreign one. */
    beforeEach(async () => {
      const first = await stores.organizations.find({ organizationId });
      if (!first) throw new Error('There is no organization.');
      await stores.organizations.insert({
        ...first,
        organizationId: otherId,
        parentOrganizationId: organizationId,
      });
    });
    const move = async (): Promise<void> => {
      const there = { organizationId: otherId };
      await stores.applications.update({ applicationId: of(world.own, 'applicationId') }, there);
      await stores.previewDeployments.update({ applicationId: of(world.own, 'applicationId') }, there);
      await stores.composes.update({ composeId: of(world.own, 'composeId') }, there);
    };

    it('count services, memory, cores, builds, backups and disk together, from either side', async () => {
      await limit('1g', '0.5', 2);
      const alone = (await quotas.view(organizationId)).used;
      await move();
      const backupRunId = of(world.own, 'backupRunId');
      await stores.backupRuns.update({ backupRunId }, { isStored: true, storedBytes: 700 });
      const run = await stores.backupRuns.find({ backupRunId });
      if (!run) throw new Error('There is no backup.');
      await stores.backupRuns.update({ backupRunId }, { organizationId: otherId });
      const [deployment] = await stores.deployments.list({ organizationId });
      if (!deployment) throw new Error('There is no deployment.');
      await stores.deployments.insert({
        ...deployment,
        deploymentId: 'building',
        organizationId: otherId,
        status: 'running',
        stage: 'build',
        sequence: 1e6,
      });
      await stores.disk.keep(
        localServer,
        new Map([
          [organizationId, 300],
          [otherId, 400],
        ]),
        '2026-01-01T00:00:00.000Z',
      );
      const used = { ...alone, backupBytes: 700, builds: 1, diskBytes: 700 };
      for (const id of [organizationId, otherId])
        expect(await quotas.view(id)).toMatchObject({ organizationId: id, sharedBy: 2, used });
      await quotas.set(organizationId, { backupBytes: 1000, diskBytes: 600, builds: 1 });
      expect([await quotas.builds(otherId), await quotas.payer(otherId)]).toEqual([1, organizationId]);
      for (const id of [organizationId, otherId]) {
        await quotas.requireBackupRoom(id, 300);
        await expect(quotas.requireBackupRoom(id, 301)).rejects.toMatchObject({ code: 'CONFLICT' });
        await expect(quotas.requireDisk(id)).rejects.toMatchObject({
          code: 'CONFLICT',
          message: expect.stringContaining('The 2 organizations that share this quota may have'),
        });
      }
    });

    it('let none of them have a service or a release more than they may have together', async () => {
      await limit('1g', null, 1);
      await quotas.set(organizationId, { services: 9, memoryBytes: 3 * GiB });
      const compose = await stores.composes.find({ composeId: of(world.own, 'composeId') });
      if (!compose) throw new Error('There is no compose service.');
      const add = (): Promise<unknown> =>
        database.transaction(() =>
          quotas.within(otherId, () =>
            stores.composes.insert({
              ...compose,
              composeId: 'further',
              refreshToken: 'further',
              organizationId: otherId,
            }),
          ),
        );
      await expect(add()).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(/may have 9 services; they have 9, and this would make it 10/),
      });
      const release = (memoryBytes: number): Promise<void> =>
        quotas.requireRoom(
          otherId,
          { serviceId: 'stack', name: 'stack', memoryBytes, nanoCpus: 0 },
          'under way nowhere',
        );
      // The first organization's application and its preview have 1 GiB each.
      await release(GiB);
      await expect(release(2 * GiB)).rejects.toThrow(/they have 2048 MiB, and this would make it 4096 MiB/);
    });

    it('is set where it stands, and nowhere else', async () => {
      await expect(quotas.set(otherId, { services: null })).rejects.toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringContaining(organizationId),
      });
    });
  });

  describe('refuse', () => {
    it('what grows over them with both numbers, and nothing is kept of it', async () => {
      await limit('1g', null, 1);
      await quotas.set(organizationId, { memoryBytes: 3 * GiB });
      await expect(within(() => limit('1g', null, 3))).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(/have 3072 MiB of memory.*has 2048 MiB.*make it 4096 MiB.*setQuota/s),
      });
      expect((await quotas.view(organizationId)).used.memoryBytes).toBe(2 * GiB);
      await within(() => limit('1g', null, 2));
    });

    it('nothing that shrinks, though it is still too much', async () => {
      await limit('4g', null, 1);
      await quotas.set(organizationId, { memoryBytes: GiB });
      await within(() => limit('2g', null, 1));
      await expect(within(() => limit('3g', null, 1))).rejects.toMatchObject({ code: 'CONFLICT' });
    });

    it('a service too many, of any kind and by any change, and none of another organization', async () => {
      await quotas.set(organizationId, { services: 9 });
      const add = (id: string): Promise<unknown> =>
        stores.composes
          .find({ composeId: of(world.own, 'composeId') })
          .then((one) => one && stores.composes.insert({ ...one, composeId: id, refreshToken: id }));
      await expect(within(() => add('further'))).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(/may have 9 services; it has 9, and this would make it 10/),
      });
      expect(await stores.composes.find({ composeId: 'further' })).toBeUndefined();
      await database.transaction(() => quotas.within(world.foreign.organizationId, () => add('further')));
    });

    describe('a record too many of a kind', () => {
      const add = async (count: number, from = 0): Promise<void> => {
        const [one] = await stores.projects.list({ organizationId });
        if (!one) throw new Error('There is no project.');
        for (let index = from; index < from + count; index += 1)
          await stores.projects.insert({ ...one, projectId: `further-${index}` });
      };
      const countOf = async (): Promise<number> => (await stores.projects.list({ organizationId })).length;

      it('with both numbers, and nothing is kept of it; others and what is there stay', async () => {
        const most = (await countOf()) + 2;
        await quotas.set(organizationId, { records: most });
        await within(() => add(2));
        await expect(within(() => add(1, 2))).rejects.toMatchObject({
          code: 'CONFLICT',
          message: expect.stringMatching(
            new RegExp(
              `may have ${most} projects; it has ${most}, and this would make it ${most + 1}.*records`,
            ),
          ),
        });
        expect(await countOf()).toBe(most);
        expect((await quotas.view(organizationId)).used.records).toBeGreaterThanOrEqual(most);
        await quotas.set(organizationId, { records: 1 });
        await within(() => limit('1g', null, 1));
        await within(async () => {
          await stores.projects.remove({ projectId: 'further-0' });
        });
        await database.transaction(() => quotas.within(world.foreign.organizationId, () => add(1, 9)));
      });

      it('where nobody has set a number, and together with those that share the quota', async () => {
        const present = await countOf();
        await database.transaction(() => add(usualRecords - present));
        await expect(within(() => add(1, usualRecords))).rejects.toThrow(
          `may have ${usualRecords} projects; it has ${usualRecords}`,
        );
        const first = await stores.organizations.find({ organizationId });
        if (!first) throw new Error('There is no organization.');
        await stores.organizations.insert({
          ...first,
          organizationId: 'second',
          parentOrganizationId: organizationId,
        });
        await expect(
          database.transaction(() => quotas.within('second', () => add(1, usualRecords))),
        ).rejects.toThrow(/The 2 organizations that share this quota may have/);
      });
    });

    it('of two releases that come at the same moment the one too many, until the other ends', async () => {
      await quotas.set(organizationId, { memoryBytes: 4 * GiB });
      const former = (await stores.deployments.list({ organizationId }))[0];
      if (!former) throw new Error('There is no deployment.');
      const release = async (deploymentId: string): Promise<string> => {
        const taken = { serviceId: deploymentId, name: deploymentId, memoryBytes: 3 * GiB, nanoCpus: 0 };
        return quotas.requireRoom(organizationId, taken, deploymentId).then(
          () => 'taken',
          (error: Error) => error.message,
        );
      };
      for (const [index, deploymentId] of ['one', 'two'].entries())
        await stores.deployments.insert({
          ...former,
          deploymentId,
          status: 'running',
          sequence: index + 1e6,
        });
      const said = await Promise.all([release('one'), release('two')]);
      expect(said.toSorted()).toEqual([
        expect.stringMatching(/may have 4096 MiB.*has 3072 MiB, and this would make it 6144 MiB/),
        'taken',
      ]);
      const [first, second] = said[0] === 'taken' ? ['one', 'two'] : ['two', 'one'];
      // An attempt after a crash finds its own place.
      expect(await release(first)).toBe('taken');
      expect((await quotas.view(organizationId)).used.memoryBytes).toBe(3 * GiB);
      await stores.deployments.update({ deploymentId: first }, { status: 'error' });
      expect(await release(second)).toBe('taken');
    });

    it('a release without a limit where one is needed, and one that does not fit', async () => {
      await limit('1g', '1', 1);
      await quotas.set(organizationId, { memoryBytes: 4 * GiB, nanoCpus: 4_000_000_000 });
      const release = (memoryBytes: number | undefined, serviceId = 'stack') =>
        quotas.requireRoom(
          organizationId,
          { serviceId, name: 'stack', memoryBytes, nanoCpus: 1_000_000_000 },
          'under way nowhere',
        );
      await release(2 * GiB);
      await expect(release(3 * GiB)).rejects.toThrow(/has 2048 MiB, and this would make it 5120 MiB/);
      await expect(release(undefined)).rejects.toThrow(/stack has no memoryLimit, .* 4096 MiB of memory/);
      // Its own former release makes room for it.
      await release(3 * GiB, of(world.own, 'applicationId'));
      await expect(
        quotas.requireRecorded(organizationId, of(world.own, 'otherApplicationId')),
      ).rejects.toThrow(/worker has no memoryLimit/);
    });

    it('backups over them, by what is kept', async () => {
      const backupRunId = of(world.own, 'backupRunId');
      await stores.backupRuns.update({ backupRunId }, { isStored: true, storedBytes: 700 });
      await quotas.set(organizationId, { backupBytes: 1000 });
      await quotas.requireBackupRoom(organizationId, 300);
      await expect(quotas.requireBackupRoom(organizationId, 301)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('Keep fewer backups'),
      });
      await stores.backupRuns.update({ backupRunId }, { storedBytes: 1000 });
      await expect(quotas.requireBackupRoom(organizationId, 0)).rejects.toMatchObject({ code: 'CONFLICT' });
    });
  });
});
