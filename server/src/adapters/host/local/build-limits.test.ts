import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBuildLimiter } from './build-limits.ts';

// Folders stand for the kernel's here; test/integration/builder/limits.test.ts shows the same on a real
// engine.
let folder = '';
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'build-limits-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GiB = 1024 ** 3;

test('version 2: limits go into the group, kills are read from it', async () => {
  const directory = join(folder, 'docker/buildkit');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'memory.events'), 'low 0\noom 0\noom_kill 2\n');
  const lines: string[] = [];
  const limiter = createBuildLimiter('/socket', async () => ({ version: 2, directory }));
  const build = await limiter.begin({ memoryBytes: GiB, nanoCpus: 1_500_000_000 }, (line) =>
    lines.push(line),
  );
  expect([
    read('docker/buildkit/memory.max'),
    read('docker/buildkit/memory.swap.max'),
    read('docker/buildkit/cpu.max'),
  ]).toEqual([String(GiB), '0', '150000 100000']);
  expect([read('cgroup.subtree_control'), read('docker/cgroup.subtree_control')]).toEqual([
    '+memory +cpu',
    '+memory +cpu',
  ]);
  expect(lines).toEqual(['Build limits: 1024 MiB of memory, 1.5 CPUs.']);
  expect(await build.ranOutOfMemory()).toBe(false);
  writeFileSync(join(directory, 'memory.events'), 'low 0\noom 1\noom_kill 3\n');
  expect(await build.ranOutOfMemory()).toBe(true);
});

test('version 1: builds at one time may have together what they may have one by one', async () => {
  const [memory, cpu] = [join(folder, 'memory'), join(folder, 'cpu')];
  mkdirSync(memory);
  writeFileSync(join(memory, 'memory.use_hierarchy'), '1\n');
  writeFileSync(join(memory, 'memory.failcnt'), '0\n');
  const limiter = createBuildLimiter('/socket', async () => ({ version: 1, memory, cpu }));
  const one = await limiter.begin({ memoryBytes: GiB, nanoCpus: 1e9 }, () => undefined);
  const two = await limiter.begin({ memoryBytes: 2 * GiB, nanoCpus: 5e8 }, () => undefined);
  expect([
    read('memory/memory.limit_in_bytes'),
    read('memory/memory.memsw.limit_in_bytes'),
    read('cpu/cpu.cfs_quota_us'),
  ]).toEqual([String(3 * GiB), String(3 * GiB + 1024 * 1024), '150000']);
  await one.end();
  expect([read('memory/memory.limit_in_bytes'), read('cpu/cpu.cfs_quota_us')]).toEqual([
    String(2 * GiB),
    '50000',
  ]);
  // Meeting the limit without a kill is the page cache at work.
  writeFileSync(join(memory, 'memory.failcnt'), '9\n');
  expect(await two.ranOutOfMemory()).toBe(false);
});

test('the group is looked for once for each engine, and again when it takes no limits any more', async () => {
  const directory = join(folder, 'docker/buildkit');
  const events = (): void => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'memory.events'), 'low 0\noom 0\noom_kill 0\n');
  };
  events();
  const socket = join(folder, 'socket');
  writeFileSync(socket, '');
  let looks = 0;
  const limiter = createBuildLimiter(socket, async () => {
    looks += 1;
    return { version: 2, directory };
  });
  const begin = async (): Promise<number> => {
    await (await limiter.begin({ memoryBytes: GiB, nanoCpus: 1e9 }, () => undefined)).end();
    return looks;
  };
  expect([await begin(), await begin()]).toEqual([1, 1]);
  // Another name of the same file is no other engine.
  linkSync(socket, `${socket}.taken`);
  expect(await begin()).toBe(1);
  rmSync(socket);
  writeFileSync(socket, '');
  expect([await begin(), await begin()]).toEqual([2, 2]);
  rmSync(join(folder, 'docker'), { recursive: true });
  writeFileSync(join(folder, 'docker'), 'in the way');
  await begin();
  expect(looks).toBe(3);
});

test('a group that is gone at the end of a build says nothing against it', async () => {
  const directory = join(folder, 'docker/buildkit');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'memory.events'), 'low 0\noom 0\noom_kill 2\n');
  const limiter = createBuildLimiter('/socket', async () => ({ version: 2, directory }));
  const build = await limiter.begin({ memoryBytes: GiB, nanoCpus: 1e9 }, () => undefined);
  rmSync(directory, { recursive: true });
  expect(await build.ranOutOfMemory()).toBe(false);
  await build.end();
});

test('where nothing can be set, one line says so and the build goes on', async () => {
  const unknown = async () => {
    throw new Error("the engine's process was not found");
  };
  for (const find of [
    unknown,
    async () => ({ version: 2 as const, directory: '/dev/null/docker/buildkit' }),
  ]) {
    const lines: string[] = [];
    const build = await createBuildLimiter('/socket', find).begin(
      { memoryBytes: GiB, nanoCpus: 1e9 },
      (line) => lines.push(line),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^Build limits: none are in force, because they cannot be set on this server \(/),
    ]);
    expect(await build.ranOutOfMemory()).toBe(false);
    await build.end();
  }
});
