/**
 * Memory and CPU of builds. BuildKit in the engine ignores `--memory` and `--cgroup-parent`, so the group
 * that all its steps are in is limited: together they get what the builds that run now may have together.
 */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sentenceOf } from '../../../domain/errors.ts';
import { oneAtATime } from '../../../domain/time/one-at-a-time.ts';
import type { BuildLimiter, BuildLimits } from '../../../ports/engine/builder.ts';
import { findBuildCgroup } from './engine-cgroup.ts';
import type { BuildCgroup } from './engine-cgroup.ts';
import { killsIn, openKernelLog, type KernelLog } from './kernel-kills.ts';

/** Limits the builds of the engine behind this socket. */
export function createBuildLimiter(
  socketPath: string,
  find: typeof findBuildCgroup = findBuildCgroup,
): BuildLimiter {
  const running = new Set<BuildLimits>();
  const groups = knownGroup(socketPath, find);
  // Memory may never be above memory with swap: a change between the two of another would be refused.
  const inTurn = oneAtATime();
  const sum = () => ({ memoryBytes: total(running, 'memoryBytes'), nanoCpus: total(running, 'nanoCpus') });
  return {
    begin: async (limits, onLine) => {
      running.add(limits);
      try {
        const group = await inTurn(() => groups.limited(sum()));
        const kills = await watchKills(group);
        onLine(
          `Build limits: ${Math.round(limits.memoryBytes / 1024 / 1024)} MiB of memory, ` +
            `${limits.nanoCpus / 1e9} CPUs.`,
        );
        return {
          ranOutOfMemory: kills.happened,
          end: async () => {
            kills.end();
            running.delete(limits);
            if (running.size > 0)
              await inTurn(() => apply(group, sum())).catch(() =>
                onLine('The limits of the other builds could not be lowered again.'),
              );
          },
        };
      } catch (error) {
        onLine(
          'Build limits: none are in force, because they cannot be set on this server ' +
            `(${sentenceOf(error)}).`,
        );
        return {
          ranOutOfMemory: async () => false,
          end: async () => void running.delete(limits),
        };
      }
    },
  };
}

/**
 * The group of the engine that serves the socket, looked for once for each engine: asking one what it is
 * takes as long as a small step of a build. Each makes a socket of its own when it starts.
 */
function knownGroup(socketPath: string, find: typeof findBuildCgroup) {
  let known: { socket: string; group: BuildCgroup } | undefined;
  async function found(limits: BuildLimits): Promise<BuildCgroup> {
    const socket = await identityOf(socketPath);
    const group = await find(socketPath);
    known = socket === undefined ? undefined : { socket, group };
    await apply(group, limits);
    return group;
  }
  return {
    /** Gives the group, which has the limits. */
    async limited(limits: BuildLimits): Promise<BuildCgroup> {
      if (known === undefined || known.socket !== (await identityOf(socketPath))) return found(limits);
      const { group } = known;
      return apply(group, limits).then(
        () => group,
        () => found(limits),
      );
    },
  };
}

/** Of the file itself, whatever further names it gets; undefined where there is none. */
async function identityOf(path: string): Promise<string | undefined> {
  const file = await stat(path, { bigint: true }).catch(() => undefined);
  return file && `${file.dev}:${file.ino}:${file.birthtimeNs}`;
}

function total(running: Set<BuildLimits>, field: keyof BuildLimits): number {
  let sum = 0;
  for (const limits of running) sum += limits[field];
  return sum;
}

const periodUs = 100_000;
const swapBytes = 1024 * 1024;

async function apply(group: BuildCgroup, limits: BuildLimits): Promise<void> {
  const quotaUs = Math.max(1000, Math.round((limits.nanoCpus / 1e9) * periodUs));
  const memory = String(limits.memoryBytes);
  if (group.version === 2) {
    await makeUnified(group.directory);
    await write(group.directory, 'memory.max', memory);
    await write(group.directory, 'memory.swap.max', '0').catch(() => undefined);
    await write(group.directory, 'cpu.max', `${quotaUs} ${periodUs}`);
    return;
  }
  await makeGroup(group.memory);
  await makeGroup(group.cpu);
  if ((await read(group.memory, 'memory.use_hierarchy')) === '0')
    throw new Error('memory.use_hierarchy is off');
  // Memory with swap may never be the smaller one, not even for a moment; without swap accounting the file is
  // not there.
  const swap = await write(group.memory, 'memory.memsw.limit_in_bytes', '-1').then(
    () => true,
    () => false,
  );
  await write(group.memory, 'memory.limit_in_bytes', memory).catch(async () => {
    // What earlier builds left in the page cache is counted too.
    await write(group.memory, 'memory.force_empty', '0').catch(() => undefined);
    await write(group.memory, 'memory.limit_in_bytes', memory);
  });
  // A little more than the memory itself: where both are equal, meeting them is counted nowhere (measured on
  // kernel 6.18).
  if (swap) await write(group.memory, 'memory.memsw.limit_in_bytes', String(limits.memoryBytes + swapBytes));
  await write(group.cpu, 'cpu.cfs_period_us', String(periodUs));
  await write(group.cpu, 'cpu.cfs_quota_us', String(quotaUs));
}

/** In version 2 a group has the controllers that each group above it hands down. */
async function makeUnified(directory: string): Promise<void> {
  await makeGroup(directory);
  const docker = dirname(directory);
  for (const above of [dirname(docker), docker]) await write(above, 'cgroup.subtree_control', '+memory +cpu');
}

/** Not `recursive`: on the kernel's file systems that can go round for ever (seen with Node 24). */
async function makeGroup(directory: string): Promise<void> {
  for (const path of [dirname(directory), directory]) {
    await mkdir(path).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
  }
}

interface KillWatch {
  happened(): Promise<boolean>;
  end(): void;
}

/** A group that is gone, with whoever else's build was in it last, tells nothing against this build. */
async function watchKills(group: BuildCgroup): Promise<KillWatch> {
  const kernel = group.version === 1 ? openKernelLog() : undefined;
  if (group.version === 1 && kernel !== undefined) return watchKernel(group, kernel);
  const before = await killsOf(group);
  return {
    happened: async () => hasRisen(before, await killsOf(group).catch(() => before)),
    end: () => undefined,
  };
}

/**
 * Version 1 counts kills only in the step's own group, which is gone when we look; the kernel's log names the
 * group whose limit it was. Where it names none, a group that met its limit meanwhile is the one.
 */
async function watchKernel(group: BuildCgroup & { version: 1 }, kernel: KernelLog): Promise<KillWatch> {
  const { memory } = group;
  const name = memory.slice(Math.max(0, memory.lastIndexOf('/memory/') + '/memory'.length));
  const before = await timesMet(group).catch(() => 0);
  let killed = false;
  return {
    async happened() {
      const { atLimit, unnamed } = killsIn(kernel.records(), name);
      killed ||= atLimit > 0 || (unnamed > 0 && (await timesMet(group).catch(() => 0)) > before);
      return killed;
    },
    end: kernel.close,
  };
}

interface Kills {
  /** Kills in the group itself (version 2), or on the whole machine (version 1). */
  kills: number;
  /**
   * How often the group met its limit (version 1, where the kernel's log may not be read). It counts what the
   * kernel took back of the page cache, too, so only both numbers together tell.
   */
  met: number | undefined;
}

async function killsOf(group: BuildCgroup): Promise<Kills> {
  if (group.version === 2)
    return { kills: counter(await read(group.directory, 'memory.events'), 'oom_kill'), met: undefined };
  return {
    kills: counter(await readFile('/proc/vmstat', 'utf8'), 'oom_kill'),
    met: await timesMet(group),
  };
}

/** How often the group wanted more than its limit. */
async function timesMet({ memory }: BuildCgroup & { version: 1 }): Promise<number> {
  return (
    Number(await read(memory, 'memory.failcnt')) +
    Number(await read(memory, 'memory.memsw.failcnt').catch(() => '0'))
  );
}

function hasRisen(before: Kills, after: Kills): boolean {
  return after.kills > before.kills && (before.met === undefined || (after.met ?? 0) > before.met);
}

function counter(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

async function read(directory: string, file: string): Promise<string> {
  return (await readFile(join(directory, file), 'utf8')).trim();
}

async function write(directory: string, file: string, value: string): Promise<void> {
  await writeFile(join(directory, file), value);
}
