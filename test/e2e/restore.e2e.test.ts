/** bin/up --restore: a bare machine becomes the Berth that a backup was made of. */
import { copyFile, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import type { BedHost } from '../bed/host/host.ts';
import { bareMachine, checkout, curl } from './fixtures/bare-machine.ts';
import { berthHost, throughProxy, type BerthHost } from './fixtures/berth-host.ts';
import { docker, output, quickCheck, until } from './fixtures/applications.ts';

const passphrase = 'correct horse "battery" $(staple)';
const secret = 'SECRET=only-the-key-opens-this';
let bed: Bed;
let bare: BedHost;
/** A server that both Berths have, and what ran there when the first one was gone. */
let kept: BedHost;
let server: KeptServer;
/** The names in the backup, and in how many of its lines the key stands. */
let listed = '';
let keyLines = '';

beforeAll(async () => {
  bed = await bedOfRun();
  bare = await bareMachine(bed, 'restored', {
    index: 25,
    images: true,
    dependencies: true,
    root: 'equipped',
  });
  kept = await bed.host('kept', { index: 27, engine: true, images: true, sshd: true });
  const berth = await berthHost(bed, 'backed-up', 26);
  try {
    server = await keptServer(berth, kept);
    const { project } = await berth.call<{ project: { projectId: string } }>('project.create', {
      name: 'Kept',
    });
    await berth.call('project.update', { projectId: project.projectId, env: secret });
    const { destinationId } = await berth.call<{ destinationId: string }>('destination.create', {
      name: 'disk',
      provider: 'local',
      path: '/srv/berth-backups',
    });
    await berth.call('installationBackup.set', { destinationId, passphrase });
    await berth.call('installationBackup.run');
    const path = await output(berth.host, 'find', '/srv/berth-backups', '-type', 'f');
    listed = await output(berth.host, 'tar', '--list', '--gzip', '--file', path);
    const key = await output(berth.host, 'cat', '/var/lib/docker/berth-data/berth.key');
    keyLines = (
      await berth.host.exec(['sh', '-c', `gunzip -c "$0" | grep -c -a -F -- "$1"`, path, key])
    ).stdout.trim();
    await copyFile(berth.host.path(path), bare.path('/root/berth.tar.gz'));
  } finally {
    await berth.host.kill();
  }
}, 300_000);
afterAll(() => Promise.all([bare.kill(), kept.kill()]));

const up = (input: string, ...words: string[]) =>
  bare.exec(['bin/up', ...words], { cwd: checkout, limitMs: 600_000, input });

it('a backup of Berth has the key only sealed', () => {
  expect(listed.split('\n')).toEqual(['berth-backup.json', 'berth.key.sealed', 'berth.sqlite']);
  expect(keyLines).toBe('0');
});

describe('bin/up --restore', () => {
  it('changes nothing without a file, with a damaged one, or with another passphrase', async () => {
    expect(await up('', '--restore', '/root/none.tar.gz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no file /root/none.tar.gz'),
    });
    await output(bare, 'sh', '-c', 'head -c 2000 /root/berth.tar.gz > /root/cut.tar.gz');
    expect(await up(`${passphrase}\n`, '--restore', '/root/cut.tar.gz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a complete backup of Berth'),
    });
    expect(await up('another passphrase\n', '--restore', '/root/berth.tar.gz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The passphrase is not the one'),
    });
    expect(await up('', '--restore', '/root/berth.tar.gz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No passphrase was given'),
    });
    expect((await bare.exec(['sh', '-c', 'ls /var/lib/berth | grep -E "sqlite|key|restore-"'])).stdout).toBe(
      '',
    );
  });

  it('brings the Berth of the backup back, its secrets included', async () => {
    const started = Date.now();
    const run = await up(`${passphrase}\n`, '--restore', '/root/berth.tar.gz');
    console.log(`bin/up --restore on a bare machine: ${((Date.now() - started) / 1000).toFixed(1)} s`);
    expect(run, run.stdout + run.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('database and key file are back'),
    });
    const signIn = await curl(
      bare,
      '--cookie-jar',
      '/root/jar',
      '--json',
      JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' }),
      'http://127.0.0.1:3000/api/auth/sign-in/email',
    );
    expect(signIn.status).toBe(200);
    const api = 'http://127.0.0.1:3000/api';
    const projects = await curl(bare, '--cookie', '/root/jar', `${api}/project.all`);
    const list = z
      .array(z.object({ projectId: z.string(), name: z.string() }))
      .parse(JSON.parse(projects.body));
    const kept = list.find(({ name }) => name === 'Kept');
    const project = await curl(
      bare,
      '--cookie',
      '/root/jar',
      `${api}/project.one?projectId=${String(kept?.projectId)}`,
    );
    expect(JSON.parse(project.body)).toMatchObject({ name: 'Kept', env: secret });
    expect(await output(bare, 'stat', '--format', '%a', '/var/lib/berth/berth.key')).toBe('600');
  }, 900_000);

  it('takes its servers up once the former Berth is given up, and starts nothing anew there', async () => {
    const asked = async (path: string, input: object): Promise<{ status: number; body: string }> =>
      curl(
        bare,
        '--cookie',
        '/root/jar',
        '--get',
        '--data-urlencode',
        `input=${JSON.stringify(input)}`,
        `http://127.0.0.1:3000/api/${path}`,
      );
    const told = (path: string, input: object): Promise<{ status: number; body: string }> =>
      curl(
        bare,
        '--cookie',
        '/root/jar',
        '--header',
        'origin: http://127.0.0.1:3000',
        '--json',
        JSON.stringify(input),
        `http://127.0.0.1:3000/api/${path}`,
      );
    const { serverId, changes } = server;
    await until(
      'the server is read',
      async () => (await asked('swarm.getNodes', { serverId })).status === 200,
    );
    const deployed = async (): Promise<{ status: string; errorMessage: string | null }> => {
      const deploy = await told('application.deploy', { applicationId: changes });
      expect(deploy.status, deploy.body).toBe(200);
      return until('the deployment has ended', async () => {
        const latest = JSON.parse((await asked('deployment.latest', { applicationId: changes })).body);
        return ['done', 'error'].includes(latest.status) && latest;
      });
    };
    const refused = await deployed();
    expect(refused.errorMessage).toContain('is kept by another incarnation of this installation');
    const incarnationId = /--give-up (\w+)/.exec(refused.errorMessage ?? '')?.[1];
    const gaveUp = await told('cleanup.giveUp', { incarnationId });
    expect(gaveUp.status, gaveUp.body).toBe(200);
    expect(await deployed()).toMatchObject({ status: 'done', errorMessage: null });
    const now = await containers(kept);
    expect(server.untouched.filter((line) => !now.includes(line))).toEqual([]);
    for (const name of ['still', 'changes'])
      expect((await throughProxy(kept.ip, `${name}.localhost`)).status).toBe(200);
  }, 300_000);

  it('never writes over data that is there', async () => {
    expect(await up(`${passphrase}\n`, '--restore', '/root/berth.tar.gz')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already has a Berth'),
    });
  });
});

interface KeptServer {
  serverId: string;
  /** Id of an application there that is deployed again. */
  changes: string;
  /** Containers there of everything else. */
  untouched: string[];
}

async function keptServer(berth: BerthHost, host: BedHost): Promise<KeptServer> {
  await output(host, docker, 'swarm', 'init', '--advertise-addr', host.ip);
  const { sshKeyId } = await berth.call<{ sshKeyId: string }>('sshKey.create', {
    name: 'kept',
    publicKey: await readFile(`${host.sshKeyPath}.pub`, 'utf8'),
    privateKey: await readFile(host.sshKeyPath, 'utf8'),
  });
  const record = { name: 'kept', ipAddress: host.ip, port: 22, username: 'root', serverType: 'deploy' };
  const { serverId } = await berth.call<{ serverId: string }>('server.create', { ...record, sshKeyId });
  await berth.call('settings.update', { sharedImages: ['berth/'] });
  const { environment } = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'Elsewhere',
  });
  const ids: string[] = [];
  for (const name of ['still', 'changes']) {
    const create = { name, appName: name, environmentId: environment.environmentId, serverId };
    const { applicationId } = await berth.call<{ applicationId: string }>('application.create', create);
    await berth.call('application.saveContainerProvider', {
      applicationId,
      containerImage: 'berth/caddy:2.11',
    });
    await berth.call('application.update', { applicationId, healthCheck: quickCheck });
    await berth.call('domain.create', { applicationId, host: `${name}.localhost`, port: 80 });
    await berth.call('application.deploy', { applicationId });
    const { deployments } = await berth.settled(applicationId, 240_000);
    expect(deployments[0]).toMatchObject({ status: 'done', errorMessage: null });
    ids.push(applicationId);
  }
  const [, changes = ''] = ids;
  const untouched = (await containers(host)).filter((line) => !line.startsWith('changes.'));
  expect(untouched.map((line) => line.replace(/\..*/, '')).toSorted()).toEqual(['berth-proxy', 'still']);
  return { serverId, changes, untouched };
}

const containers = async (host: BedHost): Promise<string[]> =>
  (await output(host, docker, 'ps', '--no-trunc', '--format', '{{.Names}} {{.ID}}')).split('\n');
