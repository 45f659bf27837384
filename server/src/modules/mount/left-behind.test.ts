import { describe, expect, it } from 'vitest';
import { leftBehind, type MountPlace } from './left-behind.ts';

const service = { serviceId: 'a' };
const volume = (name: string, mountPath = '/data'): MountPlace => ({
  type: 'volume',
  mountPath,
  hostPath: null,
  volumeName: name,
});
const folder = (hostPath: string, mountPath = '/data'): MountPlace => ({
  type: 'bind',
  mountPath,
  hostPath,
  volumeName: null,
});
const file: MountPlace = { type: 'file', mountPath: '/data', hostPath: null, volumeName: null };
const live = [
  { type: 'volume', source: 'berth-a-data', target: '/data' },
  { type: 'bind', source: '/srv/shop', target: '/srv' },
  { type: 'config', source: 'berth-a-conf', target: '/etc/app.conf' },
];

describe('what a changed mount leaves behind', () => {
  it.each<[string, MountPlace | undefined, MountPlace, string | undefined]>([
    ['another name', volume('data'), volume('data2'), 'the volume data at /data'],
    ['another path', volume('data'), volume('data', '/var/data'), 'the volume data at /data'],
    ['a folder in place of a volume', volume('data'), folder('/srv/new'), 'the volume data at /data'],
    ['a file in place of a volume', volume('data'), file, 'the volume data at /data'],
    [
      'a volume in place of a folder',
      folder('/srv/shop', '/srv'),
      volume('new', '/srv'),
      'the folder /srv/shop at /srv',
    ],
    [
      'a folder at another path',
      folder('/srv/shop', '/srv'),
      folder('/srv/shop', '/s'),
      'the folder /srv/shop at /srv',
    ],
    ['a new volume over one of the release', undefined, volume('new'), 'the volume berth-a-data at /data'],
    [
      'one moved over data of the release',
      volume('new', '/new'),
      volume('new'),
      'the volume berth-a-data at /data',
    ],
    ['the same again', volume('data'), volume('data'), undefined],
    ['another folder that somebody names', folder('/srv/shop', '/srv'), folder('/srv/b', '/srv'), undefined],
    ['back to what the release has', volume('data2'), volume('data'), undefined],
    ['the former one made again', undefined, volume('data'), undefined],
    ['one that no release has had', volume('new', '/new'), volume('newer', '/new'), undefined],
    ['a new one at a path of its own', undefined, volume('new', '/new'), undefined],
    [
      'another file',
      { ...file, mountPath: '/etc/app.conf' },
      { ...file, mountPath: '/etc/b.conf' },
      undefined,
    ],
  ])('%s', (_what, present, next, expected) => {
    const left = leftBehind(live, service, present, next);
    expect(left && `${left.what} at ${left.target}`).toBe(expected);
  });

  it('nothing, where a restore put another volume in its place', () => {
    const restored = [{ type: 'volume', source: 'berth-a-data.restored-run', target: '/data' }];
    expect(leftBehind(restored, service, volume('data2'), volume('data'))).toBeUndefined();
    expect(leftBehind(restored, service, volume('data'), volume('data2'))).toMatchObject({
      what: 'the volume data',
    });
  });
});
