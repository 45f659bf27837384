import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realPath } from '../../adapters/host/local/real-path.ts';
import { createPlaces, type Places } from './places.ts';

const effect = 'would give the service';
let folder: string;
let places: Places;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'places-')));
  for (const name of ['data/keys', 'free']) await mkdir(join(folder, name), { recursive: true });
  for (const [name, target] of [
    ['to-data', 'data'],
    ['to-root', '/'],
    ['to-link', 'to-data'],
    ['later', `${folder}/data/later`],
    ['to-proc', '/proc/self/root'],
    ['to-free', 'free'],
    ['data-by-another-name', 'data'],
  ] as const)
    await symlink(target, join(folder, name));
  places = createPlaces({
    realPath,
    protectedPaths: [join(folder, 'data-by-another-name')],
    engine: {
      info: async () => ({
        version: '',
        nodeId: '',
        isManager: true,
        rootDirectory: '/var/lib/docker',
        cgroupVersion: '2',
      }),
    },
  });
});
afterAll(() => rm(folder, { recursive: true }));

describe('what nobody is given', () => {
  it.each([
    '/',
    '/var',
    '/var/lib',
    '/var/lib/docker',
    '/var/lib/docker/volumes',
    '/proc/self/root',
    '/proc/self/root/etc',
    '/proc/1/root',
    '/proc/1/cwd',
    '/proc/thread-self/fd/3',
    '/dev/fd/0',
  ])('%s', (path) =>
    expect(places.real(path, 'hostPath', effect)).rejects.toMatchObject({ code: 'FORBIDDEN' }),
  );

  it.each(['', 'data', 'data/keys', 'to-data', 'to-data/keys', 'to-root', 'to-link', 'later', 'to-proc/etc'])(
    'the folder with %s',
    (name) =>
      expect(places.real(join(folder, name), 'hostPath', effect)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      }),
  );
});

describe('the rest', () => {
  it.each(['/etc', '/proc', '/run/containerd', '/var/lib/dockers', '/srv/a b'])('%s', async (path) =>
    expect(await places.real(path, 'hostPath', effect)).toBe(path),
  );

  it('is its real path', async () => {
    expect(await places.real(join(folder, 'to-free/new'), 'hostPath', effect)).toBe(join(folder, 'free/new'));
    expect(
      await places.seen(
        [
          { service: 'web', what: 'bind', value: join(folder, 'to-free') },
          { service: 'web', what: 'capability', value: 'CAP_NET_ADMIN' },
        ],
        'composeFile',
      ),
    ).toEqual([
      { service: 'web', what: 'bind', value: join(folder, 'free') },
      { service: 'web', what: 'capability', value: 'CAP_NET_ADMIN' },
    ]);
  });
});
