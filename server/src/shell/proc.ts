/** What /proc tells about processes (proc(5)). */
import { readdirSync, readFileSync } from 'node:fs';

/** Variable that marks a run's processes, those that left its group included. */
export const markVariable = 'BERTH_RUN';

export interface ProcessStat {
  /** Ticks since the machine's start (field 22). */
  startTime: string;
  parent: number;
  group: number;
  /** Ended, but not yet collected by its parent. */
  ended: boolean;
}

/**
 * The name (field 2) stands in parentheses and may hold spaces and parentheses itself, so the fields are
 * counted from the last one.
 */
export function parseStat(text: string): ProcessStat | undefined {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .trimEnd()
    .split(' ');
  const [state, parent, group, startTime] = [fields[0], fields[1], fields[2], fields[19]];
  if (
    state === undefined ||
    parent === undefined ||
    group === undefined ||
    startTime === undefined ||
    !/^[0-9]+$/.test(startTime)
  )
    return undefined;
  return { startTime, parent: Number(parent), group: Number(group), ended: state === 'Z' || state === 'X' };
}

export function readStat(pid: number): ProcessStat | undefined {
  const text = read(`${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

/** The mark of the run this process belongs to; empty without one. */
export function markOf(pid: number): string {
  const environment = read(`${pid}/environ`) ?? '';
  return (
    environment
      .split('\0')
      .find((entry) => entry.startsWith(`${markVariable}=`))
      ?.slice(markVariable.length + 1) ?? ''
  );
}

/** Start times count from the machine's start; this tells one start from the next. */
export function bootId(): string {
  return read('sys/kernel/random/boot_id')?.trim().slice(0, 13) ?? '';
}

export function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number);
}

/**
 * A process may end while it is read (ENOENT, ESRCH), and another user's may be closed to us (EACCES, EPERM):
 * both are "nothing known".
 */
function read(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return undefined;
  }
}
