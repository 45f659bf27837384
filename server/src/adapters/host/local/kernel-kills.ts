/** What the kernel killed for want of memory, from its own log. */
import { closeSync, constants, openSync, readSync } from 'node:fs';

export interface KernelLog {
  /** Records since the last call, or since it was opened. */
  records(): string[];
  close(): void;
}

/** Where a record of the kernel is one read (Documentation/ABI/testing/dev-kmsg). */
const device = '/dev/kmsg';
const recordBytes = 8192;

/** The kernel's log from now on; undefined where this process may not read it. */
export function openKernelLog(path = device): KernelLog | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const log = { records: () => readRecords(file), close: () => closeSync(file) };
    log.records();
    return log;
  } catch {
    return undefined;
  }
}

function readRecords(file: number): string[] {
  const buffer = Buffer.alloc(recordBytes);
  const found: string[] = [];
  for (;;) {
    try {
      const length = readSync(file, buffer);
      if (length === 0) return found;
      found.push(buffer.toString('utf8', 0, length));
    } catch (error) {
      // EPIPE: records were overwritten before they were read; the next one is there.
      if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) return found;
    }
  }
}

interface KernelKills {
  /** Kills whose reason was a limit of the group. */
  atLimit: number;
  /**
   * Kills at the limit of some group that the log does not name: after ten reports in five seconds, of the
   * whole machine, the kernel only prints that it killed (`oom_rs` in mm/oom_kill.c).
   */
  unnamed: number;
}

/**
 * What these records say about a group. The kernel names groups from the root of its own hierarchy, of which
 * a process in a namespace sees the end only.
 */
export function killsIn(records: readonly string[], group: string): KernelKills {
  const named = new Set<string>();
  let [atLimit, unnamed] = [0, 0];
  for (const record of records) {
    const [, limited, pid] =
      /oom-kill:constraint=CONSTRAINT_MEMCG,.*\boom_memcg=([^,\n]+),.*\bpid=(\d+)/.exec(record) ?? [];
    if (pid !== undefined) named.add(pid);
    if (limited !== undefined && (limited === group || limited.endsWith(group))) atLimit += 1;
    const killed = /Memory cgroup out of memory: Killed process (\d+)/.exec(record)?.[1];
    if (killed !== undefined && !named.has(killed)) unnamed += 1;
  }
  return { atLimit, unnamed };
}
