import { expect, it } from 'vitest';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { systemClock as clock } from '../../ports/clock.ts';
import { giveUpIncarnation, openInstallation, type Installation } from './installation.ts';
import { createInstallationStore, createKnownThings } from './store.ts';

eachDatabase('the installation', ({ open }) => {
  async function begin() {
    const database = await open();
    const store = createInstallationStore(database);
    const start = (more: object = {}): Promise<Installation> =>
      openInstallation({
        store,
        cipher: database.cipher,
        clock,
        isNew: true,
        restored: undefined,
        gaveUp: undefined,
        ...more,
      });
    return { database, store, start };
  }

  it('has an id from its first start on, also of two at once', async () => {
    const { start } = await begin();
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.installationId).toMatch(/^[a-z0-9]{16}$/);
    expect(two).toEqual(one);
    expect(await start()).toEqual(one);
    expect((await (await begin()).start()).installationId).not.toBe(one.installationId);
  });

  it('has the same id when its upgrade is taken back and made again', async () => {
    const { database, start } = await begin();
    const first = await start({ isNew: false });
    expect(first.incarnation.cause).toBe('upgraded');
    await database.script('DELETE FROM "installation"; DELETE FROM "incarnation"');
    const again = await start({ isNew: false });
    expect(again.installationId).toBe(first.installationId);
    expect(again.incarnation.incarnationId).toBe(first.incarnation.incarnationId);
  });

  it('is another incarnation after a restore, once, and remembers the one before', async () => {
    const { store, start } = await begin();
    const first = await start();
    const second = await start({ restored: 'second' });
    expect(second).toMatchObject({
      installationId: first.installationId,
      incarnation: { incarnationId: 'second', cause: 'restored' },
    });
    expect(await start({ restored: 'second' })).toEqual(second);
    expect(await start()).toEqual(second);
    expect(await store.incarnations()).toHaveLength(2);
    expect((await store.incarnations()).every(({ endedAt }) => endedAt === null)).toBe(true);
  });

  it('gives up former incarnations by their names, never itself', async () => {
    const { store, start } = await begin();
    const first = await start();
    const { incarnationId } = first.incarnation;
    await expect(giveUpIncarnation(store, incarnationId, 'now')).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await start({ restored: 'second', gaveUp: incarnationId });
    await giveUpIncarnation(store, 'made-after-the-backup', 'then');
    const ended = (await store.incarnations()).filter(({ endedAt }) => endedAt !== null);
    expect(ended.map((one) => one.incarnationId).toSorted()).toEqual(
      [incarnationId, 'made-after-the-backup'].toSorted(),
    );
  });

  it('remembers things by their names, and an unknown one from when it was first seen', async () => {
    const things = createKnownThings(await open());
    for (const name of ['net', 'net']) await things.adopt('local', name, 'now');
    expect([...(await things.adopted('local'))]).toEqual(['net']);
    await things.forgetAdopted('local', 'net');
    expect((await things.adopted('local')).size).toBe(0);
    const thing = {
      serverKey: 'local',
      kind: 'service' as const,
      name: 'shop',
      engineId: 'e1',
      owner: 'application:a1',
      seenAt: 'now',
      removedAt: null,
    };
    expect(await things.keepUnknown(thing)).toBe(true);
    expect(await things.keepUnknown({ ...thing, seenAt: 'later' })).toBe(false);
    expect(await things.unknown('local')).toEqual([thing]);
    expect(await things.keepUnknown({ ...thing, engineId: 'e2' })).toBe(true);
    await things.forgetUnknown('local', 'shop');
    expect(await things.unknown()).toEqual([]);
  });
});
