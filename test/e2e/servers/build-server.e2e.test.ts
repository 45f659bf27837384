/** Three machines: Berth's own, one that builds, one that runs what was built. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { berthHost, throughProxy, type BerthHost, type DeploymentView } from '../fixtures/berth-host.ts';
import { createRepository, repositoriesFolder, type Repository } from '../fixtures/repository.ts';
import { nodeFiles } from '../fixtures/sources.ts';
import { deploymentEnded, docker, output, quickCheck, until } from '../fixtures/applications.ts';
import { sshServerOf } from './ssh-server.ts';

let berth: BerthHost;
let runs: BedHost;
let builds: BedHost;
let buildServerId: string;
let runsId: string;
let applicationId: string;
let repository: Repository;

beforeAll(async () => {
  const bed = await bedOfRun();
  [runs, builds, berth] = await Promise.all([
    // No image is there: what was built brings every layer.
    bed.host('runs', { index: 81, engine: true, sshd: true }),
    bed.host('builds', { index: 82, engine: true, images: true, sshd: true }),
    berthHost(bed, 'desk', 83),
  ]);
  await output(runs, docker, 'swarm', 'init', '--advertise-addr', runs.ip);
  await berth.call('settings.update', {
    localRepositoryPaths: [repositoriesFolder],
    sharedImages: ['berth/'],
  });
  runsId = await serverOf(runs, 'deploy');
  buildServerId = await serverOf(builds, 'build');
  const made = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'Shop',
  });
  repository = await createRepository(berth.host, 'shop', nodeFiles('first'));
  ({ applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name: 'shop',
    appName: 'shop',
    environmentId: made.environment.environmentId,
    serverId: runsId,
  }));
  await berth.call('application.saveGitProvider', {
    applicationId,
    customGitUrl: repository.url,
    customGitBranch: 'main',
  });
  await berth.call('application.saveBuildType', { applicationId, buildType: 'dockerfile' });
  await berth.call('domain.create', { applicationId, host: 'shop.localhost', port: 3000 });
});
afterAll(() => Promise.all([runs, builds, berth.host].map((host) => host.kill())));

it('a build server is named once it is set up, and runs no services itself', async () => {
  const update = { applicationId, healthCheck: quickCheck, buildServerId };
  expect(await berth.ask('application.update', update)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('which is not set up yet') },
  });
  await setUp(buildServerId);
  await berth.call('application.update', update);
  expect(await output(builds, docker, 'service', 'ls', '--format', '{{.Name}}').catch(() => '')).toBe('');
});

it('the image that it builds travels, and the other server alone runs it', async () => {
  const log = await deployed();
  expect(log).toContain('The build runs on the server builds (buildServerId).');
  expect(log).toMatch(/Built on the server builds\. Sent (\d+) of \1 layers \(\d+ MB\) to the server runs/);
  await untilAnswers('first');
  expect(await builders(runs)).toBe('');
  expect(await builders(builds)).toMatch(/^berth-builder-/);
  expect(await images(builds)).toBe('');
  expect(await images(runs)).toMatch(/^berth-build\//);
});

it('of a second version only the layer travels that changed', async () => {
  await repository.commit(nodeFiles('second'));
  const log = await deployed();
  expect(log).toMatch(/Sent 1 of \d+ layers \(\d+ kB\) to the server runs, which had the others/);
  await untilAnswers('second');
});

it('a build server that is silent is waited for', async () => {
  const sshd = await sshServerOf(builds);
  await repository.commit(nodeFiles('third'));
  await sshd.dropPackets();
  let deploymentId = '';
  try {
    // Whoever asks finds out that nothing comes.
    await until(
      'its silence is noticed',
      async () => (await berth.ask('server.validate', { serverId: buildServerId })).status === 503,
      60_000,
    );
    await berth.call('application.deploy', { applicationId });
    deploymentId = (await newest()).deploymentId;
    await until('the deployment says that it waits', async () =>
      (await berth.log(deploymentId)).some((line) => line.includes('waits for it, at most 30 minutes')),
    );
    await untilAnswers('second');
  } finally {
    await sshd.letPacketsThrough();
  }
  expect((await deploymentEnded(berth, 'the third', deploymentId, 240_000)).status).toBe('done');
  await untilAnswers('third');
});

it('while something is built there it stays', async () => {
  expect(await berth.ask('server.remove', { serverId: buildServerId })).toMatchObject({
    status: 412,
    body: { message: expect.stringContaining('still builds 1 application') },
  });
  await berth.call('application.update', { applicationId, buildServerId: null });
  await berth.call('server.remove', { serverId: buildServerId });
  const log = await deployed();
  expect(log).not.toContain('buildServerId');
  await untilAnswers('third');
});

it("an application goes to Berth's own machine and comes back, and nothing stays behind", async () => {
  const own = async (): Promise<string> =>
    (await berth.proxied('shop.localhost', '/version').catch(() => undefined))?.body ?? '';
  expect(await moved(null)).toContain('Removed shop from the server runs.');
  await until("Berth's own proxy answers", async () => (await own()) === 'third', 60_000);
  expect(await servicesThere()).toEqual(['berth-proxy']);
  expect(await images(runs)).toBe('');
  await setUp(runsId);
  await moved(runsId);
  await untilAnswers('third');
  expect(await servicesThere()).toEqual(['berth-proxy', 'shop']);
  expect(await images(berth.host)).toBe('');
});

async function setUp(serverId: string): Promise<void> {
  await berth.call('server.setup', { serverId });
  await until(
    'it is set up',
    async () => (await berth.call('server.one', { serverId }))['setupStatus'] === 'done',
    400_000,
  );
}

/** Gives the log of a move, which must be done. */
async function moved(serverId: string | null): Promise<string> {
  const { deploymentId } = await berth.call<{ deploymentId: string }>('application.moveToServer', {
    applicationId,
    serverId,
  });
  const { status } = await deploymentEnded(berth, 'the move', deploymentId, 300_000);
  const log = (await berth.log(deploymentId)).join('\n');
  expect(status, log).toBe('done');
  return log;
}

const servicesThere = async (): Promise<string[]> =>
  (await output(runs, docker, 'service', 'ls', '--format', '{{.Name}}')).split('\n').toSorted();

let sshKeyId: string | undefined;
async function serverOf(host: BedHost, serverType: 'deploy' | 'build'): Promise<string> {
  sshKeyId ??= (
    await berth.call<{ sshKeyId: string }>('sshKey.create', {
      name: 'machines',
      publicKey: await readFile(`${host.sshKeyPath}.pub`, 'utf8'),
      privateKey: await readFile(host.sshKeyPath, 'utf8'),
    })
  ).sshKeyId;
  const name = serverType === 'build' ? 'builds' : 'runs';
  const record = { name, ipAddress: host.ip, port: 22, username: 'root', serverType, sshKeyId };
  return (await berth.call<{ serverId: string }>('server.create', record)).serverId;
}

async function newest(): Promise<DeploymentView> {
  const [one] = await berth.call<DeploymentView[]>('deployment.all', { applicationId });
  if (!one) throw new Error('Nothing was deployed.');
  return one;
}

/** Gives the log of a deployment, which must be done. */
async function deployed(): Promise<string> {
  await berth.call('application.deploy', { applicationId });
  const { deploymentId, status } = await deploymentEnded(
    berth,
    'shop',
    (await newest()).deploymentId,
    300_000,
  );
  const log = (await berth.log(deploymentId)).join('\n');
  expect(status, log).toBe('done');
  return log;
}

const builders = (host: BedHost): Promise<string> =>
  output(host, docker, 'ps', '--filter', 'name=berth-builder-', '--format', '{{.Names}}');

const images = (host: BedHost): Promise<string> =>
  output(host, docker, 'images', '--filter', 'reference=berth-build/*', '--format', '{{.Repository}}');

const untilAnswers = (version: string): Promise<unknown> =>
  until(
    `it answers ${version}`,
    async () => {
      const answer = await throughProxy(runs.ip, 'shop.localhost', '/version').catch(() => undefined);
      return answer?.body === version;
    },
    120_000,
  );
