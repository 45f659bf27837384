/** Deletions that go on, on both databases: written down, tried again, and forgotten when they are over. */
import { beforeEach, expect, it } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { of } from '../../../../test/world/fixtures.ts';
import { seedWorlds, type World } from '../../../../test/world/world.ts';
import { finishDeletions } from '../../jobs/finish-deletions.ts';
import { createStores, type Stores } from '../../composition/stores.ts';
import { AppError } from '../../domain/errors.ts';
import { composeRef } from '../../domain/names/service-ref.ts';
import type { RegisteredProcedure } from '../../procedure/registry.ts';
import { removeFromEngine } from '../service/own-service.ts';
import {
  createUnfinishedDeletions,
  type AskedDeletion,
  type UnfinishedDeletions,
} from './unfinished-deletion.ts';

eachDatabase('deletions that go on', (test) => {
  const clock = { time: Date.parse('2030-01-01T00:00:00.000Z'), now: () => clock.time };
  let stores: Stores;
  let unfinished: UnfinishedDeletions;
  let asked: AskedDeletion;

  beforeEach(async () => {
    const database = await test.open();
    stores = createStores(database);
    unfinished = createUnfinishedDeletions(stores.unfinishedDeletions, clock);
    const [world] = (await seedWorlds(database, 1)) as [World];
    const serviceId = of(world.own, 'composeId');
    await stores.composes.update({ composeId: serviceId }, { isStopped: true });
    const { organizationId } = world.own;
    const place = { organizationId, serverKey: 'local', name: 'stack', userId: 'u1' };
    asked = { kind: 'compose', serviceId, deleteVolumes: true, ...place };
  });

  const refused = async (): Promise<never> => {
    throw new AppError('SERVICE_UNAVAILABLE', 'Containers go on.');
  };

  it('are written down once, with their first time and their last reason', async () => {
    await unfinished.keep(asked, 'One container goes on.');
    clock.time += 60_000;
    await unfinished.keep(asked, 'It still does.');
    expect(await unfinished.all(asked.organizationId)).toEqual([
      {
        ...asked,
        since: '2030-01-01T00:00:00.000Z',
        triedAt: '2030-01-01T00:01:00.000Z',
        reason: 'It still does.',
        tries: 2,
      },
    ]);
    expect(await unfinished.all('another')).toEqual([]);
  });

  it('are tried again until they succeed, by the same procedure and for the same person', async () => {
    await unfinished.keep(asked, 'One container goes on.');
    await unfinished.turn(refused);
    expect(await unfinished.all()).toMatchObject([{ reason: 'Containers go on.' }]);
    const calls: unknown[] = [];
    const target = { path: 'compose.delete' } as RegisteredProcedure;
    await finishDeletions({
      unfinished,
      stores,
      registry: new Map([['compose.delete', target]]),
      guard: {
        call: async (called, caller, input) => calls.push([called, await caller.authenticate(), input]),
      },
    });
    const actor = { organizationId: asked.organizationId, userId: 'u1', role: 'owner' };
    expect(calls).toEqual([
      [target, expect.objectContaining(actor), { composeId: asked.serviceId, deleteVolumes: true }],
    ]);
    expect(await unfinished.all()).toEqual([]);
  });

  it('are over where somebody else finished them, started the service or deployed it', async () => {
    const gone = async (): Promise<never> => {
      throw new AppError('NOT_FOUND', 'There is no such service.');
    };
    await unfinished.keep(asked, 'One container goes on.');
    await unfinished.turn(gone);
    expect(await unfinished.all()).toEqual([]);

    await unfinished.keep(asked, 'One container goes on.');
    await stores.composes.update({ composeId: asked.serviceId }, { isStopped: false });
    await unfinished.turn(refused);
    expect(await unfinished.all()).toEqual([]);

    await stores.composes.update({ composeId: asked.serviceId }, { isStopped: true });
    await unfinished.keep(asked, 'One container goes on.');
    const [deployment] = await stores.deployments.list({ organizationId: asked.organizationId });
    if (!deployment) throw new Error('There is no deployment.');
    await stores.deployments.insert({
      ...deployment,
      deploymentId: 'later',
      applicationId: null,
      databaseId: null,
      previewDeploymentId: null,
      composeId: asked.serviceId,
      createdAt: '2031-01-01T00:00:00.000Z',
      sequence: 1e6,
    });
    await unfinished.turn(refused);
    expect(await unfinished.all()).toEqual([]);
  });

  it('begin where services are removed and containers go on, not where nothing was removed', async () => {
    const { engine } = createEngineInMemory();
    const owner = composeRef(asked.serviceId);
    const said: string[] = [];
    const removal = { deleteVolumes: true, stays: async (reason: string) => void said.push(reason) };
    const goesOn = new AppError(
      'SERVICE_UNAVAILABLE',
      'The service is removed, but 1 of its containers goes on.',
    );
    const labels = { 'berth.compose': asked.serviceId };
    const service = { name: 'stack-web', labels };
    const left = async (after: readonly object[]): Promise<unknown> => {
      let isAsked = false;
      return removeFromEngine(
        {
          ...engine,
          containers: async () => [],
          services: async () => (isAsked ? after : [service]) as Awaited<ReturnType<typeof engine.services>>,
          async removeService() {
            isAsked = true;
            throw goesOn;
          },
        },
        owner,
        removal,
      ).catch((error: unknown) => error);
    };
    expect(await left([service])).toBe(goesOn);
    expect(said).toEqual([]);
    expect(await left([])).toBe(goesOn);
    expect(said).toEqual([goesOn.message]);
  });
});
