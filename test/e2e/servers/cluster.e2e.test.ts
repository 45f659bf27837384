/** Three machines that are one cluster, beside the machine of Berth itself. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { berthHost, throughProxy, type BerthHost } from '../fixtures/berth-host.ts';
import { startLoad } from '../fixtures/load.ts';
import { createRepository, repositoriesFolder } from '../fixtures/repository.ts';
import { nodeFiles } from '../fixtures/sources.ts';
import { deploymentEnded, docker, output, quickCheck, until } from '../fixtures/workshop.ts';

const names = ['head', 'second', 'third'] as const;
type Name = (typeof names)[number];

interface NodeView {
  name: string;
  serverId: string | null;
  isHead: boolean;
  role: string;
  availability: string;
  state: string;
  tasks: number;
}

let berth: BerthHost;
const hosts = {} as Record<Name, BedHost>;
const ids = {} as Record<Name, string>;
let environmentId: string;
let applicationId: string;

beforeAll(async () => {
  const bed = await bedOfRun();
  const [own, ...machines] = await Promise.all([
    berthHost(bed, 'seat', 94),
    ...names.map((name, at) => bed.host(name, { index: 95 + at, engine: true, sshd: true })),
  ]);
  berth = own;
  for (const [at, machine] of machines.entries()) hosts[names[at] ?? 'head'] = machine;
  await berth.call('settings.update', {
    localRepositoryPaths: [repositoriesFolder],
    sharedImages: ['berth/'],
  });
  const { sshKeyId } = await berth.call<{ sshKeyId: string }>('sshKey.create', {
    name: 'machines',
    publicKey: await readFile(`${hosts.head.sshKeyPath}.pub`, 'utf8'),
    privateKey: await readFile(hosts.head.sshKeyPath, 'utf8'),
  });
  await Promise.all(
    names.map(async (name) => {
      const record = { name, ipAddress: hosts[name].ip, port: 22, username: 'root', serverType: 'deploy' };
      ids[name] = (await berth.call<{ serverId: string }>('server.create', { ...record, sshKeyId })).serverId;
      await berth.call('server.setup', { serverId: ids[name] });
      await until(`${name} is set up`, async () => (await server(name))['setupStatus'] === 'done', 400_000);
    }),
  );
  const made = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'Shop',
  });
  ({ environmentId } = made.environment);
  const repository = await createRepository(berth.host, 'shop', nodeFiles('first'));
  ({ applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name: 'shop',
    appName: 'shop',
    environmentId,
    serverId: ids.head,
  }));
  await berth.call('application.saveGitProvider', {
    applicationId,
    customGitUrl: repository.url,
    customGitBranch: 'main',
  });
  await berth.call('application.saveBuildType', { applicationId, buildType: 'dockerfile' });
  await berth.call('application.update', { applicationId, healthCheck: quickCheck, replicas: 3 });
  await berth.call('domain.create', { applicationId, host: 'shop.localhost', port: 3000 });
});
afterAll(() => Promise.all([berth.host, ...Object.values(hosts)].map((host) => host.kill())));

it('two servers become nodes of a third, which gives up nothing', async () => {
  expect(await berth.call('cluster.nodes', { serverId: ids.head })).toMatchObject([
    { name: 'head', isHead: true, role: 'manager', tasks: 0 },
  ]);
  await berth.call('cluster.join', { serverId: ids.head, nodeServerId: ids.second, role: 'manager' });
  expect(await berth.call('cluster.join', { serverId: ids.head, nodeServerId: ids.third })).toMatchObject({
    name: 'third',
    role: 'worker',
    state: 'ready',
    isHead: false,
  });
  expect(await nodes()).toMatchObject({
    head: { serverId: ids.head, isHead: true, role: 'manager' },
    second: { serverId: ids.second, isHead: false, role: 'manager', state: 'ready' },
    third: { serverId: ids.third, role: 'worker', availability: 'active' },
  });
  // Asked again it goes on where it was: everything is done.
  await berth.call('cluster.join', { serverId: ids.head, nodeServerId: ids.third });
  expect(await server('third')).toMatchObject({ clusterServerId: ids.head, status: 'active' });
});

it('nothing is put on a node by itself, and it stays while it is one', async () => {
  const create = { name: 'other', appName: 'other', environmentId, serverId: ids.second };
  expect(await berth.ask('application.create', create)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('a node of the cluster of head; name that one') },
  });
  for (const name of ['second', 'head'] as const)
    expect(await berth.ask('server.remove', { serverId: ids[name] })).toMatchObject({ status: 412 });
  expect(await berth.ask('cluster.drain', { nodeServerId: ids.head })).toMatchObject({ status: 400 });
});

it('replicas run on all nodes, each of which has the image, and answer through the head', async () => {
  await deployed();
  await until('every node runs one', async () =>
    Object.values(await nodes()).every(({ tasks }) => tasks === 1),
  );
  await untilAnswers('first');
  for (const name of names)
    expect(await output(hosts[name], docker, 'images', '--format', '{{.Repository}}')).toMatch(
      /berth-build\//,
    );
  const ran = await berth.call('application.run', { applicationId, command: 'echo somewhere' });
  expect(ran).toMatchObject({ exitCode: 0 });
});

it('a node is drained and activated without a failed request', async () => {
  const load = startLoad({ ip: hosts.head.ip, hostName: 'shop.localhost', path: '/version', perSecond: 50 });
  await berth.call('cluster.drain', { nodeServerId: ids.third });
  expect(await nodes()).toMatchObject({ third: { availability: 'drain', tasks: 0 } });
  await berth.call('cluster.activate', { nodeServerId: ids.third });
  await deployed();
  const result = await load.stop();
  console.log(`drained under load: ${result.sent} requests, ${result.failed} failed, p99 ${result.p99} ms`);
  expect(result.failures).toEqual([]);
  expect(result.failed).toBe(0);
  await until('it has a task again', async () => (await nodes())['third']?.tasks === 1);
});

it('a node that is lost is told, and its tasks come back elsewhere', async () => {
  const load = startLoad({ ip: hosts.head.ip, hostName: 'shop.localhost', path: '/version', perSecond: 100 });
  const began = performance.now();
  await hosts.third.kill();
  await until(
    'three replicas run on two nodes',
    async () => {
      const { head, second, third } = await nodes();
      return third?.state === 'down' && (head?.tasks ?? 0) + (second?.tasks ?? 0) === 3;
    },
    120_000,
  );
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const { sent, failed } = await load.stop();
  console.log(`a node killed: all replicas back after ${seconds} s, ${failed} of ${sent} requests failed`);
  expect(await berth.ask('cluster.leave', { nodeServerId: ids.second })).toMatchObject({ status: 200 });
  await until(
    'the second is a server of its own',
    async () => {
      const { setupStatus, clusterServerId } = await server('second');
      return setupStatus === 'done' && clusterServerId === null;
    },
    300_000,
  );
  expect(await output(hosts.second, docker, 'service', 'ls', '--format', '{{.Name}}')).toBe('berth-proxy');
  await berth.call('cluster.remove', { nodeServerId: ids.third });
  expect(Object.keys(await nodes())).toEqual(['head']);
  await untilAnswers('first');
});

const server = (name: Name) => berth.call('server.one', { serverId: ids[name] });

async function nodes(): Promise<Record<string, NodeView>> {
  const found = await berth.call<NodeView[]>('cluster.nodes', { serverId: ids.head });
  return Object.fromEntries(found.map((node) => [node.name, node]));
}

async function deployed(): Promise<void> {
  await berth.call('application.deploy', { applicationId });
  const [newest] = await berth.call<{ deploymentId: string }[]>('deployment.all', { applicationId });
  const { status } = await deploymentEnded(berth, 'the release', newest?.deploymentId ?? '', 300_000);
  expect(status, (await berth.log(newest?.deploymentId ?? '')).join('\n')).toBe('done');
}

const untilAnswers = (words: string): Promise<unknown> =>
  until(
    `it answers ${words}`,
    async () =>
      (
        await throughProxy(hosts.head.ip, 'shop.localhost', '/version').catch(() => undefined)
      )?.body.trim() === words,
    60_000,
  );
