/**
 * Compose services from a file to what answers behind the proxy and back, on a real Berth, engine, proxy and
 * repository.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { file, worker } from './fixtures/compose-file.ts';
import { dockerOf } from '../bed/docker.ts';
import { placesOf } from '../run/places.ts';
import type { DeploymentView } from './fixtures/berth-host.ts';
import { databasePath, prepareKill } from './fixtures/berth-process.ts';
import { inOrder } from './fixtures/in-order.ts';
import { expectAllAnswered, startLoad } from './fixtures/load.ts';
import { berthAt, type PlacedBerth } from './fixtures/placed-berth.ts';
import { createRepository, repositoriesFolder } from './fixtures/repository.ts';
import { tinyFiles } from './fixtures/sources.ts';
import {
  deploymentEnded,
  docker,
  expectCalmLog,
  applicationFixture,
  output,
  until,
  type ApplicationFixture,
} from './fixtures/applications.ts';

// They wait far more than they work.
vi.setConfig({ maxConcurrency: 5 });

let bed: Bed;
let shop: ApplicationFixture;
let berth: PlacedBerth;

interface Stack {
  id: string;
  appName: string;
  do<T = Record<string, unknown>>(procedure: string, input?: Record<string, unknown>): Promise<T>;
  begin(): Promise<string>;
  ended(deploymentId: string): Promise<DeploymentView>;
  /** Deploys and waits for the end, which must be `done`. */
  deploy(): Promise<string>;
  status(): Promise<unknown>;
  /** Ids of the running tasks of one of its services. */
  tasks(service: string): Promise<string[]>;
}

async function stack(name: string, input: Record<string, unknown>): Promise<Stack> {
  const { composeId: id } = await berth.call<{ composeId: string }>('compose.create', {
    name,
    appName: name,
    environmentId: shop.environmentId,
  });
  const made: Stack = {
    id,
    appName: name,
    do: (procedure, more = {}) => berth.call(`compose.${procedure}`, { composeId: id, ...more }),
    async begin() {
      await made.do('deploy');
      const [newest] = await berth.call<DeploymentView[]>('deployment.all', { composeId: id });
      return newest?.deploymentId ?? '';
    },
    ended: (deploymentId) => deploymentEnded(berth, name, deploymentId),
    async deploy() {
      const { deploymentId, status, errorMessage } = await made.ended(await made.begin());
      if (status !== 'done')
        throw new Error(`${name}: ${errorMessage ?? status}\n${(await berth.log(deploymentId)).join('\n')}`);
      return deploymentId;
    },
    status: async () => (await made.do('one'))['composeStatus'],
    tasks: async (service) =>
      (
        await output(
          berth.services,
          docker,
          'service',
          'ps',
          '-q',
          '--filter',
          'desired-state=running',
          `${name}_${service}`,
        )
      ).split('\n'),
  };
  await made.do('update', input);
  return made;
}

/** Those that the file names, and the one that the image of its seed declares. */
function keptVolumes({ id }: Stack): unknown[] {
  return [
    `berth-${id}-data`,
    expect.stringMatching(new RegExp(`^berth-${id}-seed-path-data-`)),
    `berth-${id}-work`,
  ];
}

async function expectToFollowRepository(): Promise<void> {
  const compose = (mount = ''): string => `
services:
  site:
    build: { context: ../site }
    env_file: [.env]
    volumes: ["./page:/www/page:ro", "./up:/www/up"${mount}]
    entrypoint:
      ["/bin/busybox", "sh", "-c",
       "echo $$NAME > /www/name; cd /www/up; [ -e written ] || echo data > written; echo mine >> changed;
        exec /bin/busybox httpd -f -p 3000 -h /www"]
`;
  const site = Object.fromEntries(
    Object.entries(tinyFiles('first')).map(([name, content]) => [`site/${name}`, content]),
  );
  const repository = await createRepository(berth.host, 'composed', {
    ...site,
    'deploy/compose.yaml': compose(),
    'deploy/page/index.html': 'page one',
    'deploy/up/seed': 'seed one',
    'deploy/up/changed': 'theirs\n',
  });
  const tools = await stack('tools', {
    sourceType: 'git',
    customGitUrl: `file://${repositoriesFolder}/composed.git`,
    customGitBranch: 'main',
    composePath: 'deploy/compose.yaml',
    composeType: 'stack',
    createEnvFile: true,
    env: 'NAME=${{project.NAME}} in its environment',
  });
  await berth.call('project.update', {
    projectId: (
      await berth.call<{ projectId: string }>('environment.one', { environmentId: shop.environmentId })
    ).projectId,
    env: 'NAME=tools',
  });
  await berth.call('domain.create', {
    composeId: tools.id,
    serviceName: 'site',
    domainType: 'compose',
    host: 'tools.localhost',
    port: 3000,
  });
  expect(await tools.do('loadServices')).toEqual(['site']);
  await tools.deploy();
  const page = async (path: string): Promise<string> =>
    (await berth.proxied('tools.localhost', path)).body.trim();
  expect([await page('/'), await page('/page/index.html'), await page('/name')]).toEqual([
    'first',
    'page one',
    'tools in its environment',
  ]);
  expect(await berth.call('container.getStackContainersByAppName', { appName: 'tools' })).toHaveLength(1);
  await repository.commit({
    'deploy/page/index.html': 'page two',
    'deploy/compose.yaml': compose(', "./kept:/kept"'),
    'deploy/up/seed': 'seed two',
    'deploy/up/changed': 'theirs anew\n',
  });
  const first = (await tools.do<{ deployments: DeploymentView[] }>('one')).deployments[0]?.deploymentId ?? '';
  const log = (await berth.log(await tools.deploy())).join('\n');
  expect(await page('/page/index.html')).toBe('page two');
  const carried = async (): Promise<string[]> =>
    Promise.all(['seed', 'written', 'changed'].map((name) => page(`/up/${name}`)));
  expect(await carried()).toEqual(['seed two', 'data', 'theirs\nmine\nmine']);
  expect(log).toContain(
    'below /www/up stay as the service changed them, and not as the commit has them: changed.',
  );
  expect(await berth.call('volumeBackup.volumes', { composeId: tools.id })).toContainEqual(
    expect.objectContaining({ volumeName: expect.stringMatching(/^path-up-/) }),
  );
  await berth.call('deployment.rollback', { deploymentId: first });
  const [back] = await berth.call<DeploymentView[]>('deployment.all', { composeId: tools.id });
  expect(await tools.ended(back?.deploymentId ?? '')).toMatchObject({ status: 'done' });
  expect(await carried()).toEqual(['seed one', 'data', 'theirs\nmine\nmine\nmine']);
  await repository.commit({
    'deploy/compose.yaml': compose().replace('env_file', 'privileged: true\n    env_file'),
  });
  expect(await tools.ended(await tools.begin())).toMatchObject({
    status: 'error',
    errorMessage: expect.stringMatching(/services\.site\.privileged is not possible in a swarm/),
  });
  expect(await page('/')).toBe('first');
  expect(await tools.do('delete', { deleteVolumes: true })).toMatchObject({ keptVolumes: [] });
  expect(await dockerOf(berth.services).volumes(`berth.compose=${tools.id}`)).toEqual([]);
}

describe.each(placesOf('compose'))('compose services on: %s', (place) => {
  /** Berth is killed only when the other chain needs it no longer. */
  const repositoryIsThrough = Promise.withResolvers<void>();

  beforeAll(async () => {
    bed = await bedOfRun();
    berth = await berthAt(place, bed, { name: 'compose', index: 29 });
    shop = await applicationFixture(berth, { buildsConcurrency: 4 });
  });
  afterAll(() => berth.end());

  describe.concurrent('a compose service of a file', () => {
    const next = inOrder();
    let store: Stack;
    const answer = (path = '/shop/cart'): Promise<{ status: number; body: string }> =>
      berth.proxied('store.localhost', path);

    it(
      'runs its services in their order, and its domain leads to the one that it names',
      next(async () => {
        // Another one in the environment answers to the same name, but with a password.
        const other = await berth.call<{ redisId: string }>('redis.create', {
          name: 'redis',
          appName: 'redis',
          databasePassword: 'something',
          containerImage: 'berth/redis:7',
          environmentId: shop.environmentId,
        });
        await berth.call('redis.deploy', { redisId: other.redisId });
        store = await stack('store', { composeFile: file(worker), env: 'VERSION=v1' });
        await berth.call('domain.create', {
          composeId: store.id,
          serviceName: 'web',
          domainType: 'compose',
          host: 'store.localhost',
          path: '/shop',
          stripPath: true,
          port: 3000,
        });
        await berth.call('mount.create', {
          composeId: store.id,
          type: 'file',
          filePath: 'note.txt',
          mountPath: '/etc/note.txt',
          content: 'hard',
        });
        const deploymentId = await store.deploy();
        const log = (await berth.log(deploymentId)).join('\n');
        expect(log).toContain('seed: /data, which its image declares to be a volume, is kept from now on');
        expect(log).toMatch(/seed: {3}OK[^]*seed: Ended with 0\.[^]*web: Releasing berth\/node:24/);
        expect(await answer()).toMatchObject({ status: 200, body: 'v1 /cart hello' });
        expect(await store.status()).toBe('done');
        expect(await store.do('loadServices')).toEqual(['web', 'seed', 'redis', 'worker']);
        await until(
          'the other one runs',
          async () =>
            (await berth.call('redis.one', { redisId: other.redisId }))['applicationStatus'] === 'done',
          60_000,
        );
        for (let left = 5; left > 0; left -= 1) expect((await answer()).body).toBe('v1 /cart hello');
        expect(
          await berth.call('container.getContainersByAppNameMatch', { appName: 'store', appType: 'compose' }),
        ).toHaveLength(3);
        expect(await store.do('readLogs', { serviceName: 'worker' })).toEqual([
          expect.objectContaining({ text: 'working hard', serviceName: 'worker' }),
        ]);
        await berth.call('redis.remove', { redisId: other.redisId });
      }),
    );

    it(
      'rolls to another version without a failed request, and leaves alone what does not change',
      next(async () => {
        const before = await store.tasks('redis');
        await store.do('saveEnvironment', { env: 'VERSION=v2' });
        const load = startLoad({
          ip: berth.services.ip,
          hostName: 'store.localhost',
          path: '/shop/version',
          perSecond: 50,
        });
        await store.deploy();
        expect(Object.keys((await expectAllAnswered('compose', load)).answers)).toEqual(['v1', 'v2']);
        expect(await store.tasks('redis')).toEqual(before);
      }),
    );

    it(
      'goes back as a whole when one service fails, with its name, reason and last lines',
      next(async () => {
        const before = await store.tasks('worker');
        await store.do('update', {
          env: 'VERSION=v3\nCRASH=it',
          composeFile: file(worker.replace('working', 'working anew')),
        });
        const { deploymentId, status, errorMessage } = await store.ended(await store.begin());
        expect({ status, errorMessage }).toEqual({
          status: 'error',
          errorMessage: 'Service web: Its program ended with exit code 3. The former version keeps running.',
        });
        expect((await berth.log(deploymentId)).join('\n')).toMatch(
          /web: {3}no luck with it[^]*store_worker: rolled back to the previous version/,
        );
        expect(await store.status()).toBe('error');
        expect((await answer()).body).toBe('v2 /cart hello');
        expect(await store.tasks('worker')).not.toEqual(before);
      }),
    );

    it(
      'returns to its good file, whatever the engine took back of the one before',
      next(async () => {
        await store.do('update', { env: 'VERSION=v2', composeFile: file(worker) });
        const log = (await berth.log(await store.deploy())).join('\n');
        expect(log).toContain('web: Nothing changes for it; it keeps running.');
        expect(await store.status()).toBe('done');
        expect((await answer()).body).toBe('v2 /cart hello');
      }),
    );

    it(
      'removes what the file has no longer, and keeps its volume; kill -9 in the middle changes nothing ' +
        'of that',
      next(async () => {
        await store.do('update', { env: 'VERSION=v4', composeFile: file() });
        await repositoryIsThrough.promise;
        const killIn = await prepareKill(berth.host, await databasePath(bed, berth.host));
        await store.do('deploy');
        const killed = await killIn(store.id, 'release');
        await berth.start();
        expect(await store.ended(killed.deploymentId)).toMatchObject({ status: 'done', errorMessage: null });
        expect((await answer()).body).toBe('v4 /cart hello');
        expect((await dockerOf(berth.services).services()).map((service) => service.split(' ')[0])).toEqual([
          'berth-proxy',
          'store_redis',
          'store_web',
        ]);
        expect(await dockerOf(berth.services).volumes(`berth.compose=${store.id}`)).toEqual(
          keptVolumes(store),
        );
      }),
    );

    it(
      'stops and starts with its data, and comes back when somebody removes it',
      next(async () => {
        expect(await store.do('stop')).toMatchObject({ composeStatus: 'idle' });
        expect(await dockerOf(berth.services).services()).toEqual(
          expect.arrayContaining(['store_redis 0/0', 'store_web 0/0']),
        );
        expect(await store.do('start')).toMatchObject({ composeStatus: 'done' });
        await until('it answers again', async () => (await answer()).body === 'v4 /cart hello');
        await output(berth.services, docker, 'service', 'rm', 'store_web');
        await berth.call('settings.update', { keptImages: 4 });
        await until(
          'the reconciler has made it again',
          async () => (await answer()).body === 'v4 /cart hello',
        );
      }),
    );

    it(
      'ends a deployment that waits for a service when it is stopped, and starts what ran before',
      next(async () => {
        const unhealthy = worker.replace('test: "true"', 'test: "false", retries: 300');
        await store.do('update', { env: 'VERSION=v4', composeFile: file(unhealthy) });
        const deploymentId = await store.begin();
        await until('it waits for the worker', async () =>
          (await berth.log(deploymentId)).some((line) =>
            line.includes('Waiting until every service is healthy'),
          ),
        );
        expect(await store.do('stop')).toMatchObject({ composeStatus: 'idle' });
        expect(await store.ended(deploymentId)).toMatchObject({
          status: 'cancelled',
          errorMessage: expect.stringMatching(/^Ended by stop of \S+@\S+\.$/),
        });
        expect(await store.do('start')).toMatchObject({ composeStatus: 'done' });
        await until('it answers again', async () => (await answer()).body === 'v4 /cart hello');
      }),
    );

    it(
      'goes with its network, and with its volumes when that is asked',
      next(async () => {
        expect(await store.do('delete', {})).toMatchObject({
          keptVolumes: keptVolumes(store),
        });
        // The engine lists it for as long as it takes the former containers' node to hear of it.
        await until(
          'its network is gone',
          async () => !(await dockerOf(berth.services).hasNetwork(`app-${store.id}`)),
        );
        expect((await answer()).status).toBe(404);
      }),
    );
  });

  describe.concurrent('a compose service of a repository', () => {
    it('is built, with its files beside it, and follows what is pushed', async () => {
      try {
        await expectToFollowRepository();
      } finally {
        repositoryIsThrough.resolve();
      }
    });
  });

  it('nothing of all this was a fault', () => expectCalmLog(berth, ['could not be corrected']));
});
