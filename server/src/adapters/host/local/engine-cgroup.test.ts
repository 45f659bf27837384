import { expect, test } from 'vitest';
import { parseGroups, parseMounts, socketsOf } from './engine-cgroup.ts';

test('mount points by controller', () => {
  const mounts = parseMounts(
    [
      '30 23 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755',
      '31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct',
      '32 30 0:28 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory',
      '33 30 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate',
      '34 30 0:28 / /elsewhere/memory rw - cgroup cgroup rw,memory',
      '',
    ].join('\n'),
  );
  expect(mounts.get('cpu')).toBe('/sys/fs/cgroup/cpu,cpuacct');
  expect(mounts.get('memory')).toBe('/sys/fs/cgroup/memory');
  expect(mounts.get('')).toBe('/sys/fs/cgroup/unified');
});

test('groups of a process', () => {
  const groups = parseGroups('12:memory:/bed\n3:cpu,cpuacct:/bed/x:y\n0::/system.slice/docker.service\n');
  expect([groups.get('memory'), groups.get('cpuacct'), groups.get('')]).toEqual([
    '/bed',
    '/bed/x:y',
    '/system.slice/docker.service',
  ]);
});

test('sockets of an engine', () => {
  expect(
    socketsOf(
      'dockerd\0--host\0unix:///run/a.sock\0-Hunix:///run/b.sock\0--host=unix:///run/c.sock\0-H\0fd://\0',
    ),
  ).toEqual(['/run/a.sock', '/run/b.sock', '/run/c.sock']);
});
