/** The stage that pushes a built image, on the engine in memory: its registries take what is pushed. */
import { beforeEach, expect, it } from 'vitest';
import {
  createEngineInMemory,
  type EngineInMemory,
} from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { createPeople } from '../../../../test/http/people.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { AppError } from '../../domain/errors.ts';
import { createImageAccess, type ImageAccess } from '../../modules/image/image.ts';
import { createRegistries, type Registries } from '../../modules/registry/registry.ts';
import { systemClock } from '../../ports/clock.ts';
import type { PublishContext } from './publish.ts';
import { publishImage } from './publish.ts';

const built = 'berth-build/a1:d1';
const target = 'push.example.com/team/shop-web:d1';
const account = { username: 'team', password: 'of the team' };

eachDatabase('publishing a built image', (test) => {
  let memory: EngineInMemory;
  let images: ImageAccess;
  let registries: Registries;
  let owner: string;
  let stranger: string;
  let saved: object[];
  let reached: string[];
  let lines: string[];

  beforeEach(async () => {
    memory = createEngineInMemory();
    memory.addRegistry('push.example.com', account);
    memory.addImage(built, { sizeBytes: 1, programs: {} });
    const database = await test.open();
    const people = await createPeople(database);
    [owner, stranger] = [people.owner.organizationId, people.stranger.organizationId];
    const stores = createStores(database);
    images = createImageAccess({ store: stores.images, shared: async () => [], clock: systemClock });
    registries = createRegistries(
      stores.registries,
      memory.engine.checkRegistry,
      async (_registry, _by, work) => work(),
      systemClock,
    );
    [saved, reached, lines] = [[], [], []];
  });

  async function registryOf(
    organizationId: string,
    change: { registryUrl?: string; password?: string; imagePrefix?: string } = {},
  ): Promise<string> {
    const registry = { registryUrl: 'push.example.com', imagePrefix: 'team', ...account, ...change };
    return (await registries.create(organizationId, { name: 'push', ...registry })).registryId;
  }

  /** Publishes for an application of the owner; gives the error, if there is one. */
  function published(
    registryId: string | null,
    change: { image?: string | null; appName?: string; reachRegistry?: PublishContext['reachRegistry'] } = {},
  ): Promise<unknown> {
    const { image = built, appName = 'Shop-Web' } = change;
    return publishImage({
      application: { organizationId: owner, registryId, appName },
      deployment: { deploymentId: 'd1', image },
      engine: memory.engine,
      images,
      serverKey: 'local',
      records: { registry: (id, organizationId) => registries.access(id, organizationId) },
      log: { line: (line) => void lines.push(line) },
      signal: AbortSignal.timeout(60_000),
      save: async (patch) => void saved.push(patch),
      reachRegistry:
        change.reachRegistry ??
        (async (registry, { organizationId }, work) => {
          reached.push(`${registry} for ${organizationId}`);
          return work();
        }),
    }).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  const inRegistry = (): string[] => [
    ...(memory.state.registries.get('push.example.com')?.images.keys() ?? []),
  ];
  async function mayRun(organizationId: string): Promise<boolean> {
    const image = await memory.engine.image(target);
    return !!image && images.mayRun({ organizationId, serverKey: 'local', reference: target }, image);
  }

  it('pushes it under the names of application and deployment, for this organization alone', async () => {
    expect(await published(await registryOf(owner))).toBeUndefined();
    expect(inRegistry()).toContain(target);
    expect(reached).toEqual([`push.example.com for ${owner}`]);
    expect(saved).toEqual([{ image: target }]);
    expect(lines.join('\n')).toContain('The push refers to repository [push.example.com/team/shop-web]');
    expect(await mayRun(owner)).toBe(true);
    expect(await mayRun(stranger)).toBe(false);
  });

  it.each([
    ['no registry', { hasRegistry: false, image: built }],
    ['no built image', { hasRegistry: true, image: null }],
  ])('does nothing with %s', async (_why, { hasRegistry, image }) => {
    const registryId = hasRegistry ? await registryOf(owner) : null;
    expect(await published(registryId, { image })).toBeUndefined();
    expect([inRegistry(), reached, saved]).toEqual([[], [], []]);
  });

  it("refuses another organization's registry, whose sign-in it would push with", async () => {
    const theirs = await registryOf(stranger);
    expect(await published(theirs)).toMatchObject({ code: 'NOT_FOUND' });
    expect([inRegistry(), reached, saved]).toEqual([[], [], []]);
    expect(await memory.engine.image(target)).toBeUndefined();
  });

  it('refuses a name under which Berth keeps what it built for others, before it is tagged', async () => {
    memory.addImage('berth-build/victim:d1', { sizeBytes: 1, programs: {} });
    const victim = await memory.engine.image('berth-build/victim:d1');
    const registryId = await registryOf(owner, { registryUrl: 'docker.io', imagePrefix: 'berth-build' });
    expect(await published(registryId, { appName: 'victim' })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/^registryUrl: .*names an image that Berth built/),
    });
    expect((await memory.engine.image('berth-build/victim:d1'))?.id).toBe(victim?.id);
    expect([reached, saved]).toEqual([[], []]);
  });

  it.each([
    ['the sign-in is refused', { password: 'wrong' }, undefined],
    [
      'its address is refused',
      {},
      async () => Promise.reject(new AppError('FORBIDDEN', 'The address is in a private network.')),
    ],
  ])('keeps the deployment’s own image when %s', async (_why, change, reachRegistry) => {
    const refused = await published(await registryOf(owner, change), reachRegistry ? { reachRegistry } : {});
    expect(refused).toBeInstanceOf(AppError);
    expect([inRegistry(), saved]).toEqual([[], []]);
    expect(await mayRun(owner)).toBe(false);
    expect(await memory.engine.image(built)).toBeDefined();
  });
});
