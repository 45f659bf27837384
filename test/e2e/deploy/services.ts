/** What runs: settings, variables, volumes, ports, files, one-off tasks, start and stop, names. */
import { expect, it } from 'vitest';
import { dockerOf } from '../../bed/docker.ts';
import { nodeCommand } from '../fixtures/sources.ts';
import { docker, output, until, type App, type ApplicationFixture } from '../fixtures/applications.ts';

export function serviceTests(shop: () => ApplicationFixture): void {
  it.concurrent('runs an image with limits; reload, stop, start, tasks, replicas, a name', async () => {
    const app = await shop().fromImage('image-app', nodeCommand('image'), {
      settings: { memoryLimit: '96m', cpuLimit: '0.5' },
    });
    await expectRefusedBeforeRelease(shop(), app);
    const { deploymentId } = await app.deploy();
    await expectLive(shop(), app, { deploymentId, running: 1, desired: 1, restarts: 0, lastExit: null });
    expect(await limitsOf(shop(), app.appName)).toEqual([`${96 * 1024 * 1024} 500000000`]);
    expect(await app.do('application.readLogs', { search: 'listening' })).toEqual([
      expect.objectContaining({ text: 'listening as image', stream: 'stdout' }),
    ]);

    await app.do('application.saveEnvironment', { env: 'GREETING="hello $(id) \'there\'"' });
    expect((await app.view()).pendingChanges).toEqual(['env', 'env.GREETING']);
    await app.do('application.reload', { appName: app.appName });
    await until(
      'the new variable is there',
      async () => (await app.state()).env['GREETING'] === "hello $(id) 'there'",
    );
    expect((await app.view()).pendingChanges).toEqual([]);

    const once = await app.do('application.run', {
      command: ['node', '-e', 'console.log(process.env.GREETING); console.error("bad"); process.exit(3)'],
    });
    expect(once).toMatchObject({
      exitCode: 3,
      log: expect.arrayContaining([
        expect.objectContaining({ stream: 'stdout', text: "hello $(id) 'there'" }),
        expect.objectContaining({ stream: 'stderr', text: 'bad' }),
      ]),
    });

    expect(await app.do('application.stop')).toEqual({ applicationId: app.id, applicationStatus: 'idle' });
    expect((await app.answer()).status).toBe(503);
    await expectLive(shop(), app, { deploymentId, running: 0, desired: 0, since: null });
    expect(await app.do('application.start')).toEqual({ applicationId: app.id, applicationStatus: 'done' });
    await until('it answers again', async () => (await app.answer()).status === 200);
    await expectScaled(shop(), app);
    await expectMoved(shop(), app);
  });

  it.concurrent("keeps a volume's data over a stop-first release, publishes a port, a file", async () => {
    const { berth } = shop();
    const app = await shop().fromImage('keeper', nodeCommand('keeper'));
    await app.do('mount.create', { type: 'volume', volumeName: 'data', mountPath: '/data' });
    await app.do('mount.create', {
      type: 'file',
      mountPath: '/etc/shop/settings.json',
      content: '{"currency":"EUR"}',
    });
    const port = await app.do('port.create', { publishedPort: 8081, targetPort: 3000 });
    expect(port).toMatchObject({ publishMode: 'host', notice: expect.stringContaining('routing mesh') });
    const { deploymentId } = await app.deploy();
    expect(await app.log(deploymentId)).toContain(
      'The old version stops before the new one starts, and the service stays on this server: it has a ' +
        'volume',
    );
    const direct = await fetch(`http://${berth.services.ip}:8081/write?kept`, {
      signal: AbortSignal.timeout(5000),
    });
    expect(direct.status).toBe(200);
    expect((await app.answer('/file?/etc/shop/settings.json')).body).toBe('{"currency":"EUR"}');
    const before = await app.state();
    await app.deploy();
    expect((await app.answer('/read')).body).toBe('kept');
    expect((await app.state()).host).not.toBe(before.host);

    const volumes = await dockerOf(berth.services).volumes(`berth.application=${app.id}`);
    expect(await app.do('application.delete')).toEqual({
      applicationId: app.id,
      name: 'keeper',
      appName: 'keeper',
      keptVolumes: volumes,
    });
    expect(volumes).toHaveLength(1);
    expect((await berth.services.exec([docker, 'volume', 'inspect', ...volumes])).code).toBe(0);
  });

  it.concurrent('runs the pre-release command before a release, which its failure stops', async () => {
    const app = await shop().fromImage('migrating', nodeCommand('one'), {
      settings: { preReleaseCommand: ['node', '-e', 'console.log("migrated for " + process.env.FOR)'] },
    });
    await app.do('application.saveEnvironment', { env: 'FOR=one' });
    const { deploymentId } = await app.deploy();
    expect(await app.log(deploymentId)).toContain('  migrated for one');

    await app.do('application.update', {
      command: nodeCommand('two'),
      preReleaseCommand: ['node', '-e', 'console.log("no table"); process.exit(7)'],
    });
    const failed = await app.ended(await app.begin());
    expect(failed).toMatchObject({
      status: 'error',
      stage: 'release',
      errorMessage: expect.stringMatching(
        /^The pre-release command ended with exit code 7.*the release was stopped and the running version stays\.$/,
      ),
    });
    expect(await app.log(failed.deploymentId)).toContain('  no table');
    expect((await app.state()).version).toBe('one');
    expect(await app.view()).toMatchObject({ applicationStatus: 'error' });
    await until('no task of it is left', async () =>
      (await dockerOf(shop().berth.services).services()).every(
        (service) => !service.startsWith('migrating-prerelease'),
      ),
    );
  });
}

async function expectRefusedBeforeRelease({ berth }: ApplicationFixture, app: App): Promise<void> {
  for (const procedure of ['application.start', 'application.redeploy', 'application.run']) {
    const { status, body } = await berth.ask(procedure, { applicationId: app.id, command: ['true'] });
    expect([procedure, status, JSON.stringify(body)]).toEqual([
      procedure,
      412,
      expect.stringContaining('deploy first'),
    ]);
  }
}

/** `start` and `scale` take the replicas of the record, so that none is left to deploy; `restart` renews. */
async function expectScaled({ berth }: ApplicationFixture, app: App): Promise<void> {
  const running = ['--filter', 'desired-state=running'];
  const tasks = async (): Promise<number> =>
    (await output(berth.services, docker, 'service', 'ps', '-q', ...running, app.appName)).split('\n').length;
  await app.do('application.stop');
  await app.do('application.update', { replicas: 2 });
  await app.do('application.start');
  expect(await tasks()).toBe(2);
  expect((await app.view()).pendingChanges).toEqual([]);
  expect(await app.do('application.scale', { replicas: 1 })).toMatchObject({ replicas: 1 });
  expect((await app.view()).pendingChanges).toEqual([]);
  await until('one task is left', async () => (await tasks()) === 1);
  const { host } = await app.state();
  await app.do('application.restart');
  await until('another task answers', async () => (await app.state()).host !== host);
}

/** What runs is told by the record and by the list that has it. */
async function expectLive({ berth }: ApplicationFixture, app: App, facts: object): Promise<void> {
  const expected = expect.objectContaining({ ...facts, problem: null, unreachableSince: null });
  const { environmentId } = await app.view();
  await until('the engine was seen so', async () => {
    const { live } = await app.view();
    return live !== null && expected.asymmetricMatch(live);
  });
  expect(await berth.call('environment.one', { environmentId })).toMatchObject({
    applications: expect.arrayContaining([
      expect.objectContaining({ applicationId: app.id, live: expected }),
    ]),
  });
}

/** Two replicas under another name; the service under the former one is gone. */
async function expectMoved(fixture: ApplicationFixture, app: App): Promise<void> {
  await app.do('application.update', { appName: 'Image-App_2', replicas: 2 });
  expect((await app.view()).pendingChanges).toEqual(expect.arrayContaining(['appName', 'replicas']));
  const { deploymentId } = await app.deploy();
  expect(await app.log(deploymentId)).toContain('Removed the service under its former name image-app.');
  expect(await dockerOf(fixture.berth.services).services(`berth.application=${app.id}`)).toEqual([
    'Image-App_2 2/2',
  ]);
  const hosts = new Set<string>();
  await until('both replicas have answered', async () => hosts.add((await app.state()).host).size === 2);
}

async function limitsOf({ berth }: ApplicationFixture, service: string): Promise<string[]> {
  const docker = dockerOf(berth.services);
  const found = await Promise.all((await docker.containersOf(service)).map((id) => docker.inspect(id)));
  return found.map(({ HostConfig }) => `${HostConfig.Memory} ${HostConfig.NanoCpus}`);
}
