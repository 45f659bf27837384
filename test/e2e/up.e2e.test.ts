/** bin/up and bin/down on a bare machine: Debian 12 with git, curl and root, and nothing else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import type { BedHost } from '../bed/host/host.ts';
import {
  bareMachine,
  checkout,
  curl,
  programs,
  runInCheckout,
  upWithExample,
} from './fixtures/bare-machine.ts';
import type { UpResult } from './fixtures/bare-machine.ts';
import { machineFiles } from './machine/machine-files.ts';
import { rememberSeenFromNothing, wasSeenFromNothing } from './fixtures/seen-from-nothing.ts';

const signal = new AbortController().signal;
let host: BedHost;
let first: UpResult;
/** Then the machine's engine, once installed, finds the images in its data. */
let seen: boolean;
/** Of the bare machine, before anything ran on it. */
let filesBefore: string[];

beforeAll(async () => {
  const bed = await bedOfRun();
  seen = await wasSeenFromNothing(signal);
  host = await bareMachine(bed, 'up', { index: 20, images: seen });
  filesBefore = await machineFiles(host);
});
afterAll(() => host.kill());

/**
 * What Debian's packages leave behind also when they are purged, copies that its tools keep, and what belongs
 * to packages that stay: netbase, which perl recommends, has /etc/networks; procps is the test's.
 */
const leftByPackages =
  /^\/(etc\/(g?shadow|passwd|group|subuid|subgid)-|var\/lib\/(systemd|python)|run\/|etc\/(systemd|networks|rc[\dS]\.d|ssl|docker)\b)/;

async function exists(path: string): Promise<boolean> {
  return (await host.exec(['test', '-e', path])).code === 0;
}

describe('before anything is changed', () => {
  it('stops when it is not root, having said what needs root and why', async () => {
    const asNobody = [
      'setpriv',
      '--reuid=nobody',
      '--regid=nogroup',
      '--clear-groups',
      'bin/up',
      '--example',
    ] as const;
    const run = await runInCheckout(host, asNobody);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('bin/up needs root:\n  - to install Debian packages');
    expect(run.stderr).toContain('nothing was changed. Run: sudo ./bin/up');
    expect(await exists(`${checkout}/node_modules`)).toBe(false);
    expect((await host.exec(['ls', '-A', '/var/lib/berth'])).stdout).toBe('');
  });

  it('refuses a word it does not know', async () => {
    const run = await runInCheckout(host, ['bin/up', '--exmaple']);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('"--exmaple"');
    expect(await exists(`${checkout}/node_modules`)).toBe(false);
  });

  it('says what to install when git is missing', async () => {
    // A folder of links to all programs but git stands in for a machine without it.
    await host.exec([
      'bash',
      '-c',
      'mkdir /tmp/nogit && ln -s /usr/bin/* /usr/sbin/* /tmp/nogit/ 2>/dev/null; rm /tmp/nogit/git',
    ]);
    const run = await runInCheckout(host, ['env', 'PATH=/tmp/nogit', 'bin/up']);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('apt-get install git');
    expect(await exists(`${checkout}/node_modules`)).toBe(false);
  });
});

describe('bin/up --example --json', () => {
  it('brings an empty machine to an example that answers through the proxy', async () => {
    const { run, result } = await upWithExample(host);
    first = result;
    console.log(
      `bin/up --example from nothing${seen ? ', the images of an earlier run found' : ''}: ` +
        `${(run.ms / 1000).toFixed(1)} s`,
    );
    expect(seen || run.stdout.includes('no image registry answers')).toBe(true);
    expect(run.stdout).toContain('no service manager runs here, so bin/up started it itself');
    expect(run.stdout).toMatch(/\(\d+\.\d s\)/);
    expect(result).toEqual({
      url: 'http://localhost:3000',
      email: expect.stringContaining('@'),
      password: expect.stringMatching(/^.{20,}$/),
      apiKey: expect.stringMatching(/^.{40,}$/),
      organizationId: expect.any(String),
      exampleUrl: 'http://hello.localhost/',
      exampleHost: 'hello.localhost',
      proxyUrl: 'http://127.0.0.1',
      signUpToken: null,
      signUpUrl: null,
    });
    // For the tests below, which look at what runs.
    await host.exec(['apt-get', 'install', '-y', '-q', '--no-install-recommends', 'procps'], {
      limitMs: 120_000,
    });
    const page = await curl(host, result.exampleUrl);
    expect(page.status).toBe(200);
    expect(page.body).toContain('Hello from Berth');
    expect((await curl(host, '--header', `Host: ${result.exampleHost}`, result.proxyUrl)).status).toBe(200);
    await rememberSeenFromNothing(signal);
  }, 1_500_000);

  it('gives credentials that work, and keeps them from others', async () => {
    const user = await curl(host, '--header', `x-api-key: ${first.apiKey}`, `${first.url}/api/user.get`);
    expect(JSON.parse(user.body)).toMatchObject({
      email: first.email,
      organizationId: first.organizationId,
      role: 'owner',
    });
    const signIn = await curl(
      host,
      '--json',
      JSON.stringify({ email: first.email, password: first.password }),
      `${first.url}/api/auth/sign-in/email`,
    );
    expect(signIn.status).toBe(200);
    const open = await host.exec(['find', '/var/lib/berth', '-maxdepth', '0', '-perm', '/077']);
    expect(open.stdout).toBe('');
    const readable = await host.exec([
      'find',
      '/var/lib/berth/example/credentials.json',
      '/var/lib/berth/berth.env',
      '-perm',
      '/077',
    ]);
    expect(readable.stdout).toBe('');
  });

  it('uses only images under our own names', async () => {
    const images = await host.exec([
      '/usr/bin/docker',
      'image',
      'ls',
      '--format',
      '{{.Repository}}:{{.Tag}}',
    ]);
    const names = images.stdout.trim().split('\n');
    expect(names).toEqual(
      expect.arrayContaining([
        'berth/caddy:2.11',
        'berth/node:24',
        'berth/postgres:17',
        'berth/mariadb:11.8',
        'berth/redis:8',
      ]),
    );
    expect(names.filter((name) => /^(caddy|node|postgres|mariadb|redis|debian):/.test(name))).toEqual([]);
  });

  it('finds everything there the second time, in seconds', async () => {
    const before = await programs(host);
    const { run, result } = await upWithExample(host);
    console.log(`second bin/up --example: ${(run.ms / 1000).toFixed(1)} s`);
    expect(result).toEqual(first);
    expect(run.ms).toBeLessThan(15_000);
    // What watched the probe's trial ends a second after it.
    await expect.poll(() => programs(host), { timeout: 30_000 }).toEqual(before);
  });

  it('puts Berth and engine back after they were killed', async () => {
    await host.exec(['pkill', '--signal', 'KILL', '--exact', 'dockerd']);
    await host.exec([
      'bash',
      '-c',
      'kill -9 "$(sed -n \'s/.*"pid": \\([0-9]*\\).*/\\1/p\' /var/lib/berth/run/berth.json)"',
    ]);
    const { run, result } = await upWithExample(host);
    expect(run.stdout).toContain('the engine that bin/up had started is gone; it is started again');
    expect(result).toEqual(first);
    expect((await curl(host, first.exampleUrl)).status).toBe(200);
  });

  it('starts no second engine beside one that is silent', async () => {
    await host.exec(['bash', '-c', 'mv /run/docker.sock /run/docker.sock.away']);
    const engines = (await programs(host)).filter((line) => line.includes('dockerd'));
    const run = await runInCheckout(host, ['bin/up']);
    await host.exec(['bash', '-c', 'mv /run/docker.sock.away /run/docker.sock']);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('does not start a second one');
    expect((await programs(host)).filter((line) => line.includes('dockerd'))).toEqual(engines);
  });

  it('comes back after a power cut by one bin/up', async () => {
    await host.restart();
    const { result } = await upWithExample(host);
    expect(result).toEqual(first);
    expect((await curl(host, first.exampleUrl)).status).toBe(200);
  });
});

describe('bin/down', () => {
  it('stops all that bin/up started, and says what it leaves', async () => {
    const run = await runInCheckout(host, ['bin/down']);
    console.log(`bin/down: ${(run.ms / 1000).toFixed(1)} s`);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('All data stays in /var/lib/berth');
    expect(run.ms).toBeLessThan(60_000);
    expect(await programs(host)).toEqual([]);
  });

  it('is no error where nothing runs', async () => {
    const run = await runInCheckout(host, ['bin/down']);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('does not run');
  });

  it('leaves all that the next bin/up needs', async () => {
    const { run, result } = await upWithExample(host);
    console.log(`bin/up --example after bin/down: ${(run.ms / 1000).toFixed(1)} s`);
    expect(result).toEqual(first);
    expect((await curl(host, first.exampleUrl)).status).toBe(200);
  });
});

describe('bin/down --purge', () => {
  const docker = async (...words: string[]): Promise<string> => {
    const done = await host.exec(['/usr/bin/docker', ...words], { limitMs: 60_000 });
    if (done.code !== 0) throw new Error(done.stderr);
    return done.stdout.trim();
  };
  const lines = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .toSorted();
  const onEngine = async (): Promise<Record<string, string[]>> => ({
    containers: lines(await docker('ps', '--all', '--format', '{{.Names}}')),
    volumes: lines(await docker('volume', 'ls', '--format', '{{.Name}}')),
    networks: lines(await docker('network', 'ls', '--format', '{{.Name}}')),
    images: lines(await docker('image', 'ls', '--all', '--format', '{{.Repository}}:{{.Tag}}')),
    swarm: lines(await docker('info', '--format', '{{.Swarm.LocalNodeState}}')),
  });
  const foreignStart = (): Promise<string> =>
    docker('inspect', '--format', '{{.Id}} {{.State.StartedAt}}', 'mine');
  let startedBefore: string;
  /** The command that it says for the packages. */
  let purgePackages: string;

  it('removes nothing before it was given the name', async () => {
    await docker('tag', 'berth/redis:8', 'mine/redis:1');
    await docker('network', 'create', 'mine');
    await docker('run', '--detach', '--name=mine', '--network=mine', '--volume=mine:/data', 'mine/redis:1');
    startedBefore = await foreignStart();
    const before = await onEngine();
    const files = await machineFiles(host);
    const run = await runInCheckout(host, ['bash', '-c', 'echo another-name | bin/down --purge']);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('/var/lib/berth: the database, keys');
    expect(run.stdout).toMatch(/ {2}- \d+ volumes?: /);
    expect(run.stdout).toMatch(/the packages that bin\/up installed: .*docker/);
    expect(run.stderr).toMatch(/"another-name" is not \S+, so nothing was removed/);
    expect(await onEngine()).toEqual(before);
    expect(await machineFiles(host)).toEqual(files);
    expect((await curl(host, first.exampleUrl)).status).toBe(200);
  });

  it('removes all that bin/up and Berth made, and nothing else', async () => {
    const run = await runInCheckout(host, ['bash', '-c', 'hostname | bin/down --purge']);
    console.log(`bin/down --purge (${(run.ms / 1000).toFixed(1)} s):\n${run.text}`);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('Berth is removed from this machine.\n');
    expect(await onEngine()).toEqual({
      containers: ['mine'],
      volumes: ['mine'],
      networks: ['bridge', 'host', 'mine', 'none'],
      images: ['mine/redis:1'],
      swarm: ['inactive'],
    });
    expect(await foreignStart()).toBe(startedBefore);
    const rules = await host.exec(['bash', '-c', 'iptables-save; ip6tables-save']);
    expect(rules.stdout).not.toMatch(/berth/i);
    const left = (await programs(host)).filter((line) => !/dockerd|containerd|redis-server/.test(line));
    expect(left).toEqual([]);
    expect(run.stdout).toContain('keeps running, for 1 other container');
    purgePackages = /To remove them: (apt-get purge --autoremove .*)/i.exec(run.stdout)?.[1] ?? '';
  });

  it('says that there is nothing when it is run again', async () => {
    const run = await runInCheckout(host, ['bin/down', '--purge', '--yes']);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('There is no Berth in /var/lib/berth');
    // A mount point of the bed, which stays; what was in it does not.
    expect((await host.exec(['ls', '-A', '/var/lib/berth'])).stdout).toBe('');
  });

  it('leaves nothing, once the packages are removed by the command that it says', async () => {
    await docker('rm', '--force', 'mine');
    await host.exec(['pkill', '--exact', 'dockerd']);
    await expect.poll(() => programs(host), { timeout: 30_000 }).toEqual([]);
    await host.exec(['apt-get', 'purge', '-y', '-q', 'curl'], { limitMs: 120_000 });
    const purged = await host.exec(['bash', '-c', `DEBIAN_FRONTEND=noninteractive ${purgePackages} -y -q`], {
      limitMs: 180_000,
    });
    expect(purged).toMatchObject({ code: 0 });
    const after = await machineFiles(host);
    const added = after.filter((path) => !filesBefore.includes(path) && !leftByPackages.test(path));
    console.log(`files added: ${added.join(' ')}`);
    expect(added).toEqual([]);
    expect(filesBefore.filter((path) => !after.includes(path))).toEqual([]);
  });
});
