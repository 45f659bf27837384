import { testInstallation } from '../../installation.ts';
import { link, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createSwarmEngine } from '../../../server/src/adapters/engine/swarm.ts';
import { findBed } from '../../bed/bed.ts';
import { until } from '../../engine-suite/fixture.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-down-'));
});

afterAll(() => rm(folder, { recursive: true }));

function unavailable(socketPath: string, words: RegExp) {
  return {
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(new RegExp(`${socketPath}.*${words.source}`)),
  };
}

/** A socket file behind which something accepts connections, or once did. */
async function listenAt(path: string): Promise<() => Promise<void>> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return () => new Promise((resolve) => server.close(() => resolve()));
}

test('no socket', async () => {
  const socketPath = join(folder, 'none.sock');
  const engine = createSwarmEngine({ installation: testInstallation, socketPath });
  const expected = unavailable(socketPath, /there is no such socket/);
  await expect(engine.info()).rejects.toMatchObject(expected);
  await expect(engine.service('x')).rejects.toMatchObject(expected);
  await expect(
    engine.pullImage('x', { signal: new AbortController().signal, onLine: () => undefined }),
  ).rejects.toMatchObject(expected);
  await expect(engine.serviceLogs('x', {})[Symbol.asyncIterator]().next()).rejects.toMatchObject(expected);
});

test('a socket that nobody listens on', async () => {
  const socketPath = join(folder, 'stale.sock');
  const close = await listenAt(join(folder, 'live.sock'));
  await link(join(folder, 'live.sock'), socketPath);
  await close();
  await expect(
    createSwarmEngine({ installation: testInstallation, socketPath }).info(),
  ).rejects.toMatchObject(unavailable(socketPath, /nothing listens/));
});

test('an engine that does not answer', async () => {
  const socketPath = join(folder, 'silent.sock');
  const server = createServer();
  const sockets: { destroy(): void }[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const startedAt = performance.now();
  await expect(
    createSwarmEngine({ installation: testInstallation, socketPath }).info(),
  ).rejects.toMatchObject(unavailable(socketPath, /no answer in time/));
  expect(performance.now() - startedAt).toBeLessThan(6_000);
  sockets.forEach((socket) => socket.destroy());
  await new Promise((resolve) => server.close(resolve));
});

test('DOCKER_HOST of the environment does not win over the socket', async () => {
  const socketPath = join(folder, 'other.sock');
  const before = process.env['DOCKER_HOST'];
  process.env['DOCKER_HOST'] = `unix://${inject('servers').m1.engineSocket}`;
  try {
    await expect(
      createSwarmEngine({ installation: testInstallation, socketPath }).info(),
    ).rejects.toMatchObject(unavailable(socketPath, /no such socket/));
    process.env['DOCKER_HOST'] = 'tcp://192.0.2.1:2375';
    await expect(
      createSwarmEngine({ installation: testInstallation, socketPath }).info(),
    ).rejects.toMatchObject(unavailable(socketPath, /no such socket/));
  } finally {
    if (before === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = before;
  }
});

test('an engine that goes and comes back is used again; one without a swarm says so', async () => {
  const bed = await findBed(inject('bed').name, new AbortController().signal);
  if (bed === null) throw new Error('the bed is gone');
  const host = await bed.host('engine-down', { index: 61, engine: true });
  const engine = createSwarmEngine({ installation: testInstallation, socketPath: host.engineSocket });
  expect(await engine.info()).toMatchObject({ nodeId: '', isManager: false });
  await expect(engine.services()).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('is not a swarm manager'),
  });
  await host.engine.stop();
  await expect(engine.info()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await host.engine.start();
  expect(await until('an answer', () => engine.info().catch(() => undefined))).toMatchObject({
    isManager: false,
  });
  await host.stop();
});
