/**
 * A cloud installation: two organizations, each on a server of its own, nothing on Berth's machine but Berth,
 * and what whoever is root on a tenant's server finds of all the others.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attackedHost, type Attacked, type Party } from '../../attacks/support/fixture.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { processesOf } from '../../bed/machine/processes.ts';
import { textOf } from '../../http/interface-client.ts';
import { throughProxy } from '../fixtures/berth-host.ts';
import { valueOf } from '../fixtures/caller.ts';
import { logOf, settled } from '../fixtures/settling.ts';
import { docker, output, quickCheck, until } from '../fixtures/applications.ts';

/** In the image of one organization, for nobody of the other. */
const loot = 'the-other-organization-s-own-secret';

interface Place {
  party: Party;
  server: BedHost;
  serverId: string;
  applicationId: string;
  name: 'theirs' | 'ours';
}

let world: Attacked;
let ours: Place;
let theirs: Place;

beforeAll(async () => {
  const bed = await bedOfRun();
  const machines = { engine: true, images: true, sshd: true };
  const [first, second, attacked] = await Promise.all([
    bed.host('tenant-one', { index: 87, ...machines }),
    bed.host('tenant-two', { index: 88, ...machines }),
    attackedHost(bed, 'cloud', 89),
  ]);
  world = attacked;
  const { installation, tenant } = world;
  await valueOf(
    installation.owner('settings.update', {
      cloud: true,
      sharedImages: ['berth/'],
      allowedPrivateNetworks: [`${second.ip}/32`],
    }),
  );
  ours = await placeOf('ours', installation, first);
  theirs = await placeOf('theirs', tenant, second);
});
afterAll(async () => {
  await Promise.all([ours.server.kill(), theirs.server.kill()]);
  await world[Symbol.asyncDispose]();
});

/** The organization's server, and an application on it that answers the organization's name. */
async function placeOf(name: Place['name'], party: Party, server: BedHost): Promise<Place> {
  await output(server, docker, 'swarm', 'init', '--advertise-addr', server.ip);
  const { owner, environmentId } = party;
  const key = await valueOf(
    owner('sshKey.create', {
      name,
      publicKey: await readFile(`${server.sshKeyPath}.pub`, 'utf8'),
      privateKey: await readFile(server.sshKeyPath, 'utf8'),
    }),
  );
  const record = { name, ipAddress: server.ip, port: 22, username: 'root', serverType: 'deploy' };
  const made = await valueOf(owner('server.create', { ...record, sshKeyId: textOf(key, 'sshKeyId') }));
  const serverId = textOf(made, 'serverId');
  const create = { name, appName: name, environmentId };
  expect(await owner('application.create', create)).toMatchObject({
    status: 400,
    body: { error: { data: { issues: [{ path: 'serverId' }] } } },
  });
  const application = await valueOf(owner('application.create', { ...create, serverId }));
  const applicationId = textOf(application, 'applicationId');
  await valueOf(owner('application.update', { applicationId, healthCheck: quickCheck }));
  await valueOf(owner('application.saveBuildType', { applicationId, buildType: 'dockerfile' }));
  await valueOf(owner('domain.create', { applicationId, host: `${name}.localhost`, port: 3000 }));
  return { party, server, serverId, applicationId, name };
}

const dockerfile = (name: string, step = ''): string =>
  `FROM berth/node:24\nENV LOOT=${name === 'ours' ? loot : 'none'}\n${step}` +
  `CMD ["node", "-e", "require('http').createServer((q, a) => a.end('${name}')).listen(3000)"]\n`;

/** Sends the source and gives the deployment's id. */
async function drop({ party: { owner }, applicationId, name }: Place, step?: string): Promise<string> {
  const input = { applicationId };
  await valueOf(owner('application.dropDeployment', input, 'b', { Dockerfile: dockerfile(name, step) }));
  const all = await valueOf(owner('deployment.all', input));
  return textOf(Array.isArray(all) ? all[0] : undefined, 'deploymentId');
}

it('each is built, deployed and answers on its own server', async () => {
  await Promise.all(
    [ours, theirs].map(async (place) => {
      const { party, applicationId, server, name } = place;
      const deploymentId = await drop(place);
      const { deployments } = await settled(party.owner, applicationId, 300_000);
      const log = await logOf(party.owner, deploymentId);
      expect(deployments[0]?.status, log.join('\n')).toBe('done');
      console.log(
        `${name}:${log
          .filter((line) => / took /.test(line))
          .map((line) => line.slice(27))
          .join(',')}`,
      );
      await until(`${name} answers`, async () => {
        const answer = await throughProxy(server.ip, `${name}.localhost`).catch(() => undefined);
        return answer?.body === name;
      });
    }),
  );
});

it("nothing is on Berth's machine but Berth and its proxy", async () => {
  const { host } = world.berth;
  expect(await output(host, docker, 'service', 'ls', '--format', '{{.Name}}')).toBe('berth-proxy');
  expect(await output(host, docker, 'ps', '--all', '--format', '{{.Names}}')).toMatch(/^berth-proxy\.\S+$/);
  expect(await output(host, docker, 'images', '--format', '{{.Repository}}', 'berth-build/*')).toBe('');
});

it('cancelDeployment ends a build there, and what ran runs on', async () => {
  const { party, applicationId, server, name } = ours;
  const step = 'RUN echo has-begun-$((1+1)) && sleep 4321\n';
  const deploymentId = await drop(ours, step);
  await until('the step runs', async () =>
    (await logOf(party.owner, deploymentId)).some((line) => line.includes('has-begun-2')),
  );
  const steps = () => processesOf(server, /^sleep 4321$/);
  expect(await steps()).toHaveLength(1);
  expect(await valueOf(party.owner('application.cancelDeployment', { applicationId }))).toMatchObject({
    success: true,
  });
  const { applicationStatus, deployments } = await settled(party.owner, applicationId);
  expect(applicationStatus).toBe('done');
  expect(deployments[0]).toMatchObject({
    status: 'cancelled',
    errorMessage: expect.stringContaining('Ended by cancelDeployment'),
  });
  await until('the step has ended', async () => (await steps()).length === 0);
  expect((await throughProxy(server.ip, `${name}.localhost`)).body).toBe(name);
});

/** What curl makes of a request from the tenant's server, as root there. */
const asked = async (...words: string[]): Promise<string> =>
  (await theirs.server.exec(['curl', '--silent', '--show-error', '--max-time', '3', ...words])).stdout;

const engineCalls = ['/containers/json?all=1', '/images/json', '/info', '/v1.41/swarm'];
const berthCalls = ['/api/project.all', '/api/server.all', '/api/settings.get', '/v2/_catalog', '/config/'];

it("root on a tenant's server meets no engine and no database of Berth's machine at its ports", async () => {
  const { host } = world.berth;
  const listening = await output(host, 'sh', '-c', 'cat /proc/net/tcp /proc/net/tcp6 | grep " 0A "');
  const ports = listening.split('\n').map((line) => parseInt(line.trim().split(/[\s:]+/)[2] ?? '', 16));
  // Berth, its proxy and the manager of its swarm, which asks for a certificate of its own.
  expect(ports).toEqual(expect.arrayContaining([3000, 80, 2377]));
  const mine = await asked('--unix-socket', '/run/docker.sock', 'http://engine/containers/json');
  expect(mine, 'its own engine answers it').toContain('berth-proxy');
  const got: string[] = [];
  for (const port of new Set([...ports, 2375, 2376]))
    for (const path of [...engineCalls, ...berthCalls]) {
      const answer = await asked(`http://${host.ip}:${port}${path}`);
      if (/berth-proxy|RepoTags|JoinTokens|ServerVersion|serverId|localRepositoryPaths/.test(answer))
        got.push(`${port}${path}: ${answer.slice(0, 200)}`);
    }
  expect(got).toEqual([]);
});

it('nor behind any socket that Berth has there', async () => {
  const found = await output(theirs.server, 'find', '/var/lib/berth', '-type', 's');
  const sockets = found.split('\n').filter((path) => path !== '');
  expect(sockets).toEqual(
    expect.arrayContaining(['/var/lib/berth/proxy/news.sock', '/var/lib/berth/proxy/admin.sock']),
  );
  const ownId = await output(world.berth.host, docker, 'info', '--format', '{{.ID}}');
  const got: string[] = [];
  for (const socket of sockets)
    for (const path of [...engineCalls, ...berthCalls]) {
      const answer = await asked('--unix-socket', socket, `http://localhost${path}`);
      // Its own builder and its own proxy answer it.
      if (answer.includes(ownId) || answer.includes('ours') || answer.includes(loot))
        got.push(`${socket}${path}: ${answer.slice(0, 200)}`);
    }
  expect(got).toEqual([]);
});

it("nor anything of the other organization's images, server or services", async () => {
  const image = await output(
    ours.server,
    docker,
    'images',
    '--format',
    '{{.Repository}}:{{.Tag}}',
    'berth-build/*',
  );
  const [built = ''] = image.split('\n');
  expect(built).toMatch(/^berth-build\//);
  const held = await output(theirs.server, 'sh', '-c', `${docker} image inspect $(${docker} images -aq)`);
  expect(held).toContain('LOOT=none');
  expect(held).not.toContain(loot);
  const { owner, environmentId } = theirs.party;
  const { applicationId } = theirs;
  for (const [path, input] of [
    ['application.create', { name: 'x', appName: 'x', environmentId, serverId: ours.serverId }],
    ['application.update', { applicationId, buildServerId: ours.serverId }],
    ['application.moveToServer', { applicationId, serverId: ours.serverId }],
    ['swarm.getNodes', { serverId: ours.serverId }],
    ['container.getContainers', { serverId: ours.serverId }],
    ['server.one', { serverId: ours.serverId }],
    ['cluster.join', { serverId: ours.serverId, nodeServerId: theirs.serverId }],
  ] as const) {
    const { status } = await owner(path, input);
    expect([400, 403, 404], path).toContain(status);
  }
  const named = await owner('application.saveContainerProvider', { applicationId, containerImage: built });
  expect(named).toMatchObject({
    status: 400,
    text: expect.stringContaining('names an image that Berth built'),
  });
  expect((await throughProxy(theirs.server.ip, 'theirs.localhost')).body).toBe('theirs');
});
