/** Machines that have nothing but an SSH server become servers, whatever happens meanwhile. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import type { BedHost } from '../bed/host/host.ts';
import { berthHost, throughProxy, type BerthHost } from './fixtures/berth-host.ts';
import { databasePath, killInSetup } from './fixtures/berth-process.ts';
import { followStream } from './fixtures/log-stream.ts';
import { quickCheck, until } from './fixtures/applications.ts';
import { startReleaseServer } from './servers/release-server.ts';
import { isWhole, ofThisRun } from '../run/mode.ts';

const stages = 'connect facts packages engine swarm network folders proxy tools builders probe'.split(' ');

// Debian's packages on a busy machine.
vi.setConfig({ testTimeout: 900_000 });

let bed: Bed;
let berth: BerthHost;
let fresh: BedHost;
let second: BedHost;
let sshKeyId: string;
let serverId: string;

interface ServerView {
  serverId: string;
  status: string;
  setupStatus: string;
  setupStage: string | null;
  setupError: string | null;
}

beforeAll(async () => {
  bed = await bedOfRun();
  [fresh, second, berth] = await Promise.all([
    bed.host('fresh', { index: 61, root: 'reached', sshd: true }),
    // The first shows what comes over the network.
    bed.host('second', { index: 62, root: isWhole() ? 'reached' : 'furnished', images: true, sshd: true }),
    berthHost(bed, 'office', 63),
  ]);
  ({ sshKeyId } = await berth.call<{ sshKeyId: string }>('sshKey.create', {
    name: 'servers',
    publicKey: await readFile(`${fresh.sshKeyPath}.pub`, 'utf8'),
    privateKey: await readFile(fresh.sshKeyPath, 'utf8'),
  }));
  await berth.call('settings.update', { sharedImages: ['berth/'] });
});
afterAll(() => Promise.all([fresh, second, berth.host].map((host) => host.kill())));

it('a bare machine becomes a server in two calls, and says what it did', async () => {
  const began = performance.now();
  serverId = await create('fresh', fresh);
  expect(await berth.call('server.validate', { serverId })).toMatchObject({
    containerRuntime: { enabled: false, version: null, accessible: false },
    isSwarmInstalled: false,
    isServiceNetworkInstalled: false,
    isMainDirectoryInstalled: true,
  });
  const lines = await setUp(serverId);
  console.log(`a bare machine became a server in ${Math.round((performance.now() - began) / 1000)} s`);
  expect(lines.filter((line) => line.startsWith('── '))).toEqual(stages.map((stage) => `── ${stage}`));
  expect(lines.join('\n')).toContain('Changed: installed the container engine');
  expect(await one(serverId)).toMatchObject({ status: 'active', setupStatus: 'done', setupError: null });
  expect(await berth.call('server.validate', { serverId })).toMatchObject({
    containerRuntime: { enabled: true, version: expect.stringMatching(/^\d+\.\d+/), accessible: true },
    rclone: { enabled: true },
    nixpacks: { enabled: false, version: null },
    isSwarmInstalled: true,
    isServiceNetworkInstalled: true,
    isMainDirectoryInstalled: true,
  });
});

it('an application with a domain answers from it', async () => {
  const { environment } = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'Shop',
  });
  const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name: 'front',
    appName: 'front',
    environmentId: environment.environmentId,
    serverId,
  });
  await berth.call('application.saveContainerProvider', {
    applicationId,
    containerImage: 'berth/caddy:2.11',
  });
  await berth.call('application.update', { applicationId, healthCheck: quickCheck });
  await berth.call('domain.create', { applicationId, host: 'front.localhost', port: 80 });
  await berth.call('application.deploy', { applicationId });
  const { deployments } = await berth.settled(applicationId, 180_000);
  const [{ status, deploymentId } = { status: '', deploymentId: '' }] = deployments;
  expect(status, (await berth.log(deploymentId)).join('\n')).toBe('done');
  await until(
    'it answers',
    async () => (await throughProxy(fresh.ip, 'front.localhost').catch(() => undefined))?.status === 200,
    60_000,
  );
});

it('a second set-up changes nothing and says so; what else runs there is not touched', async () => {
  await on(fresh, 'docker', 'run', '-d', '--name', 'foreign', 'berth/caddy:2.11');
  const seen = async (): Promise<string> =>
    `${await on(fresh, 'docker', 'ps', '--no-trunc', '--format', '{{.ID}} {{.Names}}')}\n` +
    `${await on(fresh, 'cat', '/run/docker.pid')}`;
  const before = await seen();
  const lines = await setUp(serverId);
  expect(lines.at(-1)).toContain('nothing was changed');
  expect(await seen()).toBe(before);
});

it('builder programs come from their releases, verified; one that cannot be had ends no set-up', async () => {
  await using releases = await startReleaseServer(bed.machineIp);
  const at = (name: string): string => `${releases.url}/v9/${name}`;
  await berth.call('settings.update', {
    allowedPrivateNetworks: [`${bed.machineIp}/32`],
    builderReleases: [at('pack-v9-linux.tgz'), at('nixpacks-v9'), at('railpack-v9.tar.gz')],
  });
  const told = (await setUp(serverId)).join('\n');
  expect(told).toContain('Changed: installed pack (pack-v9-linux.tgz, its checksum verified).');
  expect(told).toMatch(/nixpacks could not be installed, and .*has the SHA-256 [0-9a-f]{64}, and the file/);
  expect(told).toMatch(/railpack could not be installed, and .*cannot be verified/);
  expect(await berth.call('server.validate', { serverId })).toMatchObject({
    buildpacks: { enabled: true, version: '9.8.7' },
    nixpacks: { enabled: false, version: null },
    railpack: { enabled: false, version: null },
  });
  const left = await on(fresh, 'sh', '-c', 'ls -A /var/lib/berth/programs /usr/local/bin');
  expect(left).not.toMatch(/download|\.berth|nixpacks/);
  releases.asked.length = 0;
  expect((await setUp(serverId)).at(-1)).toContain('nothing was changed');
  expect(releases.asked).not.toContain('/kept/pack-v9-linux.tgz');
  await berth.call('settings.update', { builderReleases: [] });
});

it('its security is read as it is', async () => {
  const closed = { installed: false, active: false };
  const report = await berth.call('server.security', { serverId });
  expect(report).toMatchObject({
    ssh: { enabled: true, keyAuth: true, permitRootLogin: 'prohibit-password' },
    nonRootUser: { hasValidSudoUser: false },
    automaticUpdates: closed,
    intrusionPrevention: closed,
    swarmPorts: { restricted: true, allowedFrom: [fresh.ip] },
  });
  const script =
    "echo 'PermitRootLogin no\nPasswordAuthentication no\nKbdInteractiveAuthentication no' " +
    '>>/etc/ssh/sshd_config && ' +
    'useradd -m -s /bin/bash keeper && usermod -aG sudo keeper && ' +
    'iptables -A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT && ' +
    'iptables -A INPUT -i lo -j ACCEPT && iptables -A INPUT -p tcp --dport 22 -j ACCEPT && ' +
    'iptables -A INPUT -p tcp -m multiport --dports 80,443 -j ACCEPT && iptables -P INPUT DROP';
  await on(fresh, 'sh', '-c', script);
  expect(await berth.call('server.security', { serverId })).toMatchObject({
    firewall: { installed: true, active: true, defaultIncoming: 'deny' },
    ssh: { enabled: true, keyAuth: true, permitRootLogin: 'no', passwordAuth: false },
    nonRootUser: { hasValidSudoUser: true },
  });
});

it('kill -9 of Berth in each stage of a set-up by a user with sudo: it goes on to its end', async () => {
  await on(second, 'chmod', '644', '/run/bed/authorized_keys');
  await on(second, 'chmod', '755', '/run/bed');
  await on(second, 'useradd', '-m', '-p', '*', '-s', '/bin/bash', 'keeper');
  const sudoers = "umask 337; echo 'keeper ALL=(ALL) NOPASSWD:ALL' >/etc/sudoers.d/keeper";
  await on(second, 'sh', '-c', sudoers);
  const id = await create('second', second, 'keeper');
  const path = await databasePath(bed, berth.host);
  const hit: string[] = [];
  await berth.call('server.setup', { serverId: id });
  const killed = ofThisRun([...stages.keys()], 5);
  for (const at of killed) {
    // One that has nothing to do may be over between two looks; the next one is as good.
    const from = stages.slice(at);
    hit.push(await killInSetup(berth.host, path, { serverId: id, from, limitMs: 400_000 }));
    await berth.start();
  }
  console.log(`killed in the stages ${hit.join(', ')}`);
  expect(hit.filter((stage) => !stages.includes(stage))).toEqual([]);
  expect(new Set(hit).size).toBeGreaterThanOrEqual(Math.floor(killed.length * 0.8));
  await until('the set-up has ended', async () => (await one(id)).setupStatus !== 'running', 400_000);
  const lines = (await log(id)).join('\n');
  expect(await one(id), lines).toMatchObject({ setupStatus: 'done', setupError: null, status: 'active' });
  // The last stage may be over before the kill.
  expect(lines).toContain(`Berth was restarted; continuing (attempt ${killed.length}).`);
  expect(lines).toContain('Members of the group docker can do all that root can: keeper now is one.');
  expect(await berth.call('server.validate', { serverId: id })).toMatchObject({
    containerRuntime: { enabled: true, accessible: true },
    isSwarmInstalled: true,
    isServiceNetworkInstalled: true,
  });
});

it('a user who may not use sudo is told with the way out', async () => {
  await on(second, 'useradd', '-m', '-p', '*', '-s', '/bin/bash', 'nobody-special');
  const id = await create('second again', second, 'nobody-special');
  await berth.call('server.setup', { serverId: id });
  await until('it has failed', async () => (await one(id)).setupStatus === 'error', 60_000);
  expect((await one(id)).setupError).toContain('sudo');
});

async function create(name: string, host: BedHost, username = 'root'): Promise<string> {
  const record = { name, ipAddress: host.ip, port: 22, username, serverType: 'deploy', sshKeyId };
  return (await berth.call<ServerView>('server.create', record)).serverId;
}

const one = (id: string): Promise<ServerView> => berth.call<ServerView>('server.one', { serverId: id });

/** Gives the log, without its times. */
async function setUp(id: string): Promise<string[]> {
  await berth.call('server.setup', { serverId: id });
  await until('the set-up has ended', async () => (await one(id)).setupStatus !== 'running', 400_000);
  const lines = await log(id);
  const { setupStatus, setupError } = await one(id);
  expect(setupStatus, `${setupError ?? ''}\n${lines.join('\n')}`).toBe('done');
  return lines;
}

async function log(id: string): Promise<string[]> {
  const events = await followStream(berth, 'server.setupLogs', { serverId: id });
  return events.flatMap(({ data: { text } }) => (text === undefined ? [] : [text.replace(/^\S+Z /, '')]));
}

async function on(host: BedHost, ...argv: [string, ...string[]]): Promise<string> {
  const { code, stdout, stderr } = await host.exec(argv);
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`);
  return stdout.trim();
}
