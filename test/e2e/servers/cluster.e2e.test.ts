/** Four machines that are one cluster, beside the machine of Berth itself. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { berthHost, throughProxy, type BerthHost } from '../fixtures/berth-host.ts';
import { startLoad, type Load } from '../fixtures/load.ts';
import { createRepository, repositoriesFolder } from '../fixtures/repository.ts';
import { nodeFiles } from '../fixtures/sources.ts';
import { deploymentEnded, docker, output, quickCheck, until } from '../fixtures/applications.ts';

const names = ['head', 'second', 'third', 'fourth'] as const;
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
    ...names.map((name, at) => bed.host(name, { index: 95 + at, engine: true, images: true, sshd: true })),
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
  // Four machines share two processors with other tests: one slow answer is no illness here.
  const healthCheck = { ...quickCheck, timeout: 10, retries: 6 };
  await berth.call('application.update', { applicationId, healthCheck, replicas: 4 });
  await berth.call('domain.create', { applicationId, host: 'shop.localhost', port: 3000 });
});
afterAll(() => Promise.all([berth.host, ...Object.values(hosts)].map((host) => host.kill())));

it('servers become nodes of another, which gives up nothing', async () => {
  expect(await berth.call('cluster.nodes', { serverId: ids.head })).toMatchObject([
    { name: 'head', isHead: true, role: 'manager', tasks: 0 },
  ]);
  await join('second', 'manager');
  await join('third', 'worker');
  expect(await join('fourth', 'worker')).toMatchObject({ name: 'fourth', role: 'worker', state: 'ready' });
  expect(await berth.call('cluster.promote', { nodeServerId: ids.third })).toMatchObject({ role: 'manager' });
  expect(await nodes()).toMatchObject({
    head: { serverId: ids.head, isHead: true, role: 'manager' },
    second: { serverId: ids.second, isHead: false, role: 'manager', state: 'ready' },
    third: { role: 'manager' },
    fourth: { serverId: ids.fourth, role: 'worker', availability: 'active' },
  });
  // At once, when the node may not yet manage anything.
  expect(await berth.call('cluster.promote', { nodeServerId: ids.fourth })).toMatchObject({
    role: 'manager',
  });
  expect(await berth.call('cluster.demote', { nodeServerId: ids.fourth })).toMatchObject({ role: 'worker' });
  // Asked again it goes on where it was: everything is done.
  await join('fourth', 'worker');
  expect(await server('fourth')).toMatchObject({ clusterServerId: ids.head, status: 'active' });
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

it('the ports of the swarm are open to its nodes alone', async () => {
  expect(await opens(berth.host, 'head')).toBe(false);
  expect(await opens(hosts.second, 'head')).toBe(true);
  expect(await opens(hosts.head, 'third')).toBe(true);
  expect(await opens(berth.host, 'third')).toBe(false);
});

it('a node is measured through its own connection', async () => {
  const measured = async (): Promise<number> =>
    (await berth.call<unknown[]>('server.metrics', { serverId: ids.fourth })).length;
  await berth.call('server.setupMonitoring', {
    serverId: ids.fourth,
    metricsConfig: {
      server: {
        refreshRate: 2,
        port: 4500,
        token: 'a-token-of-the-cluster',
        urlCallback: 'https://berth.example.com/metrics',
        retentionDays: 1,
        cronJob: '0 0 * * *',
        thresholds: { cpu: 0, memory: 0 },
      },
      containers: { refreshRate: 2, services: { include: [], exclude: [] } },
    },
  });
  await until('it has measured', async () => (await measured()) > 0);
  expect(await output(hosts.fourth, docker, 'ps', '--format', '{{.Names}}')).toMatch(/^berth-monitoring$/m);
});

it('a node that leaves is a server of its own again, and may come back', async () => {
  await berth.call('cluster.leave', { nodeServerId: ids.fourth });
  await until(
    'it is set up again',
    async () => {
      const { setupStatus, clusterServerId } = await server('fourth');
      return setupStatus === 'done' && clusterServerId === null;
    },
    300_000,
  );
  const services = (): Promise<string> =>
    output(hosts.fourth, docker, 'service', 'ls', '--format', '{{.Name}}');
  await until('its own swarm measures it', async () =>
    /^berth-monitoring\nberth-proxy$/.test((await services()).split('\n').toSorted().join('\n')),
  );
  expect(Object.keys(await nodes())).toEqual(['head', 'second', 'third']);
  await join('fourth', 'worker');
});

it('replicas run on all nodes, which have the image, and every proxy leads to them', async () => {
  await deployed();
  await until('every node runs one', async () =>
    Object.values(await nodes()).every(({ tasks }) => tasks === 1),
  );
  for (const name of names) {
    await untilAnswers('first', name);
    expect(await output(hosts[name], docker, 'images', '--format', '{{.Repository}}')).toMatch(
      /berth-build\//,
    );
  }
  const ran = await berth.call('application.run', { applicationId, command: 'echo somewhere' });
  expect(ran).toMatchObject({ exitCode: 0 });
});

it('a node is drained and activated without a failed request, through itself as well', async () => {
  const [through, beside] = [loadOn('fourth', 25), loadOn('head', 25)];
  await berth.call('cluster.drain', { nodeServerId: ids.fourth });
  expect(await nodes()).toMatchObject({ fourth: { availability: 'drain', tasks: 0 } });
  await berth.call('cluster.activate', { nodeServerId: ids.fourth });
  await deployed();
  for (const load of [through, beside]) {
    const { sent, failed, failures, p99 } = await load.stop();
    console.log(`drained under load: ${sent} requests, ${failed} failed, p99 ${p99} ms`);
    expect(failures).toEqual([]);
    expect(failed).toBe(0);
  }
  await until('it has a task again', async () => (await nodes())['fourth']?.tasks === 1);
});

it('a node that is lost is told, its tasks come back elsewhere, and it is taken out', async () => {
  const load = loadOn('head', 100);
  const began = performance.now();
  await hosts.fourth.kill();
  await until(
    'all replicas run on three nodes',
    async () => {
      const { fourth, ...others } = await nodesIfTold();
      return fourth?.state === 'down' && tasksOf(others) === 4;
    },
    120_000,
  );
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const { sent, failed } = await load.stop();
  console.log(`a worker killed: all replicas back after ${seconds} s, ${failed} of ${sent} requests failed`);
  await berth.call('cluster.remove', { nodeServerId: ids.fourth });
  expect(Object.keys(await nodes())).toEqual(['head', 'second', 'third']);
  await untilAnswers('first', 'head');
});

it('of three managers one is lost, the head of all: the others go on', async () => {
  const load = loadOn('second', 100);
  const began = performance.now();
  await hosts.head.kill();
  await until(
    'all replicas run on the two that are left',
    async () => {
      const { head, second, third } = await nodesIfTold();
      return head?.state === 'down' && tasksOf({ second, third }) === 4;
    },
    120_000,
  );
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const { sent, failed } = await load.stop();
  console.log(`a manager killed: all replicas back after ${seconds} s, ${failed} of ${sent} requests failed`);
  await untilAnswers('first', 'third');
  expect(await nodes()).toMatchObject({ head: { state: 'down' }, second: { state: 'ready' } });
});

/** Whether the port of the managers takes a connection from there. */
const opens = async (from: BedHost, to: Name): Promise<boolean> =>
  (await from.exec(['timeout', '5', 'bash', '-c', `exec 3<>/dev/tcp/${hosts[to].ip}/2377`])).code === 0;

const join = (name: Name, role: 'manager' | 'worker') =>
  berth.call('cluster.join', { serverId: ids.head, nodeServerId: ids[name], role });

const loadOn = (name: Name, perSecond: number): Load =>
  startLoad({ ip: hosts[name].ip, hostName: 'shop.localhost', path: '/version', perSecond });

const tasksOf = (found: Record<string, NodeView | undefined>): number =>
  Object.values(found).reduce((sum, node) => sum + (node?.tasks ?? 0), 0);

const server = (name: Name) => berth.call('server.one', { serverId: ids[name] });

async function nodes(): Promise<Record<string, NodeView>> {
  const found = await berth.call<NodeView[]>('cluster.nodes', { serverId: ids.head });
  return Object.fromEntries(found.map((node) => [node.name, node]));
}

/** While the managers choose a leader anew, their engines refuse to tell. */
const nodesIfTold = (): Promise<Record<string, NodeView>> =>
  nodes().catch((): Record<string, NodeView> => ({}));

async function deployed(): Promise<void> {
  await berth.call('application.deploy', { applicationId });
  const [newest] = await berth.call<{ deploymentId: string }[]>('deployment.all', { applicationId });
  const { status } = await deploymentEnded(berth, 'the release', newest?.deploymentId ?? '', 300_000);
  expect(status, (await berth.log(newest?.deploymentId ?? '')).join('\n')).toBe('done');
}

const untilAnswers = (words: string, name: Name): Promise<unknown> =>
  until(
    `${name} answers ${words}`,
    async () =>
      (
        await throughProxy(hosts[name].ip, 'shop.localhost', '/version').catch(() => undefined)
      )?.body.trim() === words,
    60_000,
  );
