import { expect, it } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { worlds } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { ownedLabels } from '../../adapters/engine/services/ownership.ts';
import { router } from '../../procedure/registry.ts';
import { createInstallationStore, createKnownThings } from '../installation/store.ts';
import { cleanupContract } from './contract.ts';
import { cleanupHandlers } from './handlers.ts';
import { createUnknownThings } from './unknown-things.ts';

const unasked = (): never => {
  throw new Error('Nobody asks for it here.');
};
const [seenAt, removedAt] = ['2026-05-01T10:00:00.000Z', '2026-05-02T10:00:00.000Z'];

eachDatabase('what no record names', (test) => {
  const createWorld = worlds(test);

  async function begin() {
    const memory = createEngineInMemory();
    const { api } = memory;
    const world = await createWorld((database) => {
      const unknownThings = createUnknownThings({
        things: createKnownThings(database),
        installation: createInstallationStore(database),
        host: async () => memory,
        now: () => removedAt,
      });
      const handlers = cleanupHandlers({
        cleaning: { preview: unasked, run: unasked },
        formerVolumes: { all: unasked, turn: unasked },
        keptVolumes: { all: unasked, require: unasked, remove: unasked },
        unknownThings,
        unfinished: { all: unasked },
      });
      return [router('cleanup', cleanupContract, handlers)];
    });
    const labels = ownedLabels(api, { 'berth.application': 'x' });
    const body = {
      Name: 'orphaned',
      Labels: labels,
      TaskTemplate: { ContainerSpec: { Image: 'web:1', Labels: labels } },
      Mode: { Replicated: { Replicas: 0 } },
    };
    await api.send({ method: 'POST', path: '/services/create', body, doing: 'making a service' });
    const things = createKnownThings(world.database);
    const [serverKey, kind, engineId, owner] = ['local', 'service' as const, 'e', 'application:x'];
    await things.keepUnknown({ serverKey, kind, name: 'orphaned', engineId, owner, seenAt, removedAt });
    return { ...world, memory };
  }

  it('is listed, and removed when somebody says so', async () => {
    const { owner, memory } = await begin();
    const items = [{ serverKey: 'local', name: 'orphaned', owner: 'application:x', seenAt, removedAt }];
    expect(await owner.query('cleanup.unknown')).toEqual(items);
    expect(await owner.query('cleanup.unknown', { limit: 1 })).toEqual({ items, nextCursor: null });
    expect(await memory.engine.service('orphaned')).toBeDefined();
    expect(await owner.mutate('cleanup.removeUnknown', { name: 'orphaned' })).toBe(true);
    expect(await memory.engine.service('orphaned')).toBeUndefined();
    expect(await owner.query('cleanup.unknown')).toEqual([]);
    expect(await owner.mutate('cleanup.removeUnknown', { name: 'orphaned' })).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('of other installations is listed, and nothing of this one', async () => {
    const { owner, memory } = await begin();
    const { api } = memory.connect(() => undefined, 'anotherone');
    const body = { Name: 'theirs', Labels: ownedLabels(api) };
    await api.send({ method: 'POST', path: '/volumes/create', body, doing: 'making a volume' });
    expect(await owner.query('cleanup.others')).toEqual([
      { kind: 'volume', name: 'theirs', installationId: 'anotherone' },
    ]);
  });

  it('is for Owner and Admin of the installation alone', async () => {
    const { stranger, member, nobody } = await begin();
    for (const one of [stranger, member])
      for (const name of ['cleanup.unknown', 'cleanup.others'])
        expect(await one.query(name)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await nobody.query('cleanup.unknown')).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('of a former incarnation is given up by its name', async () => {
    const { owner, database } = await begin();
    const store = createInstallationStore(database);
    const incarnation = {
      incarnationId: 'second',
      cause: 'created',
      startedAt: seenAt,
      endedAt: null,
    } as const;
    await store.create({ installationId: 'ours', incarnationId: 'second', createdAt: seenAt }, incarnation);
    expect(await owner.mutate('cleanup.giveUp', { incarnationId: 'former' })).toBe(true);
    expect(await store.incarnations()).toContainEqual(
      expect.objectContaining({ incarnationId: 'former', endedAt: removedAt }),
    );
    expect(await owner.mutate('cleanup.giveUp', { incarnationId: 'second' })).toMatchObject({
      code: 'BAD_REQUEST',
    });
  });
});
