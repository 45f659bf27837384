import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Bed } from '../../bed/bed.ts';
import { findBed, openBed } from '../../bed/bed.ts';
import type {} from '../../bed/global-setup.ts';
import { dockerCli } from '../../bed/host/golden.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { leftovers } from '../../bed/machine/leftovers.ts';
import { identify } from '../../bed/machine/process-identity.ts';

const signal = new AbortController().signal;

async function sharedBed(): Promise<Bed> {
  const bed = await findBed(inject('bed').name, signal);
  if (bed === null) throw new Error('The global set-up opened no bed.');
  return bed;
}

async function output(host: BedHost, ...argv: [string, ...string[]]): Promise<string> {
  const result = await host.exec(argv, { limitMs: 180_000 });
  if (result.code !== 0) throw new Error(`${argv.join(' ')}: ${result.code} ${result.stderr}`);
  return result.stdout.trim();
}

describe('a host with an engine', () => {
  let m1: BedHost;
  beforeAll(async () => {
    m1 = await (await sharedBed()).find('m1');
  });

  test('has its own name, processes, network and control groups', async () => {
    expect(await output(m1, 'hostname')).toBe('m1');
    expect(await output(m1, 'cat', '/proc/1/comm')).toBe('tini');
    expect(await output(m1, 'ip', '-4', '-brief', 'address', 'show', 'eth0')).toContain(`${m1.ip}/24`);
    const groups = (await output(m1, 'cat', '/proc/self/cgroup')).split('\n');
    expect(groups.every((line) => line.endsWith(':/') || line.endsWith(':/init'))).toBe(true);
  });

  test("runs a service on an overlay until it is healthy, reachable on the host's address", async () => {
    const docker = [dockerCli] as const;
    await output(m1, ...docker, 'network', 'create', '--driver', 'overlay', '--attachable', 'bed-test');
    const script = 'require("http").createServer((q, r) => r.end("well")).listen(3000)';
    const probe = 'node -e \'fetch("http://127.0.0.1:3000").then((r) => process.exit(r.ok ? 0 : 1))\'';
    await output(
      m1,
      ...docker,
      'service',
      'create',
      '--quiet',
      '--name',
      'bed-test',
      '--network',
      'bed-test',
      '--endpoint-mode',
      'dnsrr',
      '--health-cmd',
      probe,
      '--health-interval',
      '1s',
      '--publish',
      'mode=host,target=3000,published=3999',
      'berth/node:24',
      'node',
      '-e',
      script,
    );
    try {
      const answer = await fetch(`http://${m1.ip}:3999/`, { signal: AbortSignal.timeout(10_000) });
      expect(await answer.text()).toBe('well');
      expect(
        await output(m1, ...docker, 'ps', '--filter', 'health=healthy', '--format', '{{.Names}}'),
      ).toContain('bed-test');
    } finally {
      await output(m1, ...docker, 'service', 'rm', 'bed-test');
    }
  });

  test('pushes to the open registry, and to the secured one only after a login', async () => {
    const { open, secured, username, password } = await (await sharedBed()).registries();
    // One short file, since the engine compresses what it pushes.
    await output(m1, 'sh', '-c', `tar -C /etc -c hostname | ${dockerCli} import - small:1`);
    for (const address of [open, secured])
      await output(m1, dockerCli, 'tag', 'small:1', `${address}/small:1`);
    await output(m1, dockerCli, 'push', '--quiet', `${open}/small:1`);
    expect((await m1.exec([dockerCli, 'push', '--quiet', `${secured}/small:1`])).stderr).toContain(
      'no basic auth credentials',
    );
    await output(m1, dockerCli, 'login', '--username', username, '--password', password, secured);
    await output(m1, dockerCli, 'push', '--quiet', `${secured}/small:1`);
  });
});

describe('a server of its own', () => {
  test("comes back with its files after a power cut, and with its engine's containers", async () => {
    const bed = await sharedBed();
    const host = await bed.host('cut', { index: 20, engine: true, images: true });
    await host.exec(['tee', '/etc/kept'], { input: 'kept' });
    await output(
      host,
      dockerCli,
      'run',
      '--detach',
      '--restart',
      'always',
      '--name',
      'stays',
      'berth/debian:12',
      'sleep',
      'infinity',
    );
    const init = Number(/\d+/.exec(host.path('/'))?.[0]);
    await host.kill();
    expect(await identify(init)).toBeNull();
    await host.restart();
    expect(await readFile(host.path('/etc/kept'), 'utf8')).toBe('kept');
    await expect
      .poll(() => output(host, dockerCli, 'ps', '--format', '{{.Names}}'), { timeout: 20_000 })
      .toBe('stays');
    await host.kill();
  });

  test("lets nobody in over SSH without the bed's key", async () => {
    const { s1, sshKeyPath } = inject('servers');
    const m1 = await (await sharedBed()).find('m1');
    const common = [
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      'UserKnownHostsFile=/dev/null',
      '-o',
      'BatchMode=yes',
      '-o',
      'LogLevel=ERROR',
    ] as const;
    expect((await m1.exec(['ssh', ...common, `root@${s1.ip}`, 'hostname'])).code).toBe(255);
    await m1.exec(['tee', '/root/key'], { input: await readFile(sshKeyPath, 'utf8') });
    await m1.exec(['chmod', '600', '/root/key']);
    expect(await output(m1, 'ssh', ...common, '-i', '/root/key', `root@${s1.ip}`, 'hostname')).toBe('s1');
  });
});

describe('a bare machine', () => {
  let fresh: BedHost;
  beforeAll(async () => {
    fresh = await (await sharedBed()).host('fresh', { index: 21, root: 'bare' });
  });
  afterAll(() => fresh.kill());

  test('has git and curl, and no Node.js, engine or SSH server', async () => {
    for (const program of ['git', 'curl']) await output(fresh, program, '--version');
    for (const program of ['docker', 'dockerd', 'sshd', 'node', 'npm'])
      expect((await fresh.exec(['which', program])).code).toBe(1);
  });
});

test('two beds live side by side, and a closed one leaves nothing', async () => {
  const second = await openBed({ name: `second-${process.pid}` });
  try {
    const host = await second.host('m1', { index: 1, engine: true });
    expect(second.net).not.toBe(inject('bed').net);
    expect(await output(host, 'hostname')).toBe('m1');
  } finally {
    await second.close();
  }
  expect(await leftovers()).toEqual([]);
});
