import { expect, test } from 'vitest';
import { killsAtLimitOf, openKernelLog } from './kernel-kills.ts';

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
  expect(killsAtLimitOf(group, records)).toBe(2);
});

test('a log that cannot be read is none', () => {
  expect(openKernelLog('/nonexistent/kmsg')).toBeUndefined();
});
