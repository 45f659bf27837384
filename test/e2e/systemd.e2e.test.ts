/**
 * bin/up where systemd is the service manager and an image registry answers (a mirror in the engine's
 * settings): engine and Berth become enabled units, systemd keeps Berth up, and images are pulled under their
 * official names.
 */
import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { images } from '../../images/images.ts';
import { recipesHash } from '../../images/build.ts';
import { mustRun } from '../../images/command.ts';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { cached } from '../bed/machine/cached.ts';
import { dockerCli } from '../bed/host/golden.ts';
import type { BedHost } from '../bed/host/host.ts';
import { waitUntil } from '../bed/machine/process-identity.ts';
import { openStorage } from '../bed/registry.ts';
import { bareMachine, checkout } from './fixtures/bare-machine.ts';

let host: BedHost;
let init = '';

beforeAll(async () => {
  const bed = await bedOfRun();
  host = await bareMachine(bed, 'systemd', { index: 22, images: true, dependencies: true, root: 'systemd' });
  await fillMirror(bed);
  // systemd must be process 1: it gets process, mount and name namespaces of its own within the host; network
  // and files stay the host's.
  const boot =
    'mount -t proc proc /proc && mount -t tmpfs tmpfs /run && exec env container=docker /lib/systemd/systemd';
  await host.launch('systemd', [
    'unshare',
    '--pid',
    '--mount',
    '--uts',
    '--ipc',
    '--fork',
    '--kill-child',
    '--',
    'sh',
    '-c',
    boot,
  ]);
  await waitUntil(async () => (await host.exec(['pgrep', '--exact', 'systemd'])).code === 0, 20_000);
  init = (await host.exec(['pgrep', '--exact', '--oldest', 'systemd'])).stdout.trim();
  const runs = await waitUntil(
    async () => (await inside('systemctl', 'is-system-running')).text.startsWith('running'),
    30_000,
  );
  if (!runs)
    throw new Error(`systemd does not run: ${(await inside('systemctl', '--failed', '--no-pager')).text}`);
});
afterAll(() => host.kill());

/**
 * The bed's open registry as a mirror that holds what bin/up pulls: pushed once for these recipes and then
 * kept, since the engine compresses a hundred megabytes for it.
 */
async function fillMirror(bed: Bed): Promise<void> {
  const { open } = await bed.registries();
  const kept = await cached(
    'mirror',
    await recipesHash(images, new AbortController().signal),
    async (folder) => {
      await pushAll(bed, open);
      await mustRun(['cp', '-a', `${openStorage(bed.name)}/.`, folder], { limitMs: 60_000 });
    },
  );
  await mkdir(openStorage(bed.name), { recursive: true });
  await mustRun(['cp', '-a', '--no-clobber', `${kept}/.`, openStorage(bed.name)], { limitMs: 60_000 });
  const settings = JSON.stringify({
    'registry-mirrors': [`http://${open}`],
    'insecure-registries': [`http://${open}`],
  });
  await must(
    ['bash', '-c', 'mkdir -p /etc/docker && printf %s "$1" > /etc/docker/daemon.json', 'bash', settings],
    10_000,
  );
}

/** The Node image is never run here, so any will do. */
async function pushAll(bed: Bed, open: string): Promise<void> {
  const engine = await bed.host('mirror', { index: 23, engine: true, images: true });
  for (const name of ['caddy:2', 'node:24-slim']) {
    await engine.exec([dockerCli, 'tag', 'berth/caddy:2.11', `${open}/library/${name}`]);
    const pushed = await engine.exec([dockerCli, 'push', '--quiet', `${open}/library/${name}`], {
      limitMs: 180_000,
    });
    if (pushed.code !== 0) throw new Error(pushed.stderr);
  }
  await engine.kill();
}

async function must(argv: readonly [string, ...string[]], limitMs: number): Promise<void> {
  const done = await host.exec(argv, { limitMs });
  if (done.code !== 0) throw new Error(done.stderr);
}

async function inside(...argv: string[]): Promise<{ code: number; text: string }> {
  const enter = [
    'nsenter',
    `--target=${init}`,
    '--pid',
    '--mount',
    '--uts',
    '--ipc',
    '--',
    'env',
    `--chdir=${checkout}`,
  ] as const;
  const { code, stdout, stderr } = await host.exec([...enter, ...argv], { limitMs: 600_000 });
  return { code, text: `${stdout}${stderr}` };
}

async function answersHealth(): Promise<boolean> {
  const script =
    "fetch('http://127.0.0.1:3000/api/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => " +
    'process.exit(1))';
  return (await inside(`node_modules/node-linux-${process.arch}/bin/node`, '--eval', script)).code === 0;
}

it('pulls what the registry has, and makes engine and Berth enabled units', async () => {
  const run = await inside('bin/up');
  expect(run.text).toContain('pulled caddy:2, node:24-slim');
  expect(run.text).toContain('systemd starts it, also at boot');
  expect(run.text).toContain('systemd starts Berth (unit berth.service)');
  expect(run.code).toBe(0);
  expect((await inside('systemctl', 'is-enabled', 'docker', 'berth')).text).toBe('enabled\nenabled\n');
  expect(await answersHealth()).toBe(true);
});

it('is started again by systemd after it was killed', async () => {
  await inside('systemctl', 'kill', '--signal=KILL', 'berth');
  expect(await waitUntil(async () => !(await answersHealth()), 5000)).toBe(true);
  expect(await waitUntil(answersHealth, 20_000)).toBe(true);
});

it('is found by the next bin/up', async () => {
  const run = await inside('bin/up');
  expect(run.code).toBe(0);
  expect(run.text).toContain('runs and answers, version');
});

it('stays down after bin/down, while the engine goes on', async () => {
  const run = await inside('bin/down');
  expect(run.code).toBe(0);
  expect(run.text).toContain('was not started by bin/up and keeps running');
  expect((await inside('systemctl', 'is-active', 'docker', 'berth')).text).toBe('active\ninactive\n');
  expect((await inside('systemctl', 'is-enabled', 'docker', 'berth')).text).toBe('enabled\ndisabled\n');
});
