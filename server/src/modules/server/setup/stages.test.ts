import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareServer, setupWorld } from '../../../../../test/machines/bare-server.ts';
import { installVirtualTime } from '../../../../../test/virtual-time/virtual-time.ts';
import { AppError } from '../../../domain/errors.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

const running = { engine: 'running', installed: new Set(['dockerd', 'rclone']) } as const;

it('get an engine and rclone onto a bare server, and find them there the next time', async () => {
  const server = bareServer();
  const { run, said } = setupWorld(server);
  expect(await run('connect')).toEqual([]);
  expect(await run('facts')).toEqual([]);
  expect(said).toEqual([
    'Connected to the server edge at 203.0.113.7 as root.',
    'It is Debian GNU/Linux 12 (bookworm) on x86_64, kernel 6.1.0; 40 GiB are free.',
  ]);
  expect(await run('packages')).toEqual([
    'wrote /etc/docker/daemon.json, so that builds can be limited',
    'installed the container engine (docker.io of the distribution)',
    'installed rclone',
  ]);
  expect(JSON.parse(server.files.get('/etc/docker/daemon.json') ?? '')).toEqual({
    'exec-opts': ['native.cgroupdriver=cgroupfs'],
  });
  expect(await run('engine')).toEqual(['started the engine, and systemd starts it at boot']);
  expect(await run('swarm')).toEqual(['created a swarm of this one machine, known as 203.0.113.7']);
  expect([await run('packages'), await run('engine'), await run('swarm')]).toEqual([[], [], []]);
  expect(said.slice(-3)).toEqual([
    'A container engine is installed; it is used as it is.',
    'Docker 20.10.24 answers (API version 1.41).',
    'It is a manager of a swarm, known as 203.0.113.7.',
  ]);
});

it('leave an engine’s own settings as they are', async () => {
  const server = bareServer({ files: new Map([['/etc/docker/daemon.json', '{"mtu":1400}']]) });
  const { run } = setupWorld(server);
  await run('facts');
  expect(await run('packages')).not.toContain('wrote /etc/docker/daemon.json, so that builds can be limited');
  expect(server.files.get('/etc/docker/daemon.json')).toBe('{"mtu":1400}');
});

it('install no engine where there is no apt, and use the one that is there', async () => {
  const other = setupWorld(bareServer({ hasApt: false }));
  await other.run('facts');
  await expect(other.run('packages')).rejects.toThrow('has no container engine and no apt-get');
  const { run } = setupWorld(bareServer({ hasApt: false, engine: 'running' }));
  await run('facts');
  expect(await run('packages')).toEqual([]);
});

it('go on without rclone, but not without the engine’s package or the server', async () => {
  const server = bareServer({
    ...running,
    installed: new Set(['dockerd']),
    unknownPackages: new Set(['rclone']),
  });
  const { run, said } = setupWorld(server);
  await run('facts');
  expect(await run('packages')).toEqual([]);
  expect(said.at(-1)).toMatch(/^rclone could not be installed, .*Unable to locate package rclone/s);
  const bare = setupWorld(bareServer({ unknownPackages: new Set(['docker.io']) }));
  await bare.run('facts');
  await expect(bare.run('packages')).rejects.toThrow(
    /ended with code 100:\nE: Unable to locate package docker.io/,
  );
  const lost = setupWorld(server, {}, [
    [
      /pidof -x apt-get/,
      () => {
        throw new AppError('SERVICE_UNAVAILABLE', 'The connection broke.');
      },
    ],
  ]);
  await lost.run('facts');
  await expect(lost.run('packages')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

it('need room for the engine', async () => {
  const { run } = setupWorld(bareServer({ freeKilobytes: 2 * 1024 * 1024 - 1 }));
  await expect(run('facts')).rejects.toThrow(
    'Only 2047 MiB are free below /var of the server edge, and at least 2048',
  );
  expect(await setupWorld(bareServer({ freeKilobytes: 2 * 1024 * 1024 })).run('facts')).toEqual([]);
});

it('make the platform’s network and start the proxy, once', async () => {
  const { run, said, memory } = setupWorld(bareServer(running));
  expect(await run('network')).toEqual(['made the network berth-proxy on the server edge']);
  expect(await run('network')).toEqual([]);
  expect(await run('folders')).toEqual([]);
  expect(await run('proxy')).toEqual(['started the proxy on the ports 80 and 443']);
  expect([...memory.state.services.values()].map(({ spec }) => spec.Name)).toEqual(['berth-proxy']);
  expect(await run('proxy')).toEqual([]);
  expect(said).toEqual(["Copying the proxy's image caddy:2 …"]);
});

it.each([
  ['"nginx",pid=12,fd=6', 'nginx (process 12)'],
  ['', 'another program'],
])('name who holds a port of the proxy (%j)', async (holder, who) => {
  const { run, memory } = setupWorld(bareServer({ ...running, listeners: new Map([[443, holder]]) }));
  await expect(run('proxy')).rejects.toThrow(
    `Port 443 of the server edge is held by ${who}, and Berth's proxy`,
  );
  expect(memory.state.services.size).toBe(0);
});

it('say that the proxy does not answer', async () => {
  const { run, images } = setupWorld(bareServer(running));
  images.clear();
  await expect(run('proxy')).rejects.toThrow('The proxy of the server edge does not answer yet.');
});

it.each([{ serverType: 'build' }, { isNode: true }] as const)(
  'make neither network nor proxy where none belongs (%j)',
  async (change) => {
    const { run, memory } = setupWorld(bareServer(running), change);
    expect([await run('network'), await run('proxy')]).toEqual([[], []]);
    expect(memory.state.services.size).toBe(0);
  },
);

it('copy the image of builds, and say where there is none', async () => {
  const { run, said, images } = setupWorld(bareServer(running));
  images.delete('builder:1');
  expect(await run('tools')).toEqual([]);
  expect(said.at(-1)).toMatch(/^Berth's own machine does not have builder:1 either/);
  images.add('builder:1');
  expect(await run('tools')).toEqual(['copied the image builder:1']);
  expect(await run('tools')).toEqual([]);
});

it('say at the end whether health can be asked', async () => {
  const { run, said } = setupWorld(bareServer(running));
  await run('probe');
  expect(said).toEqual(['The engine of the server edge answers, and health can be asked.']);
  const other = setupWorld(bareServer({ ...running, apiVersion: '' }));
  await other.run('probe');
  expect(other.said[0]).toMatch(/Its architecture differs from that of Berth's own machine/);
});
