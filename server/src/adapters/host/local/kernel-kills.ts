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

/**
 * How many of these records say that a limit of this group was the reason for a kill. The kernel names groups
 * from the root of its own hierarchy, of which a process in a namespace sees the end only.
 */
export function killsAtLimitOf(group: string, records: readonly string[]): number {
  return records.filter((record) => {
    const limited = /oom-kill:constraint=CONSTRAINT_MEMCG,.*\boom_memcg=([^,\n]+)/.exec(record)?.[1];
    return limited !== undefined && (limited === group || limited.endsWith(group));
  }).length;
}
