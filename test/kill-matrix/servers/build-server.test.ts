/** Applications that are built on another server than they run on. */
import { expect, test } from 'vitest';
import { AppError } from '../../../server/src/domain/errors.ts';
import { builtPrefix } from '../../../server/src/domain/names/image-reference.ts';
import type { ServiceRef } from '../../../server/src/domain/names/service-ref.ts';
import type { Machine } from '../neighbours.ts';
import { productInMemory } from '../product.ts';

const product = productInMemory();

const fromGit = {
  sourceType: 'git',
  customGitUrl: 'https://git.test/shop.git',
  customGitBranch: 'main',
  buildType: 'dockerfile',
} as const;

const builtOn = ({ memory }: Machine): string[] =>
  [...memory.state.images.values()]
    .flatMap(({ tags }) => [...tags])
    .filter((tag) => tag.startsWith(builtPrefix));

const away = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'The server builders cannot be reached over SSH.');

async function builtElsewhere(name: string, machine: Partial<Machine> = {}) {
  const runs = await product().addServer();
  const builds = await product().addServer({ name: 'builders', serverType: 'build' });
  Object.assign(builds.machine, machine);
  const service = await product().addApplication(
    name,
    { ...fromGit, buildServerId: builds.serverId },
    { environmentId: product().environmentId, serverId: runs.serverId },
  );
  return { service, runs, builds };
}

const setting = (service: ServiceRef, buildServerId: string | null): Promise<unknown> =>
  product().run(({ applications }) =>
    applications.update(service.serviceId, product().organizationId, { buildServerId }),
  );

test('the build server makes the image, and only the server that runs it has it', async () => {
  const { service, runs, builds } = await builtElsewhere('shop');
  const done = await product().deploy(service);
  expect(done).toMatchObject({ status: 'done', errorMessage: null });
  expect(builtOn(runs.machine)).toEqual([done.image]);
  expect(builtOn(builds.machine)).toEqual([]);
  expect(runs.machine.readied).toEqual([]);
  expect([...runs.machine.memory.state.services.values()].map(({ spec }) => spec.Name)).toContain('shop');
  expect(product().logOf(done)).toContain(`The build runs on the server ${builds.serverId} (buildServerId).`);
  expect(await product().run(({ stores }) => stores.jobs.list({ serverKey: runs.serverId }))).toMatchObject([
    { buildServerKey: builds.serverId, slot: 'none' },
  ]);
});

test('what runs goes back, and an image is pulled, without the build server', async () => {
  const { service, builds } = await builtElsewhere('back');
  const first = await product().deploy(service);
  await product().deploy(service);
  builds.machine.reachable = async () => Promise.reject(away());
  const { deploymentId: sourceDeploymentId } = first;
  expect(await product().deploy(service, { kind: 'rollback', sourceDeploymentId })).toMatchObject({
    status: 'done',
  });
});

test('an unreachable build server is waited for, then the deployment fails and says why', async () => {
  const way = Promise.withResolvers<void>();
  const { service, builds } = await builtElsewhere('waits', {
    async reachable({ onWait }) {
      onWait(away(), 30 * 60_000);
      setTimeout(way.resolve, 60_000);
      await way.promise;
    },
  });
  const waited = await product().deploy(service);
  expect(waited).toMatchObject({ status: 'done' });
  expect(product().logOf(waited).join('\n')).toMatch(
    /cannot be reached over SSH\. The deployment waits for it, at most 30 minutes\.\n.*continuing after 60 s/,
  );
  builds.machine.reachable = async () => Promise.reject(away());
  expect(await product().deploy(service)).toMatchObject({
    status: 'error',
    stage: 'build',
    errorMessage: away().message,
  });
});

test('only a server of the organization that builds and is set up is taken', async () => {
  const { service, builds, runs } = await builtElsewhere('taken');
  const bare = await product().addServer({ serverType: 'build', status: 'inactive', name: 'bare' });
  const theirs = await product().addServer({ serverType: 'build', organizationId: 'others' });
  const refused: [string, RegExp][] = [
    [runs.serverId, /names frankfurt, whose serverType is deploy; name a server whose serverType is build/],
    [bare.serverId, /names bare, which is not set up yet; set it up with server.setup first/],
    [theirs.serverId, /names a server that is not one of this organization/],
  ];
  for (const [serverId, sentence] of refused) {
    await expect(setting(service, serverId)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(setting(service, serverId)).rejects.toThrow(sentence);
  }
  // One that does not build any more is told when it is needed.
  await product().run(({ stores }) =>
    stores.servers.update({ serverId: builds.serverId }, { status: 'inactive' }),
  );
  expect(await product().deploy(service)).toMatchObject({
    status: 'error',
    errorMessage: expect.stringMatching(
      /buildServerId of this application names builders, which is not set up/,
    ),
  });
  await setting(service, null);
  const here = await product().deploy(service);
  expect(here).toMatchObject({ status: 'done' });
  expect(product().logOf(here).join('\n')).not.toContain('buildServerId');
});

test.each([
  [1, 1],
  [2, 0],
])('a server builds as many at once as its own setting says: %i, and %i waits', async (limit, waiting) => {
  const place = await product().addServer({ buildsConcurrency: limit });
  place.machine.buildMs = 20_000;
  const names = ['one', 'two'].map((name) => `${name}-of-${limit}`);
  const services = await Promise.all(
    names.map((name) =>
      product().addApplication(name, fromGit, {
        environmentId: product().environmentId,
        serverId: place.serverId,
      }),
    ),
  );
  const done = await Promise.all(services.map((service) => product().deploy(service)));
  const hasWaited = done.filter((each) =>
    product()
      .logOf(each)
      .some((line) => line.startsWith('Waiting for a build slot')),
  );
  expect([done.map(({ status }) => status), hasWaited.length]).toEqual([['done', 'done'], waiting]);
});
