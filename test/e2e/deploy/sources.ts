/**
 * Where the source comes from: a local repository, one over SSH, an upload, an image, a registry on the way.
 */
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import type { Bed } from '../../bed/bed.ts';
import { archiveOf } from '../fixtures/caller.ts';
import { followLog } from '../fixtures/log-stream.ts';
import { createRepository } from '../fixtures/repository.ts';
import { nodeFiles, nodeServer, tinyFiles } from '../fixtures/sources.ts';
import { docker, newest, output, type App, type ApplicationFixture } from '../fixtures/applications.ts';

const slowSteps = ['RUN for i in $(seq 1 40); do echo "step $i of the build"; sleep 0.05; done'];

export function sourceTests(shop: () => ApplicationFixture, bed: () => Bed): void {
  it.concurrent(
    'deploys a repository, follows its log over a cut, deploys a change, rebuilds what is deployed, and ' +
      'goes back',
    async () => {
      const app = await shop().fromFiles('main-path', nodeFiles('one', slowSteps));
      await app.do('application.saveEnvironment', { env: 'COLOR=blue' });
      const first = await app.begin();
      await expectWholeLog(shop(), app, first);
      expect((await app.ended(first)).status).toBe('done');
      expect(await app.state()).toMatchObject({ version: 'one', env: { COLOR: 'blue' } });

      const second = await app.repository.commit({ 'server.js': nodeServer('two') });
      await app.do('application.saveEnvironment', { env: 'COLOR=green' });
      expect(await app.deploy()).toMatchObject({ commit: second });
      expect(await app.state()).toMatchObject({ version: 'two', env: { COLOR: 'green' } });

      await app.repository.commit({ 'server.js': nodeServer('three') });
      expect(await app.deploy('redeploy')).toMatchObject({ commit: second, title: 'Rebuild deployment' });
      expect((await app.state()).version).toBe('two');

      const { deploymentId } = await shop().berth.call<{ deploymentId: string }>('deployment.rollback', {
        deploymentId: first,
      });
      expect(await app.ended(deploymentId)).toMatchObject({ status: 'done', kind: 'rollback' });
      expect(await app.state()).toMatchObject({ version: 'one', env: { COLOR: 'blue' } });
      expect((await app.view()).pendingChanges).toContain('env');
    },
  );

  it.concurrent('takes a tag of a repository over SSH with its submodule, builds a sub-folder', async () => {
    const server = await bed().host(`git-${shop().berth.host.name}`, {
      index: shop().berth.serverId === null ? 2 : 3,
      sshd: true,
    });
    const library = await createRepository(server, 'library', { 'index.html': 'from the submodule' });
    const { busybox = '', start = '', Dockerfile = '' } = tinyFiles('');
    const site = await createRepository(server, 'site', {
      'web/busybox': busybox,
      'web/start': start,
      'web/Dockerfile': Dockerfile,
    });
    await site.addSubmodule(library, 'web/www');
    await site.commit({ 'README.md': 'with its pages' });
    await site.tag('v1.0');
    await site.commit({ 'web/Dockerfile': 'FROM scratch\n' });

    const app = await shop().application('over-ssh');
    await app.do('application.saveBuildType', { buildType: 'dockerfile' });
    const source = {
      customGitUrl: `ssh://root@${server.ip}${site.path}`,
      customGitBranch: 'v1.0',
      customGitBuildPath: '/web',
      enableSubmodules: true,
    };
    await app.do('application.saveGitProvider', source);
    const refused = await app.ended(await app.begin());
    expect(refused).toMatchObject({
      status: 'error',
      stage: 'checkout',
      errorMessage:
        `${server.ip} requires an SSH key; choose one and add its public part as a deploy key ` + 'there.',
    });

    const key = await shop().berth.call<{ sshKeyId: string; publicKey: string }>('sshKey.generate', {
      name: 'deploy key',
    });
    await server.exec(['sh', '-c', 'cat >> /run/bed/authorized_keys'], { input: `${key.publicKey}\n` });
    await app.do('application.saveGitProvider', { ...source, customGitSSHKeyId: key.sshKeyId });
    await app.deploy();
    expect(await app.answer()).toEqual(expect.objectContaining({ status: 200, body: 'from the submodule' }));
  });

  it.concurrent('takes an upload as zip and as tar.gz', async () => {
    const app = await shop().application('uploaded');
    await app.do('application.saveBuildType', { buildType: 'dockerfile' });
    await upload(shop(), app, 'source.zip', await zipOf(nodeFiles('zipped')));
    expect(await app.ended(newest(await app.view()).deploymentId)).toMatchObject({
      status: 'done',
      title: 'Upload',
      description: 'source.zip',
    });
    expect((await app.state()).version).toBe('zipped');

    const text = Object.fromEntries(
      Object.entries(nodeFiles('tarred')).map(([name, content]) => [name, String(content)]),
    );
    await upload(shop(), app, 'source.tar.gz', gzipSync(await archiveOf(text)));
    expect(await app.ended(newest(await app.view()).deploymentId)).toMatchObject({ status: 'done' });
    expect((await app.state()).version).toBe('tarred');
  });

  it.concurrent('pushes what it built to a registry with a login; the service runs that image', async () => {
    const { secured, username, password } = await bed().registries();
    const { berth } = shop();
    const { registryId } = await berth.call<{ registryId: string }>('registry.create', {
      name: 'Ours',
      registryUrl: secured,
      username,
      password,
      imagePrefix: 'team',
    });
    await expect(berth.call('registry.test', { registryId })).resolves.toEqual({ success: true });
    const app = await shop().fromFiles('pushed', tinyFiles('from the registry'), {
      settings: { registryId },
    });
    const { image } = await app.deploy();
    expect(image).toMatch(new RegExp(`^${secured}/team/pushed:`));
    const running = await output(
      berth.services,
      docker,
      'service',
      'inspect',
      '--format',
      '{{.Spec.TaskTemplate.ContainerSpec.Image}}',
      'pushed',
    );
    expect(running).toMatch(/@sha256:[0-9a-f]{64}$/);
    expect((await app.answer()).body).toBe('from the registry');
  });
}

/** Reads the live log in three pieces; together they are the whole log, each line once. */
async function expectWholeLog({ berth }: ApplicationFixture, app: App, deploymentId: string): Promise<void> {
  const pieces = [await followLog(berth, deploymentId, { cutAfter: 12 })];
  pieces.push(
    await followLog(berth, deploymentId, { lastEventId: pieces.at(-1)?.at(-1)?.id ?? '', cutAfter: 9 }),
  );
  pieces.push(await followLog(berth, deploymentId, { lastEventId: pieces.at(-1)?.at(-1)?.id ?? '' }));
  const events = pieces.flat();
  expect(pieces.map((piece) => piece.length)).toEqual([12, 9, expect.any(Number)]);
  expect(events.at(-1)).toMatchObject({ type: 'end', data: { outcome: 'done' } });
  const lines = events.slice(0, -1).map(({ data }) => data.text);
  expect(lines.join('\n')).toBe(await app.log(deploymentId));
  expect(
    lines
      .filter((line) => /\d step \d+ of the build$/.test(line ?? ''))
      .map((line) => Number(/step (\d+)/.exec(line ?? '')?.[1])),
  ).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
}

async function upload(
  { berth }: ApplicationFixture,
  app: App,
  name: string,
  content: Uint8Array,
): Promise<void> {
  const form = new FormData();
  form.append('applicationId', app.id);
  form.append('file', new Blob([new Uint8Array(content)]), name);
  const answer = await fetch(`${berth.url}/api/application.dropDeployment`, {
    method: 'POST',
    headers: berth.signed(),
    body: form,
    signal: AbortSignal.timeout(30_000),
  });
  expect([answer.status, await answer.text()]).toEqual([200, 'true']);
}

async function zipOf(files: Record<string, string | Uint8Array>): Promise<Uint8Array> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}
