/** One Berth, two machines: services of every kind on each, and one machine dead while the other works. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import type { BedHost } from '../bed/host/host.ts';
import {
  berthHost,
  nodePath,
  project,
  throughProxy,
  type Answer,
  type BerthHost,
} from './fixtures/berth-host.ts';
import { databasePort, makeServices, type Services } from './hosts/services.ts';
import { createRepository, repositoriesFolder } from './fixtures/repository.ts';
import { tinyFiles } from './fixtures/sources.ts';
import { docker, output, until } from './fixtures/applications.ts';

let bed: Bed;
let berth: BerthHost;
let far: BedHost;
let serverId: string;
let environmentId: string;
/** On Berth's own machine, and on the other. */
let near: Services;
let away: Services;

beforeAll(async () => {
  bed = await bedOfRun();
  far = await bed.host('far', { index: 41, engine: true, images: true });
  const swarm = await far.exec([docker, 'swarm', 'init', '--advertise-addr', far.ip]);
  if (swarm.code !== 0) throw new Error(`The swarm could not be made: ${swarm.stderr}`);
  berth = await berthHost(
    bed,
    'home',
    42,
    {},
    { program: `${project}/test/e2e/hosts/beside.ts`, sees: ['far'] },
  );
  const server = await berth.call<{ serverId: string }>('server.create', {
    name: 'far',
    ipAddress: far.ip,
    port: 22,
    username: 'root',
    serverType: 'deploy',
  });
  ({ serverId } = server);
  const made = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'Shop',
  });
  ({ environmentId } = made.environment);
  await berth.call('settings.update', { localRepositoryPaths: [repositoriesFolder] });
});
afterAll(async () => {
  await Promise.all([berth, { host: far }].map(({ host }) => host.kill()));
});

it('an application, a database and a compose service on each: answered by its own proxy', async () => {
  [near, away] = await Promise.all([
    makeServices(berth, { environmentId, name: 'near', serverId: null, repository: await built('near') }),
    makeServices(berth, { environmentId, name: 'away', serverId, repository: await built('away') }),
  ]);
  await Promise.all([near.deploy(), away.deploy()]);
  // The same hosts on both: host and path are one server's.
  await expectAnswers(berth.host, 'near');
  await expectAnswers(far, 'away');
  expect(await servicesOn(berth.host)).toEqual(['berth-proxy', 'near-app', 'near-stack_web', 'near-store']);
  expect(await servicesOn(far)).toEqual(['away-app', 'away-stack_web', 'away-store', 'berth-proxy']);
});

it('each machine is shown by itself', async () => {
  const nodes = await berth.call<{ hostname: string }[]>('swarm.getNodes', { serverId });
  expect(nodes.map(({ hostname }) => hostname)).toEqual(['far']);
  const shown = await berth.call<{ name: string; serverId: string }[]>(
    'container.getContainersByAppNameMatch',
    {
      appName: 'away-',
      serverId,
    },
  );
  expect(new Set(shown.map((container) => container.serverId))).toEqual(new Set([serverId]));
  expect(shown.length).toBeGreaterThanOrEqual(3);
  const ours = await berth.call<{ name: string }[]>('container.getContainersByAppNameMatch', {
    appName: 'away-',
  });
  expect(ours).toEqual([]);
});

it("a port is one server's, and whether it is free the machine itself tells", async () => {
  // The databases have the same one on both; on one machine it is taken.
  const wanted = { publishedPort: databasePort, targetPort: 3000, protocol: 'tcp', publishMode: 'host' };
  const taken = await berth.ask('port.create', { applicationId: away.applicationId, ...wanted });
  expect(taken.status).toBe(409);
  await far.launch('listener', [nodePath, '-e', "require('node:net').createServer().listen(17500)"]);
  await until('somebody listens', async () => (await output(far, 'ss', '-ltnH')).includes(':17500'));
  const open = (redisId: string): Promise<Answer> =>
    berth.ask('redis.saveExternalPort', { redisId, externalPort: 17_500 });
  expect((await open(away.redisId)).status).toBe(409);
  expect((await open(near.redisId)).status).toBe(200);
});

it('a service moved to another environment stays on its machine, and its network follows it', async () => {
  const other = await berth.call<{ environmentId: string }>('environment.create', {
    name: 'staging',
    projectId: (await berth.call<{ projectId: string }>('environment.one', { environmentId })).projectId,
  });
  const target = other.environmentId;
  await berth.call('application.move', { applicationId: away.applicationId, targetEnvironmentId: target });
  await away.deployApplication();
  expect(await networksOn(far)).toContain(`berth-${target}`);
  expect(await networksOn(berth.host)).not.toContain(`berth-${target}`);
  expect(await answerOf(far, 'app.localhost')).toBe('away');
  expect(await servicesOn(berth.host)).not.toContain('away-app');
});

it('a dead machine costs the other nothing, and keeps its records', async () => {
  const before = await away.states();
  await far.kill();
  const began = performance.now();
  await near.deploy();
  await expectAnswers(berth.host, 'near');
  // What is gone on the living machine is made again meanwhile.
  await on(berth.host, 'service', 'rm', 'near-app');
  await berth.call('settings.update', { buildsConcurrency: 2 });
  await untilAnswers(berth.host, 'app.localhost', 'near');
  expect(performance.now() - began).toBeLessThan(90_000);
  expect(await away.states()).toEqual(before);
});

it('what needs the dead machine says which it is, and changes nothing', async () => {
  const before = await away.states();
  const nodes = await berth.ask('swarm.getNodes', { serverId });
  expect(nodes).toMatchObject({ status: 503, body: { message: expect.stringContaining('the server far') } });
  const stopped = await berth.ask('application.stop', { applicationId: away.applicationId });
  expect(stopped).toMatchObject({
    status: 503,
    body: { message: expect.stringContaining('the server far') },
  });
  const domain = { applicationId: away.applicationId, host: 'second.localhost', port: 3000 };
  expect(await berth.ask('domain.create', domain)).toMatchObject({
    status: 503,
    body: { message: expect.stringContaining('the server far') },
  });
  const domains = await berth.call<unknown[]>('domain.byApplicationId', {
    applicationId: away.applicationId,
  });
  expect(domains).toHaveLength(1);
  expect(await away.states()).toEqual(before);
  for (const { status, errorMessage } of await away.attempt()) {
    expect(status).toBe('error');
    expect(errorMessage).toContain('the server far');
  }
});

it('when it is back, what is missing there is put right', async () => {
  await far.restart();
  await on(far, 'service', 'rm', 'away-app');
  await untilAnswers(far, 'app.localhost', 'away');
  await untilAnswers(far, 'stack.localhost', 'away');
  expect(await servicesOn(far)).toEqual(['away-app', 'away-stack_web', 'away-store', 'berth-proxy']);
  await away.deploy();
  expect(await away.states()).toEqual(['done', 'done', 'done']);
});

/** A repository whose build answers these words. */
const built = async (words: string): Promise<string> =>
  (await createRepository(berth.host, words, tinyFiles(words))).url;

async function expectAnswers(host: BedHost, words: string): Promise<void> {
  await untilAnswers(host, 'app.localhost', words);
  await untilAnswers(host, 'stack.localhost', words);
}

const answerOf = async ({ ip }: BedHost, hostName: string): Promise<string> =>
  (await throughProxy(ip, hostName)).body.trim();

/** A proxy gives a new service its requests as soon as it is healthy. */
const untilAnswers = (host: BedHost, hostName: string, words: string): Promise<unknown> =>
  until(
    `${hostName} on ${host.name} answers ${words}`,
    async () => (await answerOf(host, hostName).catch(() => '')) === words,
    120_000,
  );

const on = (host: BedHost, ...words: string[]): Promise<string> => output(host, docker, ...words);

const servicesOn = async (host: BedHost): Promise<string[]> =>
  (await on(host, 'service', 'ls', '--format', '{{.Name}}')).split('\n').toSorted();

const networksOn = async (host: BedHost): Promise<string[]> =>
  (await on(host, 'network', 'ls', '--format', '{{.Name}}')).split('\n');
