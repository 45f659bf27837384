/**
 * How the source becomes an image: Dockerfile settings, static folders, programs that are not there, and
 * ending builds.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { dockerOf } from '../../bed/docker.ts';
import { processesOf } from '../../bed/machine/processes.ts';
import { nodeFiles, tinyFiles } from '../fixtures/sources.ts';
import { docker, output, until, type App, type ApplicationFixture } from '../fixtures/applications.ts';

const secret = 'npm_8fQkT2vXw9LrB5zD1mYc';

export function buildTests(shop: () => ApplicationFixture): void {
  it.concurrent('builds with arguments and secrets; no log, layer or history holds a secret', async () => {
    const { busybox = '', start = '' } = tinyFiles('');
    const app = await shop().fromFiles('secretive', {
      'src/busybox': busybox,
      'src/start': start,
      'src/www/index.html': '-',
      'deploy/Web.dockerfile': [
        'FROM scratch AS base',
        'COPY busybox /bin/busybox',
        'RUN ["/bin/busybox", "--install", "-s", "/bin"]',
        'COPY . /',
        'FROM base AS final',
        'ARG CHANNEL=none',
        'RUN --mount=type=secret,id=NPM_TOKEN cat /run/secrets/NPM_TOKEN && echo "$CHANNEL $(sha256sum ' +
          '< /run/secrets/NPM_TOKEN)" > /www/index.html',
        'CMD ["/bin/sh", "/start"]',
        'FROM final AS broken',
        'RUN false',
        '',
      ].join('\n'),
    });
    await app.do('application.saveBuildType', {
      buildType: 'dockerfile',
      dockerfile: 'deploy/Web.dockerfile',
      dockerContextPath: 'src',
      containerBuildStage: 'final',
    });
    await app.do('application.saveEnvironment', {
      buildArgs: 'CHANNEL=beta',
      buildSecrets: `NPM_TOKEN=${secret}`,
    });
    const { deploymentId, image } = await app.deploy();
    const digest = createHash('sha256').update(secret).digest('hex');
    expect((await app.answer()).body.trim()).toBe(`beta ${digest}  -`);
    const log = await app.log(deploymentId);
    expect(log).toContain('RUN --mount=type=secret');
    expect(log).not.toContain(secret);
    expect(await shop().berth.ownLog()).not.toContain(secret);
    const { host, services } = shop().berth;
    expect(await output(services, docker, 'history', '--no-trunc', image ?? '')).not.toContain(secret);
    expect(await output(services, 'sh', '-c', `${docker} save ${image} | grep -c -a ${secret} || true`)).toBe(
      '0',
    );
    expect(await output(host, 'sh', '-c', `grep -r -l -a ${secret} /var/lib/docker/berth-data || true`)).toBe(
      '',
    );

    await app.do('application.delete');
    await expectGone(shop(), app, deploymentId, image);
  });

  it.concurrent('serves a folder as it is, and as a single-page application', async () => {
    const app = await shop().fromFiles(
      'static-site',
      {
        'public/index.html': 'the page',
        'public/deep/page.html': 'deep',
        'public/.env': 'SECRET=1',
        'README.md': 'not served',
      },
      { port: 80 },
    );
    await app.do('application.saveBuildType', {
      buildType: 'static',
      publishDirectory: 'public',
      isStaticSpa: true,
    });
    await app.deploy();
    expect(await app.answer('/any/where')).toMatchObject({ status: 200, body: 'the page' });
    expect(await app.answer('/deep/page.html')).toMatchObject({ status: 200, body: 'deep' });
    expect((await app.answer('/.env')).body).not.toContain('SECRET');

    await app.do('application.saveBuildType', {
      buildType: 'static',
      publishDirectory: 'public',
      isStaticSpa: false,
    });
    await app.deploy();
    expect((await app.answer('/any/where')).status).toBe(404);
    expect(await app.answer()).toMatchObject({ status: 200, body: 'the page' });
  });

  it.concurrent('names the missing program and how to install it', async () => {
    const app = await shop().fromFiles('no-program', { 'index.js': '' });
    const { serverId, services } = shop().berth;
    const machine = serverId === null ? 'this server' : `the server ${services.name}`;
    const programs = {
      heroku_buildpacks: 'pack',
      paketo_buildpacks: 'pack',
    };
    for (const [buildType, program] of Object.entries(programs)) {
      await app.do('application.saveBuildType', { buildType });
      const { status, stage, errorMessage } = await app.ended(await app.begin());
      expect({ status, stage }).toEqual({ status: 'error', stage: 'build' });
      expect(errorMessage).toMatch(
        new RegExp(
          `^The build type ${buildType} needs the program "${program}", which is not installed on ` +
            `${machine}; install .*, or choose the build type dockerfile\\.$`,
        ),
      );
    }
    for (const buildType of ['auto', 'railpack']) {
      await app.do('application.saveBuildType', { buildType });
      expect((await app.ended(await app.begin())).errorMessage).toMatch(
        /^The source has no Dockerfile, none of the files .+package\.json.+ no index\.html\. .+nixpacks: not installed/,
      );
    }
    expect((await app.view()).applicationStatus).toBe('error');
    expect((await app.answer()).status).toBe(503);
  });

  it.concurrent('chooses a static site for a page, which a domain without a port reaches', async () => {
    const app = await shop().fromFiles('auto-page', { 'index.html': 'the page' });
    await app.do('application.saveBuildType', { buildType: 'auto' });
    const host = 'auto-page-open.localhost';
    const { domainId, port } = await app.do('domain.create', { host });
    expect(port).toBe(3000);
    const { deploymentId } = await app.deploy();
    expect(await app.log(deploymentId)).toContain('Build type auto: static, since there is no Dockerfile');
    expect(await app.answer()).toMatchObject({ status: 200, body: 'the page' });
    const { berth } = shop();
    expect(await berth.call('domain.one', { domainId })).toMatchObject({ port: 80 });
    expect(await berth.proxied(host)).toMatchObject({ status: 200, body: 'the page' });
  });

  it.concurrent('ends exactly one build by hand, cancels what is queued, else changes nothing', async () => {
    const { services } = shop().berth;
    const killed = await shop().fromFiles('killed', tinyFiles('never', { steps: ['sleep 31337'] }));
    const other = await shop().fromFiles('not-killed', tinyFiles('survived', { steps: ['sleep 59'] }));
    const [first, survivor] = await Promise.all([killed.begin(), other.begin()]);
    const queued = [await killed.begin(), await killed.begin()];
    const steps = async (seconds: number): Promise<number> =>
      (await processesOf(services, new RegExp(`^sleep ${seconds}$`))).length;
    await until(
      'both builds run',
      async () => (await steps(31337)) === 1 && (await steps(59)) === 1,
      180_000,
      100,
    );

    expect(await killed.do('application.cleanQueues')).toMatchObject({ applicationStatus: 'running' });
    for (const deploymentId of queued)
      expect(await killed.ended(deploymentId)).toMatchObject({ status: 'cancelled' });
    expect(await killed.do('application.killBuild')).toMatchObject({ applicationStatus: 'error' });
    expect(await killed.ended(first)).toMatchObject({
      status: 'error',
      stage: 'build',
      errorMessage: expect.stringContaining('ended by hand'),
    });
    await until('the killed step is gone', async () => (await steps(31337)) === 0);
    expect(await steps(59)).toBe(1);

    expect(await killed.do('application.killBuild')).toMatchObject({ applicationStatus: 'error' });
    expect((await killed.view()).deployments).toHaveLength(3);
    expect(await other.ended(survivor)).toMatchObject({ status: 'done' });
    expect(await other.do('application.killBuild')).toMatchObject({ applicationStatus: 'done' });
    expect((await other.answer()).body).toBe('survived');

    const [running] = [await killed.begin(), await killed.begin()];
    await until('it builds again', async () => (await steps(31337)) === 1);
    await killed.do('application.delete');
    await until("the deleted application's step is gone", async () => (await steps(31337)) === 0);
    await expectGone(shop(), killed, running, null);
  });

  it.concurrent('runs the deployments of one service in order, keeps the newest five images', async () => {
    const { host, call } = shop().berth;
    const app = await shop().fromFiles('many', tinyFiles('many'));
    const ids: string[] = [];
    for (let number = 1; number <= 6; number += 1) ids.push(await app.begin('deploy', `Number ${number}`));
    const ended = await Promise.all(ids.map((id) => app.ended(id)));
    expect(ended.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'done'));
    expect(
      ended.slice(1).every(({ startedAt }, index) => (startedAt ?? '') >= (ended[index]?.finishedAt ?? '-')),
    ).toBe(true);
    expect(await imagesOf(shop(), app)).toEqual(ids.slice(1).toSorted());

    const rollback = await call<{ deploymentId: string }>('deployment.rollback', {
      deploymentId: ids[0] ?? '',
    }).then(
      ({ deploymentId }) => app.ended(deploymentId),
      (error: unknown) => ({ status: 'error', errorMessage: String(error) }),
    );
    expect(rollback).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('keptImages') });
    expect((await app.answer()).body).toBe('many');

    await app.do('application.clearDeployments');
    expect((await app.view()).deployments.map(({ deploymentId }) => deploymentId)).toEqual([ids[5]]);
    expect(await imagesOf(shop(), app)).toEqual([ids[5]]);
    expect(await readdir(host.path('/var/lib/docker/berth-data/work'))).not.toContain(ids[0]);
  });
}

/** Builds that change a setting of the installation, so that they are alone. */
export function limitTests(shop: () => ApplicationFixture): void {
  it('kills a build step that takes more memory than builds may have, and says so', async () => {
    const { berth } = shop();
    await berth.call('settings.update', { buildMemory: '160m' });
    const app = await shop().fromFiles(
      'greedy',
      nodeFiles('-', [`RUN node -e "const all = []; for (;;) all.push(Buffer.alloc(8e6, 1))"`]),
    );
    const { status, stage, errorMessage, deploymentId } = await app.ended(await app.begin());
    expect({ status, stage }).toEqual({ status: 'error', stage: 'build' });
    expect(await app.log(deploymentId)).toContain('Build limits: 160 MiB of memory, 2 CPUs.');
    expect(errorMessage).toMatch(
      /^The build ran out of memory: the step "RUN node -e .* was killed at the limit of 160 MiB\. Raise the memory of builds/,
    );
    await berth.call('settings.update', { buildMemory: '2g' });
  });

  it('refuses to build on a disk that is nearly full, in a clear sentence', async () => {
    const { berth } = shop();
    await berth.call('settings.update', { minFreeDisk: (900 * 1024 ** 4) / 1024 });
    const app = await shop().fromFiles('no-room', tinyFiles('-'));
    expect(await app.ended(await app.begin())).toMatchObject({
      status: 'error',
      stage: 'checkout',
      errorMessage: expect.stringMatching(
        /^Only [\d.]+ GiB of disk are free; the repository needs room, and 900\.0 GiB must stay free \(setting minFreeDisk\)\. Free some space/,
      ),
    });
    await berth.call('settings.update', { minFreeDisk: 0 });
    // The work folder on a disk of its own that is too small for the source.
    const work = '/var/lib/docker/berth-data/work';
    await output(berth.host, 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'full', work);
    try {
      expect(await app.ended(await app.begin())).toMatchObject({
        status: 'error',
        stage: 'checkout',
        errorMessage:
          'The disk of this server filled up while fetching the source; free some space and deploy again.',
      });
    } finally {
      // A program of the fetch may end a moment after the deployment.
      await until('the small disk is left', async () => (await berth.host.exec(['umount', work])).code === 0);
    }
    expect((await app.deploy()).status).toBe('done');
  });
}

async function imagesOf({ berth }: ApplicationFixture, app: App): Promise<string[]> {
  return (
    await output(
      berth.services,
      docker,
      'images',
      '--format',
      '{{.Tag}}',
      `berth-build/${app.id.toLowerCase()}`,
    )
  )
    .split('\n')
    .toSorted();
}

/** Nothing of a deleted application is left: service, image, record, log, route. */
async function expectGone(
  { berth }: ApplicationFixture,
  app: App,
  deploymentId: string,
  image: string | null,
): Promise<void> {
  expect(await dockerOf(berth.services).services(`berth.application=${app.id}`)).toEqual([]);
  expect((await berth.services.exec([docker, 'image', 'inspect', image ?? 'none'])).code).toBe(1);
  expect((await berth.ask('deployment.one', { deploymentId })).status).toBe(404);
  expect((await berth.ask('application.one', { applicationId: app.id })).status).toBe(404);
  expect(existsSync(berth.host.path(`/var/lib/docker/berth-data/logs/${deploymentId}.log`))).toBe(false);
  expect((await app.answer()).status).toBe(404);
}
