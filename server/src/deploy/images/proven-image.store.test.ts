/** Images by registries of one's own, on the engine in memory: its registries hold what is put into them. */
import { createHash } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { createImageAccess } from '../../modules/image/image.ts';
import { systemClock } from '../../ports/clock.ts';
import { bringImage } from './bring-image.ts';

const theirs = 'private.example.com/team/app:1';
const evil = 'evil.example.com/x:1';
const open = 'public.example.com/app:1';
const account = { username: 'team', password: 'of the team' };
const signIn = {
  username: account.username,
  password: new Secret(account.password),
  serverAddress: 'private.example.com',
};

eachDatabase('an image that is here under another source', (test) => {
  let memory: ReturnType<typeof createEngineInMemory>;
  let shared: string[];
  let bring: (organizationId: string, reference: string) => Promise<string>;
  let mayRun: (organizationId: string, reference: string) => Promise<boolean>;

  beforeEach(async () => {
    shared = ['berth/'];
    memory = createEngineInMemory();
    const { engine, state } = memory;
    for (const host of ['private.example.com', 'public.example.com'])
      memory.addRegistry(host, host.startsWith('private') ? account : undefined);
    memory.addRegistry('evil.example.com');
    const stores = createStores(await test.open());
    for (const organizationId of ['owner', 'thief', 'neighbour', 'anybody'])
      await stores.organizations.insert({
        organizationId,
        name: organizationId,
        createdAt: '2026-01-01T00:00:00.000Z',
        requireTwoFactor: false,
        trusted: false,
        parentOrganizationId: null,
      });
    const images = createImageAccess({
      store: stores.images,
      shared: async () => shared,
      clock: systemClock,
    });
    const signal = AbortSignal.timeout(60_000);
    mayRun = async (organizationId, reference) => {
      const image = await engine.image(reference);
      return image !== undefined && images.mayRun({ organizationId, serverKey: 'local', reference }, image);
    };
    bring = (organizationId, reference) =>
      bringImage(
        {
          engine,
          images,
          serverKey: 'local',
          signal,
          log: { line: () => undefined },
          reachRegistry: async (_registry, _by, work) => work(),
        },
        {
          reference,
          organizationId,
          auth: organizationId === 'owner' && reference === theirs ? signIn : undefined,
          how: 'newest',
        },
      ).then(
        () => 'brought',
        (error: Error) => error.message,
      );
    // The owner's own, in its registry and on the server.
    memory.addImage(theirs, { sizeBytes: 1, programs: {} });
    const image = [...state.images.values()].find(({ tags }) => [...tags].join().includes('team/app'));
    if (!image) throw new Error('It was not made.');
    for (const host of [
      'private.example.com/team/app',
      'evil.example.com/x',
      'evil.example.com/y',
      'public.example.com/app',
    ])
      for (const version of [':1', `@sha256:${createHash('sha256').update(image.id).digest('hex')}`])
        state.registries.get(host.split('/')[0] ?? '')?.images.set(`${host}${version}`, image);
  });

  it('is not its organization’s that only knows what it is called', async () => {
    expect(await bring('owner', theirs)).toBe('brought');
    expect(await bring('thief', theirs)).toMatch(/no basic auth/);
    expect(await bring('thief', evil)).toMatch(/is already on this server under the name of another source/);
    expect(await mayRun('thief', evil)).toBe(false);
    expect(await memory.engine.image(evil)).toBeUndefined();
    expect(await mayRun('owner', theirs)).toBe(true);
  });

  it('is of whoever had it before, or gets it where everybody does', async () => {
    expect(await bring('owner', theirs)).toBe('brought');
    expect(await bring('thief', evil)).not.toBe('brought');
    // Where everybody gets it counts once somebody was given it there, and an own registry never does.
    expect(await bring('anybody', evil)).not.toBe('brought');
    expect(await bring('owner', open)).toBe('brought');
    expect(await bring('anybody', evil)).toBe('brought');
  });

  it('is of everybody once the installation shares it', async () => {
    expect(await bring('owner', theirs)).toBe('brought');
    shared.push('private.example.com/team/app');
    expect(await bring('neighbour', evil)).toBe('brought');
  });

  it('is not a thief’s either who asks by two registries of their own at once', async () => {
    expect(await bring('owner', theirs)).toBe('brought');
    const said = await Promise.all([bring('thief', evil), bring('thief', 'evil.example.com/y:1')]);
    for (const one of said) expect(one).toMatch(/under the name of another source/);
  });

  it('is not a thief’s when it has no name left, since what others were given is known', async () => {
    expect(await bring('owner', theirs)).toBe('brought');
    for (const image of memory.state.images.values()) {
      image.tags.clear();
      image.digests.clear();
    }
    expect(await bring('thief', evil)).toMatch(/under the name of another source/);
  });
});
