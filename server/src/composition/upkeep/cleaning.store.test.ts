import { overridingAll } from '../../adapters/engine/client/labels.ts';
import { installationLabel } from '../../domain/names/labels.ts';
import { testInstallation } from '../../../../test/installation.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { otherServices } from '../../../../test/http/places.ts';
import { worlds } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { restoredVolumeRun } from '../../../../test/store/restored-volume-run.ts';
import { createPreviewDesk } from '../../../../test/store/preview-desk.ts';
import { applicationRef, ownerLabels } from '../../domain/names/service-ref.ts';
import { systemClock } from '../../ports/clock.ts';
import { createCleaningUp } from './cleaning.ts';
import { createStores } from '../stores.ts';

const dayMs = 24 * 3_600_000;
const created = z.looseObject({ Id: z.string() });

eachDatabase('clean-ups', (test) => {
  const createWorld = worlds(test);

  async function begin() {
    const { database, place, people } = await createWorld(() => []);
    const { organizationId } = people.owner;
    const stores = createStores(database);
    const git = {
      sourceType: 'git' as const,
      customGitUrl: 'https://git.example.com/acme/shop.git',
      customGitBranch: 'main',
    };
    await stores.applications.update({ applicationId: place.applicationId }, git);
    const { deployments } = createPreviewDesk(database);
    const memory = createEngineInMemory();
    const clock = { time: systemClock.now() + 2 * dayMs, now: () => clock.time };
    const settings = {
      keptImages: 1,
      keptDeployments: 3,
      minFreeDisk: 10,
      cleanupSchedule: '0 4 * * *' as string | null,
      formerVolumeDays: null as number | null,
    };
    const disk = { free: 100 };
    const said: string[] = [];
    const caches: string[] = [];
    const host = {
      key: 'local',
      engine: memory.engine,
      builder: { remove: async (organizationId: string) => void caches.push(organizationId) },
    };
    const server = { free: 100, isAway: false, looks: 0, caches: [] as string[] };
    const farMemory = createEngineInMemory();
    const far = {
      key: 'far',
      engine: farMemory.engine,
      builder: { remove: async (organizationId: string) => void server.caches.push(organizationId) },
      whySilent: () => (server.isAway ? 'The server far cannot be reached.' : undefined),
      freeBytes: async (folder: string) => {
        expect(folder).toBe('/var/lib/docker');
        server.looks += 1;
        return server.free;
      },
    };
    const databases = {
      find: (databaseId: string) => stores.databases.find({ databaseId }),
      patch: async (databaseId: string, patch: object) =>
        void (await stores.databases.update({ databaseId }, patch)),
    };
    const up = createCleaningUp(
      {
        stores,
        clock,
        config: { data: mkdtempSync(join(tmpdir(), 'berth-clean-')) },
        adapters: { files: { freeBytes: async () => disk.free } },
        log: {
          info: (message) => void said.push(message),
          warn: (message) => void said.push(message),
          fault: (error) => String(error),
        },
      },
      {
        settings: { get: async () => Object(settings) },
        databases: Object(databases),
        turns: Object({ take: (_key: string, work: () => Promise<unknown>) => work() }),
      },
      {
        hosts: {
          of: async (key) => (key === 'far' ? far : host),
          find: async (key) => (key === 'far' ? far : host),
          all: async () => [host, far],
        },
        deployments,
      },
    );
    const container = async (name: string, Labels: Record<string, string>): Promise<void> => {
      const made = Labels['berth.managed']
        ? overridingAll(name, { ...Labels, [installationLabel]: testInstallation })
        : Labels;
      const body = { Image: 'foreign:1', Cmd: ['true'], Labels: made };
      const request = { method: 'POST', path: '/containers/create', query: { name }, body } as const;
      await memory.api.call({ ...request, doing: 'the test' }, created);
    };
    const release = async (image: string, status: 'done' | 'error'): Promise<string> => {
      const deployment = await deployments.accept(applicationRef(place.applicationId), {
        kind: 'deploy',
        title: image,
        description: '',
      });
      await stores.deployments.update({ deploymentId: deployment.deploymentId }, { status, image });
      return deployment.deploymentId;
    };
    memory.addImage('foreign:1', { programs: {}, command: ['true'] });
    return {
      ...up,
      place,
      stores,
      memory,
      clock,
      settings,
      disk,
      server,
      farMemory,
      said,
      caches,
      container,
      release,
      deployments,
      organizationId,
      world: database,
    };
  }

  it('show and remove what is of no use, and nothing that Berth did not make', async () => {
    const { cleanup, place, memory, container, release, stores, caches } = await begin();
    const own = { [ownerLabels.application]: place.applicationId };
    const built = (name: string, labels: Record<string, string>): void =>
      memory.addImage(name, { programs: {}, command: ['true'], labels });
    for (const name of ['berth-build/shop:old', 'berth-build/shop:failed', 'berth-build/shop:live'])
      built(name, own);
    built('berth-build/gone:1', {
      [ownerLabels.application]: 'an-application-that-is-gone',
      [installationLabel]: testInstallation,
    });
    // Anybody's image may carry the labels of Berth.
    built('team/tool:1', {
      [ownerLabels.application]: 'an-application-that-is-gone',
      'berth.managed': 'true',
    });
    await release('berth-build/shop:old', 'done');
    await release('berth-build/shop:failed', 'error');
    const live = await release('berth-build/shop:live', 'done');
    const { applicationId } = place;
    await stores.applications.update({ applicationId }, { liveDeploymentId: live });
    await container('left', { 'berth.managed': 'true' });
    await container('builder', { 'berth.managed': 'true', 'berth.builder': 'team' });
    await container('foreign', {});
    await container('committed', {
      ...own,
      [installationLabel]: testInstallation,
      'berth.container': 'left',
    });
    // Without a name: one that Berth built again, and one that somebody made from it since.
    const builtAt = '2026-01-01T00:00:00.000Z';
    for (const [name, createdAt] of [
      ['berth-build/shop:again', builtAt],
      ['berth-build/shop:by-hand', '2026-01-02T00:00:00.000Z'],
    ] as const) {
      built(name, { ...own, 'berth.built': builtAt, name });
      const image = [...memory.state.images.values()].find(({ tags }) => tags.has(name));
      image?.tags.clear();
      if (image) image.createdAt = Date.parse(createdAt);
    }
    await memory.api.send({
      method: 'POST',
      path: '/volumes/create',
      body: { Name: 'foreign-data', Labels: {} },
      doing: 'the test',
    });

    const shown = await cleanup.cleaning.preview('local', { caches: false });
    expect(shown.items.map(({ kind, name }) => `${kind} ${name}`).toSorted()).toEqual([
      'container left',
      'image berth-build/gone:1',
      'image berth-build/shop:failed',
      'image berth-build/shop:old',
      expect.stringMatching(/^image sha256:/),
    ]);
    expect(await cleanup.cleaning.run('local', { caches: true })).toMatchObject({
      failures: [],
      items: expect.arrayContaining([expect.objectContaining({ kind: 'buildCache' })]),
    });
    expect(caches).toEqual(['team']);
    const left = memory.state;
    expect([...left.images.values()].flatMap(({ tags }) => [...tags]).toSorted()).toEqual([
      'berth-build/shop:live',
      'foreign:1',
      'team/tool:1',
    ]);
    expect(
      [...left.images.values()].flatMap(({ tags, content }) => (tags.size > 0 ? [] : [content.labels])),
    ).toEqual([expect.objectContaining({ name: 'berth-build/shop:by-hand' })]);
    const names = [...left.containers.values()].map(({ name }) => name);
    expect(names.toSorted()).toEqual(['builder', 'committed', 'foreign']);
    expect([...left.volumes.keys()]).toEqual(['foreign-data']);
    expect(await cleanup.cleaning.run('local', { caches: false })).toMatchObject({ items: [] });
  });

  it('leave the images of a service alone while it is deployed', async () => {
    const { cleanup, place, memory, deployments } = await begin();
    memory.addImage('berth-build/shop:new', {
      programs: {},
      command: ['true'],
      labels: { [ownerLabels.application]: place.applicationId },
    });
    const service = applicationRef(place.applicationId);
    await deployments.accept(service, { kind: 'deploy', title: 'new', description: '' });
    expect(await cleanup.cleaning.preview('local', { caches: true })).toMatchObject({ items: [] });
  });

  it('keep the newest deployments of a service, and the live one however old it is', async () => {
    const { cleanup, place, stores, release, deployments } = await begin();
    const live = await release('first', 'done');
    await stores.applications.update({ applicationId: place.applicationId }, { liveDeploymentId: live });
    for (let count = 0; count < 6; count += 1) await release(`image ${count}`, 'error');
    expect(await cleanup.cleaning.run('local', { caches: false })).toMatchObject({
      items: [{ kind: 'deployments', reason: expect.stringContaining('4 deployments') }],
    });
    const left = await deployments.all(applicationRef(place.applicationId));
    expect(left.map(({ title }) => title)).toEqual(['image 5', 'image 4', 'image 3', 'first']);
  });

  it('run by schedule, and with caches once an hour while the disk is nearly full', async () => {
    const { cleanTurn, clock, container, disk, said, caches, settings, memory } = await begin();
    clock.time = Date.parse('2030-06-01T03:59:30.000Z');
    await cleanTurn();
    await container('left', { 'berth.managed': 'true' });
    await cleanTurn();
    expect(memory.state.containers.size).toBe(1);
    clock.time += 60_000;
    await cleanTurn();
    expect(said).toEqual(['Cleaned up']);
    expect(memory.state.containers.size).toBe(0);
    await container('builder', { 'berth.managed': 'true', 'berth.builder': 'team' });
    settings.cleanupSchedule = null;
    disk.free = 19;
    for (let minute = 0; minute < 90; minute += 1) {
      clock.time += 60_000;
      await cleanTurn();
    }
    expect(caches).toEqual(['team', 'team']);
  });

  it('make room on a server whose disk is nearly full, once an hour, and not while it is away', async () => {
    const { cleanTurn, clock, server, farMemory, settings, caches } = await begin();
    settings.cleanupSchedule = null;
    farMemory.addImage('foreign:1', { programs: {}, command: ['true'] });
    const own = { 'berth.managed': 'true', 'berth.builder': 'team', [installationLabel]: testInstallation };
    const body = { Image: 'foreign:1', Cmd: ['true'], Labels: overridingAll('builder', own) };
    const request = { method: 'POST', path: '/containers/create', query: { name: 'builder' }, body } as const;
    await farMemory.api.call({ ...request, doing: 'the test' }, created);
    const pass = async (minutes: number): Promise<void> => {
      for (let minute = 0; minute < minutes; minute += 1) {
        clock.time += 60_000;
        await cleanTurn();
      }
    };
    await pass(60);
    expect([server.looks, server.caches]).toEqual([12, []]);
    server.free = 19;
    server.isAway = true;
    await pass(60);
    expect([server.looks, server.caches]).toEqual([12, []]);
    server.isAway = false;
    await pass(65);
    expect(server.caches).toEqual(['team', 'team']);
    expect(caches).toEqual([]);
  });

  it('list former volumes, warn of old ones, and remove them when a setting says so', async () => {
    const scene = await begin();
    const { cleanup, stores, memory, place, clock, settings, said, cleanTurn } = scene;
    const { organizationId, world } = scene;
    const { mysql } = await otherServices(world, organizationId, place.environmentId);
    const database = await stores.databases.find({ databaseId: mysql });
    if (!database) throw new Error('no database');
    const since = new Date(clock.time - 31 * dayMs).toISOString();
    const former = { volumeName: 'former', dataVersion: null, containerImage: 'mysql:8', since };
    await stores.databases.update({ databaseId: database.databaseId }, { formerVolumes: [former] });
    await memory.api.send({
      method: 'POST',
      path: '/volumes/create',
      body: { Name: 'former', Labels: { 'berth.managed': 'true' } },
      doing: 'the test',
    });
    expect(await cleanup.formerVolumes.all(database.organizationId)).toMatchObject([
      { volumeName: 'former', bytes: 0, ageDays: 31, removedAt: null, name: database.name },
    ]);
    expect(await cleanup.formerVolumes.all('another')).toEqual([]);
    settings.cleanupSchedule = '* * * * *';
    clock.time += 60_000;
    await cleanTurn();
    expect(said).toEqual([expect.stringContaining('has had the former data of the database')]);
    expect(memory.state.volumes.has('former')).toBe(true);
    settings.formerVolumeDays = 31;
    clock.time += 60_000;
    await cleanTurn();
    expect(memory.state.volumes.has('former')).toBe(false);
    expect((await stores.databases.find({ databaseId: database.databaseId }))?.formerVolumes).toEqual([]);
  });

  it('list what restores of volumes left, and remove it when a setting says so', async () => {
    const { cleanup, stores, memory, place, clock, settings, cleanTurn, organizationId } = await begin();
    const since = new Date(clock.time - 31 * dayMs).toISOString();
    const volumeName = `berth-${place.applicationId}-data`;
    await stores.backupRuns.insert(restoredVolumeRun(organizationId, place.applicationId, volumeName, since));
    await memory.api.send({
      method: 'POST',
      path: '/volumes/create',
      body: { Name: volumeName, Labels: { 'berth.managed': 'true' } },
      doing: 'the test',
    });
    expect(await cleanup.formerVolumes.all(organizationId)).toMatchObject([
      { volumeName, applicationId: place.applicationId, databaseId: null, bytes: 0, ageDays: 31 },
    ]);
    expect(await cleanup.formerVolumes.all('another')).toEqual([]);
    settings.cleanupSchedule = '* * * * *';
    settings.formerVolumeDays = 31;
    clock.time += 60_000;
    await cleanTurn();
    expect(memory.state.volumes.has(volumeName)).toBe(false);
    expect(await cleanup.formerVolumes.all(organizationId)).toEqual([]);
    expect((await stores.backupRuns.find({ backupRunId: 'restore' }))?.previousVolume).toBeNull();
  });
});
