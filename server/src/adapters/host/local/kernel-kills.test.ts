import { expect, test } from 'vitest';
import { killsIn, openKernelLog } from './kernel-kills.ts';

const record = (limited: string, task: string): string =>
  '4,1534,3693471968,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,' +
  `oom_memcg=${limited},task_memcg=${task},task=node,pid=9850,uid=0\n`;

test('only kills at the limit of this very group count', () => {
  const group = '/one/docker/buildkit';
  const records = [
    record('/one/docker/buildkit', '/one/docker/buildkit/step'),
    record('/outer/one/docker/buildkit', '/outer/one/docker/buildkit/step'),
    // A container that met its own limit, a group of another engine, the whole machine.
    record('/one/docker/buildkit/step', '/one/docker/buildkit/step'),
    record('/two/docker/buildkit', '/two/docker/buildkit/step'),
    record('/one/docker/abc', '/one/docker/abc'),
    '4,1,2,-;oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),global_oom,' +
      'task_memcg=/one/docker/buildkit,task=x,pid=1,uid=0\n',
    '6,2,3,-;eth0: link up\n',
  ];
  expect(killsIn(records, group)).toEqual({ atLimit: 2, unnamed: 0 });
});

test('kills that the kernel no longer reports in full belong to no group', () => {
  const killed = (pid: number): string =>
    `3,1535,3693471985,-;Memory cgroup out of memory: Killed process ${pid} (node) total-vm:75160kB, ` +
    'anon-rss:20224kB, file-rss:6656kB, shmem-rss:0kB, UID:0 pgtables:104kB oom_score_adj:0\n';
  const records = [record('/other', '/other'), killed(9850), killed(9851), killed(9852)];
  expect(killsIn(records, '/one/docker/buildkit')).toEqual({ atLimit: 0, unnamed: 2 });
});

test('a log that cannot be read is none', () => {
  expect(openKernelLog('/nonexistent/kmsg')).toBeUndefined();
});
