import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { findBuildCgroup } from '../../../server/src/adapters/host/local/engine-cgroup.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { createBuilderFixture } from './builder-fixture.ts';

// What a build writes must be files that memory only caches.
const host = await (await bedOfRun()).host('limits', {
  index: 22,
  engine: true,
  images: true,
  realDisk: true,
});
const { engineSocket } = host;
const fixture = createBuilderFixture(engineSocket);
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await host.kill();
});
beforeEach(() => void fixture.lines.splice(0));

const MiB = 1024 * 1024;
const version1 = '/sys/fs/cgroup/memory';
const base = 'FROM berth/node:24\n';
// Far beyond the limit, but bounded: where the limit fails, the test fails and the machine goes on.
const eatMemory =
  'const kept = []; for (let taken = 0; taken < 1.2e9; taken += 8e6) kept.push(Buffer.alloc(8e6, 1)); ' +
  'process.exit(9);';

test('a step that wants more memory than the limit is killed, and that is said', async () => {
  // The shell swallows the signal's exit code; the group's counters tell the truth.
  fixture.write({ Dockerfile: `${base}RUN node -e '${eatMemory}' || exit 1\n` });
  await expect(
    fixture.build({ limits: { memoryBytes: 128 * MiB, nanoCpus: 2e9 }, noCache: true }),
  ).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringMatching(
      /^The build ran out of memory: the step "RUN node .*" was killed at the limit of 128 MiB\./,
    ),
  });
  expect(fixture.lines).toContain('Build limits: 128 MiB of memory, 2 CPUs.');
});

test.skipIf(!existsSync(version1))('it is said, too, while the kernel reports no kill in full', async () => {
  // The kernel names the group of ten kills in five seconds at most, of the whole machine.
  const crowd = join(version1, `berth-test-crowd-${process.pid}`);
  mkdirSync(crowd);
  writeFileSync(join(crowd, 'memory.limit_in_bytes'), String(8 * MiB));
  const kills = spawn('sh', [
    '-c',
    'echo $$ >"$1/cgroup.procs"; while :; do tail /dev/zero; done',
    '-',
    crowd,
  ]);
  try {
    fixture.write({ Dockerfile: `${base}RUN sleep 4 && node -e '${eatMemory}'\n` });
    await expect(
      fixture.build({ limits: { memoryBytes: 128 * MiB, nanoCpus: 2e9 }, noCache: true }),
    ).rejects.toThrow(/^The build ran out of memory/);
  } finally {
    const ended = once(kills, 'close');
    kills.kill('SIGKILL');
    await ended;
    for (const pid of readFileSync(join(crowd, 'cgroup.procs'), 'utf8').trim().split('\n'))
      if (pid !== '') process.kill(Number(pid), 'SIGKILL');
    await expect.poll(() => readFileSync(join(crowd, 'cgroup.procs'), 'utf8')).toBe('');
    rmdirSync(crowd);
  }
});

test('a kill that the build survives is in the log', async () => {
  fixture.write({ Dockerfile: `${base}RUN node -e '${eatMemory}' || true\n` });
  await fixture.build({ limits: { memoryBytes: 128 * MiB, nanoCpus: 2e9 }, noCache: true });
  expect(fixture.lines.join('\n')).toContain('was killed for using too much memory');
});

test('another failure of a build that filled its memory with files is not called out of memory', async () => {
  fixture.write({
    Dockerfile: `${base}RUN head -c 300000000 /dev/zero > /big && cat /big > /dev/null && exit 3\n`,
  });
  await expect(
    fixture.build({ limits: { memoryBytes: 96 * MiB, nanoCpus: 2e9 }, noCache: true }),
  ).rejects.toThrow('ended with exit code 3');
});

test('nor is it while the kernel kills somebody else for memory', async () => {
  fixture.write({
    Dockerfile: `${base}RUN head -c 300000000 /dev/zero > /big && cat /big > /dev/null; sleep 2; exit 3\n`,
  });
  const build = fixture.build({ limits: { memoryBytes: 96 * MiB, nanoCpus: 2e9 }, noCache: true });
  const killed = fixture.docker('run', '--rm', '--memory', '32m', 'berth/node:24', 'node', '-e', eatMemory);
  // Both at once: a failure that nobody waits for yet is a fault of the test.
  await Promise.all([
    expect(killed).rejects.toThrow('docker run'),
    expect(build).rejects.toThrow('ended with exit code 3'),
  ]);
});

test('processor time is limited', async () => {
  fixture.write({
    Dockerfile:
      `${base}RUN node -e 'const end = Date.now() + 2000; while (Date.now() < end);  ` +
      `console.log("used", process.cpuUsage().user / 1e6)'\n`,
  });
  await fixture.build({ limits: { memoryBytes: 512 * MiB, nanoCpus: 0.25e9 }, noCache: true });
  const used = Number(/ used ([\d.]+)/.exec(fixture.lines.join('\n'))?.[1]);
  expect(used).toBeGreaterThan(0.1);
  expect(used).toBeLessThan(1.2);
});

test('an abort ends the step in the engine, not only our program', async () => {
  fixture.write({ Dockerfile: base });
  await fixture.build();
  const builders = join(dirname(engineSocket), 'builders');
  const group = await findBuildCgroup(join(builders, fixture.organizationId, 'docker.sock'));
  if (group.version !== 1) throw new Error('this test reads version 1 control groups');
  const steps = () =>
    readdirSync(group.memory, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && processesOf(join(group.memory, entry.name)) !== '',
    );
  const aborter = new AbortController();
  const reason = new Error('the deployment was ended');
  fixture.write({ Dockerfile: `${base}RUN echo started && trap "" TERM && sleep 300\n` });
  let running = 0;
  const build = fixture.build({
    signal: aborter.signal,
    noCache: true,
    onLine: (line) => {
      if (!/\d started$/.test(line)) return;
      running = steps().length;
      aborter.abort(reason);
    },
  });
  await expect(build).rejects.toBe(reason);
  expect(running).toBeGreaterThan(0);
  await expect.poll(() => steps().length, { timeout: 20_000 }).toBe(0);
});

test('a build that takes too long is ended', async () => {
  fixture.write({ Dockerfile: `${base}RUN sleep 300\n` });
  await expect(fixture.build({ limitMs: 3000, noCache: true })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('took longer than'),
  });
});

/** Groups come and go with the steps of other builds. */
function processesOf(group: string): string {
  try {
    return readFileSync(join(group, 'cgroup.procs'), 'utf8').trim();
  } catch {
    return '';
  }
}
