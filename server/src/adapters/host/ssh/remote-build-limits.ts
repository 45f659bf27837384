/**
 * Memory and CPU of builds on a server: the group that all steps of a builder are in, seen from the server
 * through the builder's own file system, is limited to what the builds that run now may have together. The
 * builder's container has limits of its own around it (adapters/build-engine/container-spec.ts).
 */
import { sentenceOf } from '../../../domain/errors.ts';
import type { BuildLimiter, BuildLimits } from '../../../ports/engine/builder.ts';
import type { RunThere } from './remote-files.ts';

/**
 * Finds the engine that serves the socket $1: its own path of it is the same file. Another program started
 * for each process would take longer than a small build.
 */
const findGroup = `for process in /proc/[0-9]*; do
  read -r name 2>/dev/null <"$process/comm" && [ "$name" = dockerd ] || continue
  [ "$process/root/run/builder/docker.sock" -ef "$1" ] && root=$process/root/sys/fs/cgroup && break
done
[ -n "$root" ] || { echo "its builder's engine was not found" >&2; exit 1; }
`;

/** $2: bytes of memory, $3: the same and a little more, $4: microseconds of processor time per 100,000. */
const limit = `
if [ -e "$root/cgroup.controllers" ]; then
  group=$root/docker/buildkit
  mkdir -p "$group" && echo "$2" >"$group/memory.max" && echo "$4 100000" >"$group/cpu.max" || exit 1
  echo 0 2>/dev/null >"$group/memory.swap.max"
else
  memory=$root/memory/docker/buildkit cpu=$root/cpu/docker/buildkit
  mkdir -p "$memory" "$cpu" || exit 1
  swap=$memory/memory.memsw.limit_in_bytes
  [ ! -e "$swap" ] || echo -1 >"$swap"
  echo "$2" 2>/dev/null >"$memory/memory.limit_in_bytes" || {
    echo 0 2>/dev/null >"$memory/memory.force_empty"
    echo "$2" >"$memory/memory.limit_in_bytes" || exit 1
  }
  [ ! -e "$swap" ] || echo "$3" >"$swap"
  echo 100000 >"$cpu/cpu.cfs_period_us" && echo "$4" >"$cpu/cpu.cfs_quota_us" || exit 1
fi
`;

/** Two numbers: processes killed for memory, and how often the limit was met (-1: nobody counts that). */
const count = `
if [ -e "$root/cgroup.controllers" ]; then
  sed -n 's/^oom_kill //p' "$root/docker/buildkit/memory.events"
  echo -1
else
  sed -n 's/^oom_kill //p' /proc/vmstat
  met=0
  for counter in failcnt memsw.failcnt; do
    number=$(cat "$root/memory/docker/buildkit/memory.$counter" 2>/dev/null) && met=$((met + number))
  done
  echo "$met"
fi
`;

const numbers = (text: string): number[] => text.split('\n').map(Number);
const marginBytes = 1024 * 1024;
const periodUs = 100_000;

/** `socket`: of the builder's engine, as the server sees it. */
export function createRemoteBuildLimiter(run: RunThere, socket: string): BuildLimiter {
  const running = new Set<BuildLimits>();
  async function must(text: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(['sh', '-c', findGroup + text, 'sh', socket, ...args]);
    if (code !== 0) throw new Error(stderr.trim().split('\n').at(-1) ?? `it ended with code ${code}`);
    return stdout;
  }
  /** What is counted then, in one go: each program there costs a way to the server and back. */
  async function apply(): Promise<number[]> {
    let [memory, nanoCpus] = [0, 0];
    for (const limits of running) {
      memory += limits.memoryBytes;
      nanoCpus += limits.nanoCpus;
    }
    const quota = Math.max(1000, Math.round((nanoCpus / 1e9) * periodUs));
    return numbers(await must(limit + count, `${memory}`, `${memory + marginBytes}`, `${quota}`));
  }
  return {
    async begin(limits, onLine) {
      running.add(limits);
      try {
        const [killsBefore = 0, metBefore = 0] = await apply();
        onLine(
          `Build limits: ${Math.round(limits.memoryBytes / 1024 / 1024)} MiB of memory, ` +
            `${limits.nanoCpus / 1e9} CPUs.`,
        );
        return {
          async ranOutOfMemory() {
            const [kills = 0, met = 0] = await must(count).then(numbers, () => [killsBefore, metBefore]);
            return kills > killsBefore && (met === -1 || met > metBefore);
          },
          async end() {
            running.delete(limits);
            if (running.size > 0)
              await apply().catch(() => onLine('The limits of the other builds could not be lowered again.'));
          },
        };
      } catch (error) {
        onLine(
          `Build limits: only for the builder as a whole, because those of its steps cannot be set on this ` +
            `server (${sentenceOf(error)}).`,
        );
        return { ranOutOfMemory: async () => false, end: async () => void running.delete(limits) };
      }
    },
  };
}
